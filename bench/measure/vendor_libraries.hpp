#pragma once

#include "session.hpp"

#include <complex>
#include <cstddef>

/// The same work by OpenBLAS, cuBLAS, cuFFT and cuRAND, called directly with handles and plans of their own:
/// none where the library, or its part for the target, is not there.
namespace heddle::measure {

/// c = a·b, of n × n elements, for float and double.
template <class T>
contenders gemm_of_vendor(const session& with, const T* a, const T* b, T* c, std::size_t n,
                          std::function<bool()> is_right);

template <class T>
contenders cufft_forward(const session& with, const std::complex<T>* x, std::complex<T>* out, std::size_t n,
                         std::function<bool()> is_right);

/// By Philox4x32-10, as Heddle's.
template <class T>
contenders curand_uniform(const session& with, T* out, std::size_t n, std::function<bool()> is_right);
template <class T>
contenders curand_normal(const session& with, T* out, std::size_t n, std::function<bool()> is_right);

}  // namespace heddle::measure
