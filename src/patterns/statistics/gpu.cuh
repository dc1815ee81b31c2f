#pragma once

#include "patterns/statistics/sum_type.hpp"
#include <heddle/impl/core/order.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>

/// What sums for mean and variance read on the GPU, and what becomes of the sums.
namespace heddle::gpu {

/// i ↦ x[i] in double or complex<double>.
template <class T>
struct wide_at {
  const T* elements;  // `x` is what reduce reads by itself
  __device__ impl::sum_type<T> operator()(std::size_t i) const { return impl::as_sum_type(elements[i]); }
};

/// i ↦ |x[i] − the centre of its segment|².
template <class T>
struct squared_deviation_at {
  const T* elements;
  const impl::sum_type<T>* centres;
  axis_lines all;

  __device__ std::size_t segment_of(std::size_t i) const {
    if (all.count() == 1) return 0;
    if (all.elements() <= 0xffffffff) {
      // Divisions of 64 bits take several times as long.
      const auto place = static_cast<std::uint32_t>(i), inner = static_cast<std::uint32_t>(all.inner);
      const std::uint32_t row = inner == 1 ? place : place / inner;
      return row / static_cast<std::uint32_t>(all.length) * inner + (place - row * inner);
    }
    const std::size_t row = all.inner == 1 ? i : i / all.inner;
    return row / all.length * all.inner + (i - row * all.inner);
  }
  __device__ double operator()(std::size_t i) const {
    return impl::squared_deviation(elements[i], centres[segment_of(i)]);
  }
};

/// i ↦ sums[i] / divisor.
template <class T>
struct quotient_at {
  const double* sums;
  double divisor;
  __device__ T operator()(std::size_t i) const { return order::canonical(static_cast<T>(sums[i] / divisor)); }
};

/// i ↦ whether the bits of x[i] are not all 0.
template <class T>
struct is_nonzero_at {
  const T* x;
  __device__ bool operator()(std::size_t i) const { return x[i] != 0; }
};

}  // namespace heddle::gpu
