#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/linear_algebra.hpp>
#include <heddle/impl/misuse.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace heddle {

/// The methods of `matmul`: the default, and two textbook methods.
enum class matmul_algorithm : std::uint8_t {
  blas,   ///< the default: OpenBLAS on a CPU, cuBLAS on a GPU
  naive,  ///< each element of the product by itself: a thread an element on a GPU
  tiled,  ///< square tiles that stay near the processor: in shared memory on a GPU
};
inline constexpr matmul_algorithm matmul_algorithms[] = {matmul_algorithm::blas, matmul_algorithm::naive,
                                                         matmul_algorithm::tiled};

/// "blas", "naive", "tiled".
const char* name(matmul_algorithm algorithm) noexcept;
/// The algorithm with that name; throws heddle::error listing the names when there is none.
matmul_algorithm parse_matmul_algorithm(std::string_view name);

/// A matrix of somebody else's elements, or as many as `batches`: element (b, r, c) is
/// data[b·batch_stride + r·row_stride + c·column_stride]. So a transposed matrix, a part of one and every
/// other row are matrices as well. Strides count elements. A batch of one matrix is an axis of the product
/// where `is_batch` says so, as one of several is.
template <class T>
struct matrix_view {
  const T* data = nullptr;
  std::size_t rows = 0, columns = 0;
  std::size_t row_stride = 0, column_stride = 1;
  std::size_t batches = 1, batch_stride = 0;
  target where = {};
  bool is_batch = false;

  matrix_view transposed() const {
    return {data, columns, rows, column_stride, row_stride, batches, batch_stride, where, is_batch};
  }
  /// Rows first_row … last_row − 1 and columns first_column … last_column − 1.
  matrix_view part(std::size_t first_row, std::size_t last_row, std::size_t first_column,
                   std::size_t last_column) const {
    if (last_row > rows) impl::fail_index("part", last_row, rows);
    if (last_column > columns) impl::fail_index("part", last_column, columns);
    if (first_row > last_row) impl::fail_range("part", first_row, last_row);
    if (first_column > last_column) impl::fail_range("part", first_column, last_column);
    matrix_view result = *this;
    result.data += first_row * row_stride + first_column * column_stride;
    result.rows = last_row - first_row;
    result.columns = last_column - first_column;
    return result;
  }
};

/// The transposed matrix, or matrices, of an array of two or three axes: no element moves.
template <impl::matrix_like X>
auto transposed(const X& x) {
  return impl::view_of_matrix(x).transposed();
}

/// The product of matrices, as numpy.matmul, of float, double, std::complex of both, and in files that nvcc
/// compiles __half and __nv_bfloat16, which are summed in float and rounded once. a and b are arrays or
/// matrix_views; more axes than two are batches, and a single matrix goes with every one of a batch. The
/// product lives on the target. Sums are in no fixed order, but for `naive` and `tiled`, so bits
/// differ from one target to another. heddle::error names both shapes where they do not fit. 2·m·n·k
/// operations; asynchronous on a GPU.
///
///     hd::array<float> c = hd::matmul(where, a, b);
///     hd::array<float> gram = hd::matmul(where, hd::transposed(a), a);
template <impl::matrix_like A, impl::matrix_like B>
auto matmul(const target& where, const A& a, const B& b,
            matmul_algorithm algorithm = matmul_algorithm::blas) {
  using T = typename impl::element_of_matrix<A>::type;
  return impl::product<T>(where, impl::product_of(a, b), algorithm);
}

/// The same into `c`, an array of the product's shape; heddle::error where it overlaps a or b.
template <array_like C, impl::matrix_like A, impl::matrix_like B>
void matmul_into(const target& where, C&& c, const A& a, const B& b,
                 matmul_algorithm algorithm = matmul_algorithm::blas) {
  static_assert(std::is_same_v<element_of<C>, typename impl::element_of_matrix<A>::type>,
                "matmul: the product has elements of the matrices' type");
  impl::product_into(where, impl::output(c), impl::shape_of(c), impl::product_of(a, b), algorithm);
}

HD_EXPLAIN_MISUSE(matmul)
HD_EXPLAIN_MISUSE(matmul_into)

}  // namespace heddle
