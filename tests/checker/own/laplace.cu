#include "laplace/gpu_kernels.cuh"

// The kernels of Laplace's methods, behind kernels that take plain arguments:
// tests/checker/own_simulations_test.py.

using namespace heddle::laplace;
using namespace heddle::laplace::gpu;

/// `numbers` is across and down.
template <class T>
__device__ grid<T> grid_of(long long width, long long height, long long pitch, const T* numbers) {
  return {width, height, pitch, numbers[0], numbers[1], 1};
}

#define JACOBI(NAME, T, SWEEPS, SQUARE, HAS_SOURCE)                                                          \
  __global__ void jacobi_##NAME(const T* u, const T* g, T* v, long long width, long long height,             \
                                long long pitch, const T* numbers, unsigned panels, unsigned chunks) {       \
    jacobi_sweeps<T, SWEEPS, SQUARE, HAS_SOURCE>(                                                            \
        {width, height, pitch, panels, chunks, (height + chunks - 1) / chunks}, {numbers[0], numbers[1]}, u, \
        g, v);                                                                                               \
  }
JACOBI(eight, float, 8, true, false)
JACOBI(four, float, 4, false, true)
JACOBI(two, double, 2, false, false)
JACOBI(one, double, 1, true, true)

template <class T>
struct transfer_arrays {
  const int *below, *first, *count;
  const T *above, *weights;
  __device__ transfer_view<T> view() const { return {below, above, first, count, weights}; }
};

#define RELAX(NAME, T, SWEEPS, SQUARE, HAS_SOURCE, HAS_U, HAS_CORRECTION)                                  \
  __global__ void relax_##NAME(const T* u, const T* g, T* v, long long width, long long height,            \
                               long long pitch, const T* numbers, const T* coarse, long long coarse_pitch, \
                               const int* left, const T* right, const int* low, const T* high) {           \
    const transfer_arrays<T> across{left, nullptr, nullptr, right, nullptr},                               \
        down{low, nullptr, nullptr, high, nullptr};                                                        \
    relax_tiles<T, SWEEPS, SQUARE, HAS_SOURCE>(                                                            \
        grid_of(width, height, pitch, numbers), {numbers[0], numbers[1]}, HAS_U ? u : nullptr,             \
        {HAS_CORRECTION ? coarse : nullptr, coarse_pitch, across.view(), down.view()}, g, v,               \
        static_cast<unsigned>((width + relax_width - 1) / relax_width), {1, height - 1});                  \
  }
RELAX(all, float, 2, false, true, true, true)
RELAX(plain, double, 1, true, false, true, false)
RELAX(correction, double, 4, true, true, false, true)

#define RESTRICT(NAME, T, SQUARE)                                                                         \
  __global__ void restrict_##NAME(                                                                        \
      const T* u, bool has_u, const T* g, bool has_g, long long width, long long height, long long pitch, \
      const T* numbers, T* coarse_g, long long coarse_width, long long coarse_height,                     \
      long long coarse_pitch, const int* first_column, const int* columns, const T* of_columns,           \
      const int* first_row, const int* rows, const T* of_rows, T scale, ordered_bits<T>* most) {          \
    const transfer_arrays<T> across{nullptr, first_column, columns, nullptr, of_columns},                 \
        down{nullptr, first_row, rows, nullptr, of_rows};                                                 \
    restrict_tiles<T, SQUARE>(                                                                            \
        grid_of(width, height, pitch, numbers), {numbers[0], numbers[1]}, has_u ? u : nullptr,            \
        has_g ? g : nullptr, grid_of(coarse_width, coarse_height, coarse_pitch, numbers), coarse_g,       \
        across.view(), down.view(), scale,                                                                \
        static_cast<unsigned>((coarse_width - 2 + coarse_tile_width - 1) / coarse_tile_width),            \
        {1, coarse_height - 1}, most);                                                                    \
  }
RESTRICT(float, float, true)
RESTRICT(double, double, false)

__global__ void residual(const float* u, const float* g, long long width, long long height, long long pitch,
                         const float* numbers, unsigned* most) {
  residual_of_rows<float, false>(grid_of(width, height, pitch, numbers), {numbers[0], numbers[1]}, u, g,
                                 {1, height - 1}, most);
}
