#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/overlap.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace heddle {

enum class matmul_algorithm : std::uint8_t;
template <class T>
struct matrix_view;

}  // namespace heddle

namespace heddle::impl {

enum class matrix_type : std::uint8_t { float32, float64, complex64, complex128, float16, bfloat16, none };

template <class T>
inline constexpr matrix_type matrix_type_of = matrix_type::none;
template <>
inline constexpr matrix_type matrix_type_of<float> = matrix_type::float32;
template <>
inline constexpr matrix_type matrix_type_of<double> = matrix_type::float64;
template <>
inline constexpr matrix_type matrix_type_of<std::complex<float>> = matrix_type::complex64;
template <>
inline constexpr matrix_type matrix_type_of<std::complex<double>> = matrix_type::complex128;
#if defined(__CUDACC__)
template <>
inline constexpr matrix_type matrix_type_of<__half> = matrix_type::float16;
template <>
inline constexpr matrix_type matrix_type_of<__nv_bfloat16> = matrix_type::bfloat16;
#endif

constexpr std::size_t element_bytes_of(matrix_type type) noexcept {
  constexpr std::size_t bytes[] = {4, 8, 8, 16, 2, 2};
  return bytes[static_cast<int>(type)];
}

/// A matrix_view without its element type.
struct matrix_operand {
  const void* data;
  std::size_t rows, columns, row_stride, column_stride, batches, batch_stride;
  target where;
};

/// The shape of a product, and its operands as matrices.
struct product_shape {
  shape whole;
  matrix_operand a, b;
};
/// As numpy.matmul: matrices along the last two axes; an operand of one axis is a row, or a column, which the
/// product then lacks; one of two axes is broadcast over the matrices of the other. Throws naming both
/// shapes.
product_shape shape_of_product(const shape& a, const shape& b);
[[noreturn]] void fail_output_shape(const shape& have, const shape& product);
[[noreturn]] void fail_product(const matrix_operand& a, const matrix_operand& b);

/// Fills `c`, which is on `where` in C order, with the product of a and b, which may be on any target.
void library_matmul(matrix_type type, const matrix_operand& a, const matrix_operand& b, void* c,
                    const target& where, matmul_algorithm algorithm);

/// Throws when the bytes of the output overlap what lies between the first and the last element of an
/// operand.
void check_apart(const matrix_operand& m, std::size_t element_bytes, const void* c, std::size_t bytes,
                 const target& c_where);

/// The target that `automatic` picks for a product, from its operations and its memory traffic.
target matmul_target(const target& requested, const matrix_operand& a, const matrix_operand& b,
                     std::size_t element_bytes);

template <class T>
matrix_operand operand(const matrix_view<T>& m) {
  return {m.data, m.rows, m.columns, m.row_stride, m.column_stride, m.batches, m.batch_stride, m.where};
}

template <class T>
inline constexpr bool is_matrix_view = false;
template <class T>
inline constexpr bool is_matrix_view<matrix_view<T>> = true;

template <class X>
struct element_of_matrix {
  using type = element_of<X>;
};
template <class T>
struct element_of_matrix<matrix_view<T>> {
  using type = T;
};

template <class X>
concept matrix_like = array_like<X> || is_matrix_view<std::remove_cvref_t<X>>;

template <class T>
array<T> product(const target& requested, const product_shape& of, matmul_algorithm algorithm) {
  operation running("matmul", of.whole.elements(), type_name<T>());
  const target where = matmul_target(requested, of.a, of.b, sizeof(T));
  running.runs_on(where);
  array<T> c(of.whole, where);
  library_matmul(matrix_type_of<T>, of.a, of.b, c.data(), where, algorithm);
  return c;
}
template <class T>
void product_into(const target& requested, const elements<T>& c, const shape& lengths,
                  const product_shape& of, matmul_algorithm algorithm) {
  operation running("matmul", of.whole.elements(), type_name<T>());
  if (!(lengths == of.whole)) fail_output_shape(lengths, of.whole);
  for (const matrix_operand& m : {of.a, of.b}) check_apart(m, sizeof(T), c.data, c.size * sizeof(T), c.where);
  const target where = matmul_target(requested, of.a, of.b, sizeof(T));
  running.runs_on(where);
  staged_output<T> staged(c, where);
  library_matmul(matrix_type_of<T>, of.a, of.b, staged.data(), where, algorithm);
  staged.deliver();
}

/// A matrix_view of an array of two axes, or of three, which are a batch.
template <class X>
auto view_of_matrix(const X& x) {
  if constexpr (is_matrix_view<X>) {
    return x;
  } else {
    const auto in = input(x);
    const shape lengths = shape_of(x);
    if (lengths.axes() != 2 && lengths.axes() != 3) fail_axes("matrix", 2, lengths);
    const bool batch = lengths.axes() == 3;
    const std::size_t rows = lengths[batch ? 1 : 0], columns = lengths[batch ? 2 : 1];
    return matrix_view<element_of<X>>{in.data,        rows,     columns, columns, 1, batch ? lengths[0] : 1,
                                      rows * columns, in.where, batch};
  }
}

/// The operands of a product, after checks.
template <class A, class B>
product_shape product_of(const A& a, const B& b) {
  using T = typename element_of_matrix<A>::type;
  static_assert(std::is_same_v<T, typename element_of_matrix<B>::type>,
                "matmul: both matrices have elements of one type");
  static_assert(matrix_type_of<T> != matrix_type::none,
                "matmul: elements are float, double or std::complex of these; in a file that nvcc compiles "
                "__half and __nv_bfloat16 too");
  if constexpr (array_like<A> && array_like<B>) {
    product_shape of = shape_of_product(shape_of(a), shape_of(b));
    const auto in_a = input(a), in_b = input(b);
    of.a.data = in_a.data;
    of.a.where = in_a.where;
    of.b.data = in_b.data;
    of.b.where = in_b.where;
    return of;
  } else {
    const auto m = view_of_matrix(a), n = view_of_matrix(b);
    const std::size_t batches = m.batches == 1 ? n.batches : m.batches;
    product_shape of{shape{batches, m.rows, n.columns}, operand(m), operand(n)};
    if (m.columns != n.rows || (m.batches != n.batches && m.batches != 1 && n.batches != 1))
      fail_product(of.a, of.b);
    if (batches == 1 && !m.is_batch && !n.is_batch) of.whole = shape{m.rows, n.columns};
    return of;
  }
}

}  // namespace heddle::impl
