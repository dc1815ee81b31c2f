#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/operators.hpp>

#include <complex>
#include <type_traits>

/// Mean and variance convert an element before they add it: to the same bits on a CPU and on a GPU.
namespace heddle::impl {

/// The type in which elements of T are summed.
template <class T>
using sum_type = std::conditional_t<is_complex<T>, std::complex<double>, double>;

template <class T>
HD_INLINE sum_type<T> as_sum_type(T x) {
  if constexpr (is_complex<T>) {
    // Code that runs on a GPU cannot call the constructor.
    order::uninitialized<sum_type<T>, 1> z;
    return complex_like(z[0], static_cast<double>(part(x, 0)), static_cast<double>(part(x, 1)));
  } else {
    return static_cast<double>(x);
  }
}

/// |x − centre|².
template <class T>
HD_INLINE double squared_deviation(T x, sum_type<T> centre) {
  if constexpr (is_complex<T>) {
    const double re = rounded_sum(static_cast<double>(part(x, 0)), -part(centre, 0));
    const double im = rounded_sum(static_cast<double>(part(x, 1)), -part(centre, 1));
    return rounded_sum(rounded_product(re, re), rounded_product(im, im));
  } else {
    const double distance = rounded_sum(static_cast<double>(x), -centre);
    return rounded_product(distance, distance);
  }
}

}  // namespace heddle::impl
