#include "cuda/gpu.hpp"
#include "storage.hpp"
#include <heddle/cuda/transform.cuh>
#include <heddle/elementwise.hpp>

namespace heddle::cuda {
namespace {

/// An operand that is an array or one element for all: which one is known at run time, and costs no second
/// kernel.
template <class T>
struct operand {
  const T* x;
  T constant;
  __device__ T operator()(std::size_t i) const { return x != nullptr ? x[i] : constant; }
};

template <class T, class Op>
struct mapped {
  operand<T> x, y;
  Op op;
  __device__ T operator()(std::size_t i) const { return op(x(i), y(i)); }
};

template <class T>
operand<T> operand_of(const void* data, bool is_constant) {
  const T* const x = static_cast<const T*>(data);
  if (is_constant) return {nullptr, *x};
  return {x, T()};
}

/// Finds, for each segment, the least k whose element equals the segment's extremum. `place` holds the
/// segment's length or more before. All threads stop looking where an earlier place has been found.
template <class T>
__global__ void __launch_bounds__(transform_threads)
    find_first_equal(const T* x, segments all, const T* extremum, unsigned long long* place) {
  const std::size_t count = all.elements();
  for (std::size_t i = std::size_t{blockIdx.x} * transform_threads + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * transform_threads) {
    const std::size_t row = i / all.inner;
    const std::size_t outer = row / all.length;
    const unsigned long long k = row - outer * all.length;
    const std::size_t segment = outer * all.inner + (i - row * all.inner);
    const T wanted = extremum[segment], element = x[i];
    if (!(element == wanted || (wanted != wanted && element != element))) continue;
    if (k < *static_cast<volatile unsigned long long*>(place + segment)) atomicMin(place + segment, k);
  }
}

}  // namespace

void map(detail::function f, dtype type, const void* x, bool x_is_constant, const void* y, bool y_is_constant,
         std::size_t count, void* out, const target& where) {
  detail::with_storage<detail::family::all>(type, f, [&]<class T, class Op>(detail::type_tag<T>, Op op) {
    transform(where, mapped<T, Op>{operand_of<T>(x, x_is_constant), operand_of<T>(y, y_is_constant), op},
              count, static_cast<T*>(out));
  });
}

void find_first(dtype type, const void* x, segments all, const void* extremum, std::size_t* place,
                const target& where) {
  const current_device on(where);
  check(cudaMemsetAsync(place, 0xff, all.count() * sizeof *place, where.stream()), "cudaMemsetAsync");
  detail::with_storage<detail::family::order>(
      type, detail::function::minimum, [&]<class T, class Op>(detail::type_tag<T>, Op) {
        const unsigned grid = grid_for(all.elements(), std::size_t{transform_threads} * 8);
        find_first_equal<<<grid, transform_threads, 0, where.stream()>>>(
            static_cast<const T*>(x), all, static_cast<const T*>(extremum),
            reinterpret_cast<unsigned long long*>(place));
        check(cudaGetLastError(), "launch of find_first_equal");
      });
}

}  // namespace heddle::cuda
