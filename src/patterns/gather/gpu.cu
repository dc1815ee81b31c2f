#include "gpu/with_word.cuh"
#include "patterns/gather/gpu.cuh"
#include "patterns/gather/gpu.hpp"
#include "patterns/sort/radix_sort.hpp"
#include <heddle/gather.hpp>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace heddle::gpu {
namespace {

/// Calls f with the indices as a pointer to unsigned integers.
template <class F>
void with_indices(const impl::index_list& indices, const F& f) {
  switch (size_of(indices.type)) {
    case 1:
      return f(static_cast<const std::uint8_t*>(indices.data));
    case 2:
      return f(static_cast<const std::uint16_t*>(indices.data));
    case 4:
      return f(static_cast<const std::uint32_t*>(indices.data));
    default:
      return f(static_cast<const std::uint64_t*>(indices.data));
  }
}

/// A number on the GPU that kernels lower, from the number of indices on.
class least_index {
 public:
  least_index(std::size_t count, const target& where) : where_(where), memory_(sizeof(value), where) {
    const value most = count;
    heddle::fill(memory_.data(), where, 1, &most, sizeof most);
  }
  using value = unsigned long long;
  value* on_gpu() const { return static_cast<value*>(memory_.data()); }
  /// Waits for it.
  std::size_t get() const {
    value found;
    heddle::copy(&found, target(), memory_.data(), where_, sizeof found);
    return found;
  }

 private:
  target where_;
  memory memory_;
};

template <class Index>
index_survey survey(const Index* indices, std::size_t count, std::uint64_t limit, const target& where) {
  const std::size_t words = (limit + 31) / 32;
  const memory bits(words * sizeof(unsigned), where), storage(sizeof(index_survey), where);
  auto* const on_gpu = static_cast<index_survey*>(storage.data());
  index_survey found{count, 0, 0};
  if (words > 0) check(cudaMemsetAsync(bits.data(), 0, bits.bytes(), where.stream()), "cudaMemsetAsync");
  heddle::copy(on_gpu, where, &found, target(), sizeof found);
  survey_indices<<<grid_for(count, indices_of_tile), index_threads, 0, where.stream()>>>(
      indices, count, limit, static_cast<unsigned*>(bits.data()), on_gpu);
  check(cudaGetLastError(), "launch of survey_indices");
  const unsigned grid = std::min(grid_for(words + 1, index_threads * 8), 2 * multiprocessors(where));
  count_set_bits<<<grid, index_threads, 0, where.stream()>>>(static_cast<const unsigned*>(bits.data()), words,
                                                             on_gpu);
  check(cudaGetLastError(), "launch of count_set_bits");
  heddle::copy(&found, target(), on_gpu, where, sizeof found);
  return found;
}

/// A scatter of values of `words` words whose indices have been checked.
template <class Word, class Index>
struct scatter_call {
  const Word* values;
  const Index* indices;
  axis_lines lines;
  std::size_t count, words;
  Word* out;

  template <class Number>
  void launch(const Number* last, const target& where) const {
    const std::size_t stored = lines.outer * count * words;
    scatter_words<<<grid_for(stored, indices_of_tile), index_threads, 0, where.stream()>>>(
        values, indices, last, lines, count, words, out);
    check(cudaGetLastError(), "launch of scatter_words");
  }
  template <class Number>
  void launch_last_of_equal(const target& where) const {
    const memory storage(lines.length * sizeof(Number), where);
    auto* const last = static_cast<Number*>(storage.data());
    check(cudaMemsetAsync(last, 0, storage.bytes(), where.stream()), "cudaMemsetAsync");
    find_last_of_equal<<<grid_for(count, indices_of_tile), index_threads, 0, where.stream()>>>(indices, count,
                                                                                               last);
    check(cudaGetLastError(), "launch of find_last_of_equal");
    launch(last, where);
  }
  void operator()(bool repeats, const target& where) const {
    if (!repeats) return launch<std::uint32_t>(nullptr, where);
    if (count < std::numeric_limits<std::uint32_t>::max()) return launch_last_of_equal<std::uint32_t>(where);
    launch_last_of_equal<unsigned long long>(where);
  }
};

/// Scatters to indices that are far apart: first brings those together that are near, by one pass of a radix
/// sort, which keeps the order of equal indices.
template <class Word, class Index>
void scatter_in_parts(const scatter_call<Word, Index>& call, bool repeats, const target& where) {
  constexpr int digit_bits = 8;
  const std::size_t n = call.count;
  const memory keys_memory((sizeof(Index) == 4 ? 1 : 2) * n * sizeof(std::uint32_t), where),
      values_memory(n * sizeof(Word), where);
  auto* const keys = static_cast<std::uint32_t*>(keys_memory.data());
  auto* const values = static_cast<Word*>(values_memory.data());
  const std::uint32_t* unsorted;
  if constexpr (sizeof(Index) == 4) {
    unsorted = call.indices;
  } else {
    transform(where, index_in_32_bits<Index>{call.indices}, n, keys + n);
    unsorted = keys + n;
  }
  const int bits = static_cast<int>(std::bit_width(call.lines.length - 1));
  radix_partition_pairs(unsorted, keys, call.values, values, n, std::max(bits - digit_bits, 0), bits, where);
  scatter_call<Word, std::uint32_t>{values, keys, call.lines, n, 1, call.out}(repeats, where);
}

/// Returns the first index outside, or the number of indices once everything is on its way.
template <class Index>
std::size_t scatter(void* out, const axis_lines& lines, std::size_t block_bytes, const Index* indices,
                    std::size_t count, std::uint64_t limit, const void* values, const target& where) {
  const index_survey known = survey(indices, count, limit, where);
  if (known.outside < count) return known.outside;
  const bool repeats = known.different < count;
  const bool are_far = count / indices_of_thread / 4 < known.far && lines.length <= std::size_t{1} << 32;
  with_word(block_bytes, values, out, [&]<class Word>(Word) {
    const scatter_call<Word, Index> call{
        static_cast<const Word*>(values), indices, lines, count, block_bytes / sizeof(Word),
        static_cast<Word*>(out)};
    if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8) {
      if (are_far && lines.outer == 1 && call.words == 1) return scatter_in_parts(call, repeats, where);
    }
    call(repeats, where);
  });
  return count;
}

}  // namespace

std::size_t first_index_outside(const impl::index_list& indices, std::uint64_t limit, const target& where) {
  const current_device on(where);
  const least_index outside(indices.count, where);
  with_indices(indices, [&]<class Index>(const Index* index) {
    find_index_outside<<<grid_for(indices.count, indices_of_tile), index_threads, 0, where.stream()>>>(
        index, indices.count, limit, outside.on_gpu());
    check(cudaGetLastError(), "launch of find_index_outside");
  });
  return outside.get();
}

void gather(const void* x, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
            void* out, const target& where) {
  const std::size_t blocks = lines.outer * indices.count;
  with_word(block_bytes, x, out, [&]<class Word>(Word) {
    const std::size_t words = block_bytes / sizeof(Word);
    with_indices(indices, [&]<class Index>(const Index* index) {
      const gathered_blocks<Word, Index> f{
          static_cast<const Word*>(x), index, indices.count, lines.length, words, lines.outer == 1};
      transform(where, f, blocks * words, static_cast<Word*>(out));
    });
  });
}

std::size_t gather_and_check(const void* x, std::size_t n, std::size_t element_bytes,
                             const impl::index_list& indices, std::uint64_t limit, void* out,
                             const target& where) {
  const current_device on(where);
  const least_index outside(indices.count, where);
  std::size_t found = indices.count;
  with_word(element_bytes, x, out, [&]<class Word>(Word) {
    if (element_bytes != sizeof(Word)) {
      found = first_index_outside(indices, limit, where);
      if (found == indices.count) gather(x, {1, n, 1}, element_bytes, indices, out, where);
      return;
    }
    with_indices(indices, [&]<class Index>(const Index* index) {
      gather_words<<<grid_for(indices.count, indices_of_tile), index_threads, 0, where.stream()>>>(
          static_cast<const Word*>(x), index, indices.count, limit, outside.on_gpu(),
          static_cast<Word*>(out));
      check(cudaGetLastError(), "launch of gather_words");
    });
    found = outside.get();
  });
  return found;
}

std::size_t scatter(void* out, const axis_lines& lines, std::size_t block_bytes,
                    const impl::index_list& indices, std::uint64_t limit, const void* values,
                    const target& where) {
  const current_device on(where);
  std::size_t outside = 0;
  with_indices(indices, [&]<class Index>(const Index* index) {
    if constexpr (sizeof(Index) >= 4) {
      outside = scatter(out, lines, block_bytes, index, indices.count, limit, values, where);
    } else {
      const memory wide(indices.count * sizeof(std::uint32_t), where);
      auto* const in_32_bits = static_cast<std::uint32_t*>(wide.data());
      transform(where, index_in_32_bits<Index>{index}, indices.count, in_32_bits);
      outside = scatter(out, lines, block_bytes, in_32_bits, indices.count, limit, values, where);
    }
  });
  return outside;
}

}  // namespace heddle::gpu
