#pragma once

#include <heddle/any_array.hpp>
#include <heddle/impl/core/any_view_of.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/operators.hpp>

#include <complex>
#include <cstddef>
#include <type_traits>

namespace heddle {

template <class T>
struct minmax_result;

}  // namespace heddle

namespace heddle::impl {

/// The type that mean and variance add elements in.
inline dtype sum_dtype(dtype type) {
  return type >= dtype::complex64 ? dtype::complex128 : dtype::float64;
}

/// The types of a mean and of a variance of elements.
inline dtype mean_dtype(dtype type) {
  return type < dtype::float32 ? dtype::float64 : type;
}
inline dtype variance_dtype(dtype type) {
  if (type == dtype::complex64) return dtype::float32;
  return type == dtype::complex128 ? dtype::float64 : mean_dtype(type);
}

/// Sums of each of `all` segments of x in double, or in complex<double>; all arrays are on `where`.
void library_sums(dtype type, const void* x, axis_lines all, void* sums, const target& where);

inline bool has_float_parts(dtype type) {
  return type == dtype::float32 || type == dtype::complex64;
}
/// out[i] = sums[i] / divisor, as float if `is_float` and else as double; both are on `where`.
void library_divide(const double* sums, std::size_t count, double divisor, bool is_float, void* out,
                    const target& where);

/// The means and the variances of each of `all` segments of x, which have elements, as the patterns below
/// say.
void library_mean(dtype type, const void* x, axis_lines all, void* out, const target& where);
void library_variance(dtype type, const void* x, axis_lines all, std::size_t ddof, void* out,
                      const target& where);

/// The smallest and the largest element of each of `all` segments of x, which have elements.
void library_minmax(dtype type, const void* x, axis_lines all, void* smallest, void* largest,
                    const target& where);

template <class T>
struct statistics_of {
  using mean = std::conditional_t<std::is_integral_v<T>, double, T>;
  using variance = mean;
};
template <class T>
struct statistics_of<std::complex<T>> {
  using mean = std::complex<T>;
  using variance = T;
};

/// One value of all elements of x, or of each line along an axis.
any_array mean_along(const target& requested, const any_const_view& x, const axis* along_axis);
any_array variance_along(const target& requested, const any_const_view& x, const axis* along_axis,
                         std::size_t ddof);
minmax_result<any_array> minmax_along(const target& requested, const any_const_view& x,
                                      const axis* along_axis);

/// Elements of a built-in type.
template <class X>
concept numbers = array_like<X> && has_dtype<element_of<X>>;

/// Those that have an order: all but complex ones.
template <class X>
concept numbers_in_order = numbers<X> && library_has<element_of<X>, minimum>();

}  // namespace heddle::impl
