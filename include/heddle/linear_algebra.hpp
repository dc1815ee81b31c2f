#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/linear_algebra/front.hpp>

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
  tiled,  ///< square tiles, in the cache of a CPU or in shared memory of a GPU
};
inline constexpr matmul_algorithm matmul_algorithms[] = {matmul_algorithm::blas, matmul_algorithm::naive,
                                                         matmul_algorithm::tiled};

/// "blas", "naive", "tiled".
const char* name(matmul_algorithm algorithm) noexcept;
/// The algorithm with that name; throws heddle::error listing the names when there is none.
matmul_algorithm parse_matmul_algorithm(std::string_view name);

/// A strided view of a matrix, or of `batches` matrices: element (b, r, c) is data[b·batch_stride +
/// r·row_stride + c·column_stride]. Strides count elements, so a transposed matrix, a part of one and every
/// other row are matrix_views as well. With `is_batch` even a batch of one matrix is an axis of the product.
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

/// A view of the transposed matrix, or matrices, of an array with two or three axes. Copies nothing.
template <impl::matrix_like X>
auto transposed(const X& x) {
  return impl::view_of_matrix(x).transposed();
}

/// The product of matrices, as numpy.matmul. Elements are float, double, std::complex of either, or, in files
/// that nvcc compiles, __half or __nv_bfloat16, which are summed in float and rounded once. a and b are
/// arrays or matrix_views. An array of one axis is a row on the left and a column on the right, an axis that
/// the product then lacks; axes before the last two are batches, and a single matrix is broadcast over a
/// batch. The product is an array of the element type on the target. Sums are in no fixed order, except by
/// `naive` and `tiled`, so bits differ from one target to another. Throws heddle::error naming both shapes
/// where they do not match. 2·m·n·k operations. Asynchronous on a GPU.
///
///     hd::array<float> c = hd::matmul(where, a, b);
///     hd::array<float> gram = hd::matmul(where, hd::transposed(a), a);
template <impl::matrix_like A, impl::matrix_like B>
auto matmul(const target& where, const A& a, const B& b,
            matmul_algorithm algorithm = matmul_algorithm::blas) {
  using T = typename impl::element_of_matrix<A>::type;
  return impl::product<T>(where, impl::product_of(a, b), algorithm);
}

/// The same into `c`, an array of the product's shape; throws heddle::error where it overlaps a or b.
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
