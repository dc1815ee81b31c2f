// Compiled once for each instruction set, with HEDDLE_ISA naming it. See patterns/cpu_kernels.cpp.
#include "patterns/sort/cpu_kernels.hpp"

#include "patterns/sort/sortable.hpp"
#include "patterns/sort/vector_sort.hpp"

#if defined(__AVX2__)
namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// Each row of Columns elements, a power of two, by itself: several rows in a register.
template <std::size_t Columns, class Key>
void sort_rows_in_register(const Key* x, std::size_t count, const key_form<Key>& form, Key* out) {
  constexpr std::size_t width = simd<Key>::width;
  if constexpr (Columns <= width) {
    for (std::size_t i = 0; i < count; i += width) {
      const std::size_t here = count - i < width ? count - i : width;
      keys_of<Key> v[1] = {
          key_of(here < width ? load_some(x + i, here, Key{}) : simd<Key>::load(x + i), form)};
      merge_all_columns<Key, 2, Columns>(v);
      if (here < width) {
        store_some<Key>(element_of(v[0], form), here, out + i);
      } else {
        store<Key>(element_of(v[0], form), out + i);
      }
    }
  }
}

template <class Key>
void sort_lines(const Key* x, std::size_t lines, std::size_t n, const key_form<Key>& form,
                between_pieces between, Key* out) {
  constexpr std::size_t width = simd<Key>::width;
  if (n <= width && (n & (n - 1)) == 0) {
    if (n == 1) return sort_rows_in_register<1>(x, lines, form, out);
    if (n == 2) return sort_rows_in_register<2>(x, lines * n, form, out);
    if (n == 4) return sort_rows_in_register<4>(x, lines * n, form, out);
    if (n == 8) return sort_rows_in_register<8>(x, lines * n, form, out);
    return sort_rows_in_register<16>(x, lines * n, form, out);
  }
  for (std::size_t line = 0; line < lines; ++line) {
    const Key* const from = x + line * n;
    Key* const to = out + line * n;
    if (n <= few_keys<Key>) {
      sort_few<Key, true>(from, n, form, to);
    } else {
      make_keys(from, n, form, to);
      vector_sort(to, n, form, between);
    }
  }
}

void pair_with_indices(dtype type, const void* x, std::size_t n, std::uint32_t first, bool descending,
                       std::int64_t* keys) {
  impl::with_ordered_type(type, [&]<class T>(T) __attribute__((always_inline)) {
    if constexpr (sizeof(T) <= 4) {
      constexpr std::uint32_t sign = std::uint32_t{1} << 31;
      constexpr unsigned unused = 32 - 8 * sizeof(T);
      const T* const from = static_cast<const T*>(x);
      const std::uint32_t flip = descending ? ~sign : sign;
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t key = (std::uint32_t{impl::to_key(from[i])} << unused) ^ flip;
        keys[i] =
            static_cast<std::int64_t>(std::uint64_t{key} << 32 | (first + static_cast<std::uint32_t>(i)));
      }
    }
  });
}

/// Calls f(i ↦ key) for elements of 8 bytes. Equal elements have equal keys.
template <class F>
HEDDLE_ALWAYS_INLINE void with_long_keys(dtype type, const void* x, bool descending, const F& f) {
  const std::uint64_t flip = descending ? ~std::uint64_t{0} : 0;
  impl::with_ordered_type(type, [&]<class T>(T) __attribute__((always_inline)) {
    if constexpr (sizeof(T) == 8) {
      f([from = static_cast<const T*>(x), flip](std::size_t i)
            __attribute__((always_inline)) { return std::uint64_t{impl::to_key(from[i])} ^ flip; });
    }
  });
}

void pair_shortened(dtype type, const void* x, std::size_t n, std::uint64_t first, bool descending,
                    const short_keys& shortened, std::int64_t* keys) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  with_long_keys(type, x, descending, [&](const auto& key_at) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t key = (key_at(i) - shortened.least) >> shortened.shift;
      keys[i] = static_cast<std::int64_t>((key << shortened.index_bits | (first + i)) ^ sign);
    }
  });
}

void range_of_keys(dtype type, const void* x, std::size_t n, bool descending, std::uint64_t* least,
                   std::uint64_t* greatest) {
  with_long_keys(type, x, descending, [&](const auto& key_at) __attribute__((always_inline)) {
    std::uint64_t low = key_at(0), high = low;
    for (std::size_t i = 1; i < n; ++i) {
      const std::uint64_t key = key_at(i);
      low = key < low ? key : low;
      high = high < key ? key : high;
    }
    *least = low;
    *greatest = high;
  });
}

template <class Key>
constexpr sort_kernels<Key> sort_kernels_of() {
  return {sort_lines<Key>, make_keys<Key>, vector_sort<Key>, split_keys<false, Key>};
}

constexpr all_sort_kernels kernels{sort_kernels_of<std::int32_t>(), sort_kernels_of<std::int64_t>(),
                                   pair_with_indices, pair_shortened, range_of_keys};

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_OF_ISA(isa, name) HEDDLE_JOIN(isa, name)

const all_sort_kernels* HEDDLE_OF_ISA(HEDDLE_ISA, _sort_kernels)() {
  return &kernels;
}

}  // namespace heddle::cpu
#endif
