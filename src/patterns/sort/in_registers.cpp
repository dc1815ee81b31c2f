#include "patterns/sort/in_registers.hpp"

#include "cpu/instruction_set.hpp"
#include "patterns/sort/cpu_kernels.hpp"
#include "sortable.hpp"
#include <heddle/impl/core/part_begin.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/interruption.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

namespace heddle::cpu {
namespace {

constexpr std::size_t sort_grain = impl::threshold.sort_grain;

template <class Key>
const sort_kernels<Key>& of_size(const all_sort_kernels& all) {
  if constexpr (sizeof(Key) == 4) {
    return all.of_4_bytes;
  } else {
    return all.of_8_bytes;
  }
}

/// The keys of each slice of an array, split by a few of them.
template <class Key>
struct split_slices {
  std::vector<Key> pivots;             ///< between parts
  std::vector<std::size_t> part_ends;  ///< in each slice, of each part

  /// Splits elements first … last − 1 into parts part … end − 1.
  void split(const sort_kernels<Key>& kernels, Key* keys, std::size_t first, std::size_t last,
             std::size_t part, std::size_t end, std::size_t* ends) const {
    if (end - part == 1) {
      ends[part] = last;
      return;
    }
    const std::size_t middle = part + (end - part) / 2;
    const std::size_t at = first + kernels.split(keys + first, last - first, pivots[middle - 1]);
    split(kernels, keys, first, at, part, middle, ends);
    split(kernels, keys, at, last, middle, end, ends);
  }
};

template <class Key>
std::vector<Key> pivots_of(const sort_kernels<Key>& kernels, const Key* keys, std::size_t n,
                           std::size_t parts) {
  constexpr std::size_t samples = impl::threshold.sort_samples;
  std::vector<Key> some(samples * parts);
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = keys[impl::part_begin(n, some.size(), i)];
  kernels.sort_keys(some.data(), some.size(), {}, check_interruption);
  std::vector<Key> pivots(parts - 1);
  for (std::size_t part = 1; part < parts; ++part) pivots[part - 1] = some[part * samples];
  return pivots;
}

/// Sorts the n keys that make_keys(first, last, to) makes. Threads split a slice each into the same parts.
/// Then these are joined in `out`, and each thread sorts some.
template <class Key, class MakeKeys>
void sort_keys(const sort_kernels<Key>& kernels, int threads, std::size_t n, const key_form<Key>& form,
               const MakeKeys& make_keys, Key* out) {
  const std::size_t slices = std::clamp<std::size_t>(n / sort_grain, 1, static_cast<std::size_t>(threads));
  if (slices == 1) {
    make_keys(std::size_t{0}, n, out);
    return kernels.sort_keys(out, n, form, check_interruption);
  }
  const std::size_t parts = 4 * slices;
  const auto slice_begin = [=](std::size_t slice) { return impl::part_begin(n, slices, slice); };
  const memory buffer(n * sizeof(Key), target());
  Key* const keys = static_cast<Key*>(buffer.data());
  for_slices(threads, n, sort_grain, [&](std::size_t first, std::size_t last) {
    check_interruption();
    make_keys(first, last, keys + first);
  });
  split_slices<Key> divided{pivots_of(kernels, keys, n, parts), std::vector<std::size_t>(slices * parts)};
  const auto for_each_slice = [&](const auto& f) {
    for_slices(threads, slices, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t slice = first; slice < last; ++slice) {
        check_interruption();
        f(slice, &divided.part_ends[slice * parts]);
      }
    });
  };
  for_each_slice([&](std::size_t slice, std::size_t* ends) {
    divided.split(kernels, keys, slice_begin(slice), slice_begin(slice + 1), 0, parts, ends);
  });
  // The offset to which each part of each slice goes: parts of all slices follow one another.
  std::vector<std::size_t> to(slices * parts), part_begins(parts + 1);
  std::size_t before = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    part_begins[part] = before;
    for (std::size_t slice = 0; slice < slices; ++slice) {
      const std::size_t* const ends = &divided.part_ends[slice * parts];
      to[slice * parts + part] = before;
      before += ends[part] - (part == 0 ? slice_begin(slice) : ends[part - 1]);
    }
  }
  part_begins[parts] = before;
  for_each_slice([&](std::size_t slice, const std::size_t* ends) {
    std::size_t begin = slice_begin(slice);
    for (std::size_t part = 0; part < parts; ++part) {
      std::copy(keys + begin, keys + ends[part], out + to[slice * parts + part]);
      begin = ends[part];
    }
  });
  for_slices(threads, parts, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last; ++part) {
      check_interruption();
      kernels.sort_keys(out + part_begins[part], part_begins[part + 1] - part_begins[part], form,
                        check_interruption);
    }
  });
}

/// Calls sort_some(threads, x, lines, out) for contiguous lines. Threads share the lines out, or each line if
/// lines are few. Lines along a slower axis are read and written together, a cache line of them at a time.
template <class T, class Out, class SortSome>
void for_contiguous_lines(int threads, const T* x, const axis_lines& lines, const SortSome& sort_some,
                          Out* out) {
  const std::size_t n = lines.length;
  const bool share_lines = lines.count() >= static_cast<std::size_t>(threads);
  if (lines.inner == 1) {
    if (!share_lines) {
      for (std::size_t line = 0; line < lines.outer; ++line)
        sort_some(threads, x + line * n, 1, out + line * n);
      return;
    }
    return for_slices(threads, lines.outer, sort_grain / n + 1, [&](std::size_t first, std::size_t last) {
      // Pieces, so that a sort of many lines can be interrupted.
      const std::size_t most = impl::threshold.sort_interruptible / n + 1;
      for (std::size_t line = first; line < last; line += std::min(most, last - line)) {
        check_interruption();
        sort_some(1, x + line * n, std::min(most, last - line), out + line * n);
      }
    });
  }
  const std::size_t most = share_lines ? std::min<std::size_t>(lines.inner, 64 / sizeof(T)) : 1;
  const std::size_t bundles = (lines.inner + most - 1) / most;
  const auto sort_bundles = [&](int threads_a_line, std::size_t first, std::size_t last) {
    const memory buffer(most * n * sizeof(T), target()), out_buffer(most * n * sizeof(Out), target());
    T* const gathered = static_cast<T*>(buffer.data());
    Out* const sorted = static_cast<Out*>(out_buffer.data());
    for (std::size_t bundle = first; bundle < last; ++bundle) {
      check_interruption();
      const std::size_t column = bundle % bundles * most, count = std::min(most, lines.inner - column);
      const std::size_t begin = bundle / bundles * n * lines.inner + column;
      for_slices(threads_a_line, n, sort_grain, [&](std::size_t from, std::size_t end) {
        for (std::size_t i = from; i < end; ++i) {
          for (std::size_t line = 0; line < count; ++line)
            gathered[line * n + i] = x[begin + i * lines.inner + line];
        }
      });
      sort_some(threads_a_line, gathered, count, sorted);
      for_slices(threads_a_line, n, sort_grain, [&](std::size_t from, std::size_t end) {
        for (std::size_t i = from; i < end; ++i) {
          for (std::size_t line = 0; line < count; ++line)
            out[begin + i * lines.inner + line] = sorted[line * n + i];
        }
      });
    }
  };
  if (!share_lines) return sort_bundles(threads, 0, lines.outer * bundles);
  for_slices(threads, lines.outer * bundles, sort_grain / (most * n) + 1,
             [&](std::size_t first, std::size_t last) { sort_bundles(1, first, last); });
}

template <class T, class Key>
key_form<Key> form_of(bool descending) {
  constexpr auto sign = std::numeric_limits<Key>::min();
  key_form<Key> form;
  if constexpr (std::is_floating_point_v<T>) {
    form.magnitude = ~sign;
    form.infinity = __builtin_bit_cast(Key, std::numeric_limits<T>::infinity());
    form.nan =
        __builtin_bit_cast(Key, impl::from_sortable<T>(static_cast<impl::unsigned_of_bytes<sizeof(T)>>(-1)));
  } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(Key)) {
    form.flip = sign;
  }
  if (descending) form.flip = ~form.flip;
  return form;
}

/// Elements of 4 and 8 bytes are sorted where they are put.
template <class T>
void sort(const all_sort_kernels& all, int threads, const T* x, const axis_lines& lines, bool descending,
          T* out) {
  using Key = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  const sort_kernels<Key>& kernels = of_size<Key>(all);
  const key_form<Key> form = form_of<T, Key>(descending);
  for_contiguous_lines(
      threads, x, lines,
      [&](int with, const T* from, std::size_t count, T* to) {
        const auto* const bits = reinterpret_cast<const Key*>(from);
        auto* const keys = reinterpret_cast<Key*>(to);
        if (with == 1 || lines.length < 2 * sort_grain)
          return kernels.sort_lines(bits, count, lines.length, form, check_interruption, keys);
        const auto make_keys = [&](std::size_t first, std::size_t last, Key* made) {
          kernels.make_keys(bits + first, last - first, form, made);
        };
        sort_keys(kernels, with, lines.length, form, make_keys, keys);
      },
      out);
}

/// Elements of at most 4 bytes are sorted with their indices as integers of 8 bytes.
void argsort_line(const all_sort_kernels& all, int threads, dtype type, const void* x, std::size_t n,
                  bool descending, std::int64_t* indices) {
  key_form<std::int64_t> form;
  form.kept = std::numeric_limits<std::uint32_t>::max();
  const auto make_keys = [&](std::size_t first, std::size_t last, std::int64_t* keys) {
    all.pair_with_indices(type, static_cast<const std::byte*>(x) + first * size_of(type), last - first,
                          static_cast<std::uint32_t>(first), descending, keys);
  };
  sort_keys(all.of_8_bytes, threads, n, form, make_keys, indices);
}

short_keys shortened_keys(const all_sort_kernels& all, int threads, dtype type, const std::byte* x,
                          std::size_t n, bool descending) {
  std::mutex merging;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), greatest = 0;
  for_slices(threads, n, sort_grain, [&](std::size_t first, std::size_t last) {
    std::uint64_t low = 0, high = 0;
    all.range_of_keys(type, x + first * 8, last - first, descending, &low, &high);
    const std::scoped_lock lock(merging);
    least = std::min(least, low);
    greatest = std::max(greatest, high);
  });
  const unsigned index_bits = static_cast<unsigned>(std::bit_width(n - 1));
  const unsigned key_bits = static_cast<unsigned>(std::bit_width(greatest - least));
  return {least, key_bits + index_bits > 64 ? key_bits + index_bits - 64 : 0, index_bits};
}

/// Sorts pairs of a shortened key and an index again where shortened keys are equal, and keeps the indices.
/// False if too many are equal.
template <class T>
bool keep_indices(int threads, const T* x, std::size_t n, bool descending, const short_keys& shortened,
                  std::int64_t* pairs) {
  const std::uint64_t index_mask = (std::uint64_t{1} << shortened.index_bits) - 1;
  const auto key_of = [=](std::int64_t pair) {
    const std::uint64_t key = impl::to_key(x[static_cast<std::uint64_t>(pair) & index_mask]);
    return descending ? ~key : key;
  };
  const auto are_alike = [=](std::size_t i) {
    return static_cast<std::uint64_t>(pairs[i] ^ pairs[i - 1]) <= index_mask;
  };
  // A slice begins with a run of equal keys.
  const std::size_t slices = std::clamp<std::size_t>(n / sort_grain, 1, static_cast<std::size_t>(threads));
  std::vector<std::size_t> begins(slices + 1);
  for (std::size_t slice = 1; slice <= slices; ++slice) {
    std::size_t& begin = begins[slice] = std::max(impl::part_begin(n, slices, slice), begins[slice - 1]);
    while (0 < begin && begin < n && are_alike(begin)) ++begin;
  }
  std::atomic<bool> is_done = true;
  for_slices(threads, slices, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = begins[first], end = begins[last]; i < end && is_done;) {
      std::size_t next = i + 1;
      while (next < end && are_alike(next)) ++next;
      if (next - i > impl::threshold.sort_alike) is_done = false;
      if (next - i > 1 && is_done) {
        std::sort(pairs + i, pairs + next, [&](std::int64_t a, std::int64_t b) {
          const std::uint64_t key_a = key_of(a), key_b = key_of(b);
          return key_a != key_b ? key_a < key_b : a < b;
        });
      }
      i = next;
    }
  });
  if (!is_done) return false;
  for_slices(threads, n, sort_grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) pairs[i] &= static_cast<std::int64_t>(index_mask);
  });
  return true;
}

/// Elements of 8 bytes are sorted with their indices too, by as much of the key as there is room for. False
/// if that tells too few apart.
template <class T>
bool argsort_long_line(const all_sort_kernels& all, int threads, dtype type, const T* x, std::size_t n,
                       bool descending, std::int64_t* indices) {
  const short_keys shortened =
      shortened_keys(all, threads, type, reinterpret_cast<const std::byte*>(x), n, descending);
  key_form<std::int64_t> form;
  form.flip = std::numeric_limits<std::int64_t>::min();
  if (shortened.shift == 0)
    form.kept = static_cast<std::int64_t>((std::uint64_t{1} << shortened.index_bits) - 1);
  const auto make_keys = [&](std::size_t first, std::size_t last, std::int64_t* keys) {
    all.pair_shortened(type, x + first, last - first, first, descending, shortened, keys);
  };
  sort_keys(all.of_8_bytes, threads, n, form, make_keys, indices);
  return shortened.shift == 0 || keep_indices(threads, x, n, descending, shortened, indices);
}

template <class T>
bool argsort(const all_sort_kernels& all, int threads, dtype type, const T* x, const axis_lines& lines,
             bool descending, std::size_t* indices) {
  std::atomic<bool> is_done = true;
  for_contiguous_lines(
      threads, x, lines,
      [&](int with, const T* from, std::size_t count, std::size_t* to) {
        const std::size_t n = lines.length;
        for (std::size_t line = 0; line < count && is_done; ++line) {
          auto* const out = reinterpret_cast<std::int64_t*>(to + line * n);
          if constexpr (sizeof(T) <= 4) {
            argsort_line(all, with, type, from + line * n, n, descending, out);
          } else if (!argsort_long_line(all, with, type, from + line * n, n, descending, out)) {
            is_done = false;
          }
        }
      },
      indices);
  return is_done;
}

}  // namespace

const all_sort_kernels* sort_kernels_here() {
#if defined(HEDDLE_X86_KERNELS)
  if (best_isa() == isa::avx512) return avx512_sort_kernels();
  if (best_isa() == isa::avx2) return avx2_sort_kernels();
#endif
  return nullptr;
}

bool sort_in_registers(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out,
                       int threads) {
  const all_sort_kernels* const kernels = sort_kernels_here();
  if (kernels == nullptr || size_of(type) < 4) return false;
  impl::with_ordered_type(type, [&]<class T>(T) {
    if constexpr (sizeof(T) >= 4)
      sort(*kernels, threads, static_cast<const T*>(x), lines, order == sort_order::descending,
           static_cast<T*>(out));
  });
  return true;
}

bool argsort_in_registers(dtype type, const void* x, const axis_lines& lines, sort_order order,
                          std::size_t* indices, int threads) {
  const all_sort_kernels* const kernels = sort_kernels_here();
  if (kernels == nullptr || lines.length > std::numeric_limits<std::uint32_t>::max()) return false;
  bool is_done = false;
  impl::with_ordered_type(type, [&]<class T>(T) {
    is_done = argsort(*kernels, threads, type, static_cast<const T*>(x), lines,
                      order == sort_order::descending, indices);
  });
  return is_done;
}

}  // namespace heddle::cpu
