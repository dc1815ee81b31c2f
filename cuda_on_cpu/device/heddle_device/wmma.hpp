#pragma once

/// nvcuda::wmma: products of small matrices by a warp, whose lanes have a share of each (CUDA C++ Programming
/// Guide, warp matrix functions). Which elements a lane has is not specified there; here element p of a
/// matrix by rows is element p / 32 of lane p % 32.

#include <cuda_bf16.h>
#include <heddle_device/names_begin.hpp>
#include <heddle_device/warp.hpp>

namespace nvcuda::wmma {

enum layout_t { mem_row_major, mem_col_major };
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}

namespace heddle_detail {

template <class T>
struct element {
  using type = T;
};
template <>
struct element<precision::tf32> {
  using type = float;
};

template <class Use, int m, int n, int k>
inline constexpr int rows = __is_same(Use, matrix_b) ? k : m;
template <class Use, int m, int n, int k>
inline constexpr int columns = __is_same(Use, matrix_a) ? k : n;

template <int m, int n, int k>
inline constexpr bool is_shape_of_16 =
    k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
template <class Use, int m, int n, int k, class T>
inline constexpr bool is_supported =
    __is_same(Use, accumulator)
        ? ((__is_same(T, float) || __is_same(T, __half) || __is_same(T, int)) && is_shape_of_16<m, n, k>) ||
              (__is_same(T, float) && m == 16 && n == 16 && k == 8) ||
              (__is_same(T, double) && m == 8 && n == 8 && k == 4)
    : __is_same(T, precision::tf32) ? m == 16 && n == 16 && k == 8
    : __is_same(T, double)          ? m == 8 && n == 8 && k == 4
                                    : (__is_same(T, __half) || __is_same(T, __nv_bfloat16) ||
                                       __is_same(T, signed char) || __is_same(T, unsigned char)) &&
                                          is_shape_of_16<m, n, k>;

/// Of half, elements of the factors are there several times.
template <class Use, int m, int n, int k, class T>
inline constexpr int elements_a_lane =
    __is_same(T, __half) && !__is_same(Use, accumulator) ? 16
                                                         : rows<Use, m, n, k> * columns<Use, m, n, k> / 32;

/// All lanes of the warp have to come; `what` says so.
HEDDLE_DEVICE void meet(const char* what) {
  if (heddle_vote(heddle_device::vote_kind::ballot, ~0u, 1, 0) != 0xffffffffu) heddle_misuse(what);
}
HEDDLE_DEVICE unsigned lane() {
  const heddle_device::index3 thread = heddle_thread_index(), size = heddle_block_size();
  return ((thread.z * size.y + thread.y) * size.x + thread.x) % 32;
}
/// Rows begin at multiples of what a lane has of the matrix (PTX ISA, wmma.load).
template <unsigned bytes, class T>
HEDDLE_DEVICE void check_matrix(const T* p, unsigned ldm) {
  if (reinterpret_cast<unsigned long long>(p) % bytes != 0)
    heddle_misuse(bytes == 32   ? "wmma: the address of a matrix has to be a multiple of 32 bytes"
                  : bytes == 16 ? "wmma: the address of a matrix has to be a multiple of 16 bytes"
                                : "wmma: the address of a matrix has to be a multiple of 8 bytes");
  if (ldm * sizeof(T) % 16 != 0)
    heddle_misuse(
        "wmma: the distance of rows or columns has to be a multiple of 16 bytes: 8 of half, 4 of float");
}

}  // namespace heddle_detail

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  static_assert(heddle_detail::is_supported<Use, m, n, k, T>,
                "heddle: wmma has no fragments of this shape and type");
  static_assert(__is_same(Use, accumulator) == __is_same(Layout, void),
                "heddle: factors, and they alone, have a layout");

 public:
  using element_type = T;
  using storage_element_type = typename heddle_detail::element<T>::type;
  static constexpr int num_elements = heddle_detail::elements_a_lane<Use, m, n, k, T>;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

HEDDLE_DEVICE float __float_to_tf32(float a) {
  const unsigned bits = __builtin_bit_cast(unsigned, a);
  if ((bits & 0x7f800000u) == 0x7f800000u) return a;
  return __builtin_bit_cast(float, (bits + 0x1000u) & ~0x1fffu);
}

template <class Use, int m, int n, int k, class T, class Layout, class V>
HEDDLE_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const V& value) {
  for (auto& x : f.x) x = value;
}

namespace heddle_detail {

/// f(element of the lane, place in memory) for each different element.
template <class Use, int m, int n, int k, class F>
HEDDLE_DEVICE void for_each_element(unsigned ldm, bool is_by_rows, F f) {
  constexpr unsigned all = rows<Use, m, n, k> * columns<Use, m, n, k>, width = columns<Use, m, n, k>;
  const unsigned own = lane();
  for (unsigned i = 0; i < all / 32; ++i) {
    const unsigned p = 32 * i + own, row = p / width, column = p % width;
    f(i, is_by_rows ? static_cast<size_t>(row) * ldm + column : static_cast<size_t>(column) * ldm + row);
  }
}
template <class Use, int m, int n, int k, class T, class Layout, class V>
HEDDLE_DEVICE void load(fragment<Use, m, n, k, T, Layout>& f, const V* p, unsigned ldm, bool is_by_rows) {
  meet("wmma: all 32 lanes of a warp load a matrix together");
  check_matrix<sizeof f.x>(p, ldm);
  constexpr unsigned all = rows<Use, m, n, k> * columns<Use, m, n, k>;
  for_each_element<Use, m, n, k>(ldm, is_by_rows, [&](unsigned i, size_t at) __attribute__((always_inline)) {
    const V value = p[at];
    for (unsigned j = i; j < static_cast<unsigned>(f.num_elements); j += all / 32) f.x[j] = value;
  });
}

}  // namespace heddle_detail

template <class Use, int m, int n, int k, class T, class Layout, class V>
HEDDLE_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f, const V* p, unsigned ldm) {
  heddle_detail::load(f, p, ldm, __is_same(Layout, row_major));
}
template <int m, int n, int k, class T, class V>
HEDDLE_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const V* p, unsigned ldm,
                                    layout_t layout) {
  heddle_detail::load(f, p, ldm, layout == mem_row_major);
}
template <int m, int n, int k, class T, class V>
HEDDLE_DEVICE void store_matrix_sync(V* p, const fragment<accumulator, m, n, k, T>& f, unsigned ldm,
                                     layout_t layout) {
  heddle_detail::meet("wmma: all 32 lanes of a warp store a matrix together");
  heddle_detail::check_matrix<sizeof f.x>(p, ldm);
  heddle_detail::for_each_element<accumulator, m, n, k>(
      ldm, layout == mem_row_major,
      [&](unsigned i, size_t at) __attribute__((always_inline)) { p[at] = f.x[i]; });
}

namespace heddle_detail {

/// What a lane shows the others. They are on stacks in the same memory, which nobody watches.
struct shown {
  const void *a, *b;
};
/// Products of half, bfloat16 and tf32 are exact in double; they are added there, and rounded once.
template <class T>
struct sum {
  using type = double;
};
template <>
struct sum<signed char> {
  using type = long long;
};
template <>
struct sum<unsigned char> {
  using type = long long;
};
template <class T, class V>
HEDDLE_DEVICE typename sum<T>::type factor(V value) {
  if constexpr (__is_same(T, precision::tf32)) {
    // The last bits of float are not looked at.
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, value) & ~0x1fffu);
  } else if constexpr (__is_same(T, __half) || __is_same(T, __nv_bfloat16)) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

template <int m, int n, int k, class T, class D, class C>
__attribute__((noinline, no_sanitize("thread"))) inline void multiply(D* d, const C* c, const shown* lanes,
                                                                      unsigned own, bool saturates) {
  using element_type = typename element<T>::type;
  using sum_type = typename sum<T>::type;
  constexpr int count = m * n / 32;
  for (int i = 0; i < count; ++i) {
    const int p = 32 * i + static_cast<int>(own), row = p / n, column = p % n;
    sum_type total = static_cast<sum_type>(c[i]);
    for (int j = 0; j < k; ++j) {
      const int in_a = row * k + j, in_b = j * n + column;
      const auto* const a = static_cast<const element_type*>(lanes[in_a % 32].a);
      const auto* const b = static_cast<const element_type*>(lanes[in_b % 32].b);
      if constexpr (__is_same(T, double)) {
        total = __builtin_fma(a[in_a / 32], b[in_b / 32], total);
      } else {
        total += factor<T>(a[in_a / 32]) * factor<T>(b[in_b / 32]);
      }
    }
    if constexpr (__is_same(D, int)) {
      if (saturates) total = total > 2147483647 ? 2147483647 : total < -2147483648ll ? -2147483648ll : total;
      d[i] = static_cast<int>(static_cast<unsigned>(total));
    } else {
      d[i] = static_cast<D>(total);
    }
  }
}
__attribute__((noinline, no_sanitize("thread"))) inline void show(shown* lanes, unsigned own, const void* a,
                                                                  const void* b) {
  lanes[own] = {a, b};
}

}  // namespace heddle_detail

/// d = a · b + c
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
HEDDLE_DEVICE void mma_sync(fragment<accumulator, m, n, k, D>& d,
                            const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                            const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                            const fragment<accumulator, m, n, k, C>& c, bool saturates = false) {
  constexpr const char* all = "wmma: all 32 lanes of a warp multiply together";
  heddle_detail::shown own_table[32];
  heddle_detail::meet(all);
  // The table is the first lane's, and is there until all have met again.
  auto* const lanes = reinterpret_cast<heddle_detail::shown*>(heddle_shuffle(
      heddle_device::shuffle_kind::indexed, ~0u, reinterpret_cast<unsigned long long>(own_table), 0, 32));
  const unsigned own = heddle_detail::lane();
  heddle_detail::show(lanes, own, a.x, b.x);
  heddle_detail::meet(all);
  fragment<accumulator, m, n, k, D> result;
  heddle_detail::multiply<m, n, k, T>(result.x, c.x, lanes, own, saturates);
  heddle_detail::meet(all);
  d = result;
}

}  // namespace nvcuda::wmma

#include <heddle_device/names_end.hpp>
