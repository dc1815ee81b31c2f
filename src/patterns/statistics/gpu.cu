#include "core/unsigned_of_bytes.hpp"
#include "patterns/statistics/gpu.cuh"
#include "patterns/statistics/gpu.hpp"
#include <heddle/impl/patterns/reduce/gpu/reduce.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <cstdint>
#include <type_traits>

namespace heddle::gpu {
namespace {

/// Calls f with an element of the type that is stored: a bool is a byte.
template <class F>
void with_stored_type(dtype type, const F& f) {
  with_type(type, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      f(std::uint8_t{});
    } else {
      f(T{});
    }
  });
}

/// Sums of each of `all` segments of load(0), load(1), …. A thread takes a short row, as it does a short
/// column, where reduce would take a warp.
template <class T, class Load>
void sum(const target& where, const Load& load, const axis_lines& all, T* out) {
  if (all.inner > 1 || all.count() == 1 || all.length > reduce_tuning<T, plus>::short_column)
    return reduce<T>(where, load, plus(), all, out);
  const current_device on(where);
  reduce_tiles_of_columns(where, load, plus(), all, out);
}

}  // namespace

void wide_sums(dtype type, const void* x, axis_lines all, void* sums, const target& where) {
  with_stored_type(type, [&]<class T>(T) {
    using sum_type = impl::sum_type<T>;
    // What need not be widened is summed by `reduce`.
    if constexpr (!std::is_same_v<T, sum_type>)
      sum(where, wide_at<T>{static_cast<const T*>(x)}, all, static_cast<sum_type*>(sums));
  });
}

void sum_squared_deviations(dtype type, const void* x, axis_lines all, const void* centres, double* sums,
                            const target& where) {
  with_stored_type(type, [&]<class T>(T) {
    const squared_deviation_at<T> at{static_cast<const T*>(x), static_cast<const impl::sum_type<T>*>(centres),
                                     all};
    sum(where, at, all, sums);
  });
}

void divide(const double* sums, std::size_t count, double divisor, bool narrow, void* out,
            const target& where) {
  if (narrow) {
    transform(where, quotient_at<float>{sums, divisor}, count, static_cast<float*>(out));
  } else {
    transform(where, quotient_at<double>{sums, divisor}, count, static_cast<double*>(out));
  }
}

void are_nonzero(const void* x, std::size_t element_bytes, std::size_t count, bool* out,
                 const target& where) {
  impl::with_unsigned_of_bytes(element_bytes, [&]<class Bits>(Bits) {
    transform(where, is_nonzero_at<Bits>{static_cast<const Bits*>(x)}, count, out);
  });
}

}  // namespace heddle::gpu
