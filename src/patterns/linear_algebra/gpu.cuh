#pragma once

#include <cstddef>
#include <type_traits>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

/// The kernels of matmul.
namespace heddle::gpu {

// Elements as kernels see them, and the type that their products are summed in.
struct complex_float {
  float real, imaginary;
};
struct complex_double {
  double real, imaginary;
};
template <class T>
struct summed_in {
  using type = T;
};
template <>
struct summed_in<__half> {
  using type = float;
};

template <class T>
using sum_of = typename summed_in<T>::type;

template <class S, class T>
__device__ S widened(const T& x) {
  if constexpr (std::is_same_v<S, T>) {
    return x;
  } else {
    return static_cast<float>(x);
  }
}
template <class T, class S>
__device__ T narrowed(const S& x) {
  if constexpr (std::is_same_v<S, T>) {
    return x;
  } else {
    return T(x);
  }
}

template <class S>
__device__ void add_product(S& sum, const S& a, const S& b) {
  if constexpr (std::is_same_v<S, float>) {
    sum = __fmaf_rn(a, b, sum);
  } else if constexpr (std::is_same_v<S, double>) {
    sum = __fma_rn(a, b, sum);
  } else {
    add_product(sum.real, a.real, b.real);
    add_product(sum.real, -a.imaginary, b.imaginary);
    add_product(sum.imaginary, a.real, b.imaginary);
    add_product(sum.imaginary, a.imaginary, b.real);
  }
}

template <class T>
struct matrix {
  const T* data;
  std::size_t rows, columns, row_stride, column_stride, batch_stride;
  __device__ const T& at(std::size_t batch, std::size_t r, std::size_t c) const {
    return data[batch * batch_stride + r * row_stride + c * column_stride];
  }
};

inline constexpr unsigned side = 32;

/// Products are counted tile by tile; blocks go on in strides of the grid.
template <class Visit>
__device__ void visit_tiles(std::size_t rows, std::size_t columns, std::size_t batches, const Visit& visit) {
  const std::size_t down = (rows + side - 1) / side, across = (columns + side - 1) / side;
  for (std::size_t t = blockIdx.x; t < batches * down * across; t += gridDim.x)
    visit(t / (down * across), t / across % down * side, t % across * side);
}

/// A thread an element.
template <class T>
__global__ void __launch_bounds__(side* side) naive(matrix<T> a, matrix<T> b, std::size_t batches, T* c) {
  using S = sum_of<T>;
  visit_tiles(a.rows, b.columns, batches, [&](std::size_t batch, std::size_t row, std::size_t column) {
    const std::size_t r = row + threadIdx.y, j = column + threadIdx.x;
    if (r >= a.rows || j >= b.columns) return;
    S sum{};
    for (std::size_t k = 0; k < a.columns; ++k)
      add_product(sum, widened<S>(a.at(batch, r, k)), widened<S>(b.at(batch, k, j)));
    c[(batch * a.rows + r) * b.columns + j] = narrowed<T>(sum);
  });
}

/// A block takes a tile of the product through tiles of a and b in shared memory. What lies beyond the edges
/// of a matrix is zero.
template <class T>
__global__ void __launch_bounds__(side* side) tiled(matrix<T> a, matrix<T> b, std::size_t batches, T* c) {
  using S = sum_of<T>;
  // A column more, so that columns of a are in different banks.
  __shared__ T of_a[side][side + 1], of_b[side][side + 1];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  // Neighbours load neighbours, also where those are rows.
  const bool a_by_rows = a.column_stride <= a.row_stride, b_by_rows = b.column_stride <= b.row_stride;
  visit_tiles(a.rows, b.columns, batches, [&](std::size_t batch, std::size_t row, std::size_t column) {
    S sum{};
    for (std::size_t inner = 0; inner < a.columns; inner += side) {
      const unsigned ar = a_by_rows ? y : x, ac = a_by_rows ? x : y;
      const unsigned br = b_by_rows ? y : x, bc = b_by_rows ? x : y;
      const bool in_a = row + ar < a.rows && inner + ac < a.columns;
      const bool in_b = inner + br < a.columns && column + bc < b.columns;
      of_a[ar][ac] = in_a ? a.at(batch, row + ar, inner + ac) : T{};
      of_b[br][bc] = in_b ? b.at(batch, inner + br, column + bc) : T{};
      __syncthreads();
#pragma unroll 8
      for (unsigned k = 0; k < side; ++k) add_product(sum, widened<S>(of_a[y][k]), widened<S>(of_b[k][x]));
      __syncthreads();
    }
    const std::size_t r = row + y, j = column + x;
    if (r < a.rows && j < b.columns) c[(batch * a.rows + r) * b.columns + j] = narrowed<T>(sum);
  });
}

/// The elements of a matrix batch after batch, row after row: words of them, as their type does not matter.
template <class Word>
__global__ void __launch_bounds__(256) pack_matrices(matrix<Word> m, std::size_t batches, Word* out) {
  const std::size_t count = batches * m.rows * m.columns;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * 256) {
    const std::size_t row = i / m.columns;
    out[i] = m.at(row / m.rows, row % m.rows, i % m.columns);
  }
}

}  // namespace heddle::gpu
