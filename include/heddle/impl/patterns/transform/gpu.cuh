#pragma once

#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace heddle::gpu {

inline constexpr unsigned transform_threads = 256;

/// What a thread loads or stores at once, at a multiple of its size: 2, 4, 8 or 16 bytes.
template <std::size_t Bytes>
using word_of = std::conditional_t<
    Bytes == 16, uint4,
    std::conditional_t<Bytes == 8, uint2, std::conditional_t<Bytes == 4, std::uint32_t, std::uint16_t>>>;

/// The size of T where vectors can hold it, and otherwise more than a vector has.
template <class T>
inline constexpr std::size_t bytes_in_vector =
    sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0 ? sizeof(T) : 32;

/// Consecutive elements in registers: k ↦ element k.
template <class T, unsigned Items>
struct vector_of_items {
  using word = word_of<Items * sizeof(T)>;
  order::uninitialized<T, Items> values;

  __device__ explicit vector_of_items(const word& bits) {
    memcpy(static_cast<void*>(&values), &bits, sizeof bits);
  }
  __device__ const T& operator()(std::size_t k) const { return values[k]; }
  __device__ static word load(const T* from) { return *reinterpret_cast<const word*>(from); }
  __device__ static void store(const order::uninitialized<T, Items>& x, T* to) {
    word bits;
    memcpy(&bits, static_cast<const void*>(&x), sizeof bits);
    // nvcc splits a plain store where stores to neighbouring addresses follow.
    __stwb(reinterpret_cast<word*>(to), bits);
  }
};

/// How a thread reads consecutive elements at once through a function of an index. `bytes` is the size of the
/// largest element that the function reads.
template <class Source>
struct vector_reader {
  static constexpr std::size_t bytes = 32;  // reads elements as only it knows
};

template <class T>
struct vector_reader<impl::element_of_array<T>> {
  static constexpr std::size_t bytes = bytes_in_vector<T>;
  static bool is_aligned(const impl::element_of_array<T>& source, std::size_t items) {
    return reinterpret_cast<std::uintptr_t>(source.x) % (items * sizeof(T)) == 0;
  }
  template <unsigned Items>
  __device__ static auto load(const impl::element_of_array<T>& source, std::size_t first) {
    return vector_of_items<T, Items>(vector_of_items<T, Items>::load(source.x + first));
  }
};

template <class T>
struct vector_reader<impl::constant<T>> {
  static constexpr std::size_t bytes = 1;
  static bool is_aligned(const impl::constant<T>&, std::size_t) { return true; }
  template <unsigned Items>
  __device__ static const impl::constant<T>& load(const impl::constant<T>& source, std::size_t) {
    return source;
  }
};

template <class F, std::size_t... I, class... Sources>
struct vector_reader<impl::mapped_elements<F, std::index_sequence<I...>, Sources...>> {
  using mapped = impl::mapped_elements<F, std::index_sequence<I...>, Sources...>;
  static constexpr std::size_t bytes = [] {
    std::size_t largest = 1;
    ((largest = vector_reader<Sources>::bytes > largest ? vector_reader<Sources>::bytes : largest), ...);
    return largest;
  }();
  static bool is_aligned(const mapped& x, std::size_t items) {
    return (
        vector_reader<Sources>::is_aligned(static_cast<const impl::numbered<I, Sources>&>(x).source, items) &&
        ...);
  }
  template <unsigned Items>
  __device__ static auto load(const mapped& x, std::size_t first) {
    return from_loaded(x.f, vector_reader<Sources>::template load<Items>(
                                static_cast<const impl::numbered<I, Sources>&>(x).source, first)...);
  }

 private:
  template <class... Loaded>
  __device__ static auto from_loaded(const F& f, const Loaded&... loaded) {
    return impl::mapped_elements<const F&, std::index_sequence<I...>, Loaded...>(f, loaded...);
  }
};

/// Elements that a thread reads and writes at once: as many as 16 bytes hold of the largest type. 1 where
/// vectors do not help or cannot be used.
template <class T, class F>
inline constexpr unsigned transform_items = [] {
  constexpr std::size_t in = vector_reader<F>::bytes, out = bytes_in_vector<T>;
  constexpr std::size_t items = 16 / (in > out ? in : out);
  return static_cast<unsigned>(items > 1 ? items : 1);
}();

/// Vectors of a thread: 8 elements, or two vectors where these hold more.
template <class T, unsigned Items>
inline constexpr unsigned transform_vectors = sizeof(T) > 16 ? 1
                                              : Items < 4    ? 8 / Items
                                                             : 2;

/// result[v][k] = x(k) for the v-th of what is loaded: all of it, before anything is computed.
template <class T, std::size_t Items, class... Loaded>
__device__ void compute_items(order::uninitialized<T, Items>* result, const Loaded&... loaded) {
  auto compute = [&](const auto& x) {
#pragma unroll
    for (std::size_t k = 0; k < Items; ++k) (*result)[k] = x(k);
    ++result;
  };
  (compute(loaded), ...);
}

template <class T, unsigned Items, class F>
__global__ void __launch_bounds__(transform_threads) transform_elements_of(F f, std::size_t count, T* out) {
  constexpr unsigned vectors = transform_vectors<T, Items>;
  constexpr std::size_t step = transform_threads * Items, tile = step * vectors;
  const std::size_t whole = count - count % Items;
  for (std::size_t begin = blockIdx.x * tile; begin < whole; begin += gridDim.x * tile) {
    const std::size_t own = begin + threadIdx.x * Items;
    // All are read before one is written, which may be where another is read: so many loads in flight fill
    // the memory's pipeline.
    order::uninitialized<T, Items> result[vectors];
    if constexpr (Items == 1) {
      if (whole - begin >= tile) {
#pragma unroll
        for (unsigned v = 0; v < vectors; ++v) result[v][0] = f(own + v * step);
#pragma unroll
        for (unsigned v = 0; v < vectors; ++v) out[own + v * step] = result[v][0];
      } else {
        for (std::size_t i = own; i < whole; i += step) out[i] = f(i);
      }
    } else if (whole - begin >= tile) {
      [&]<unsigned... V>(std::integer_sequence<unsigned, V...>) {
        compute_items(result, vector_reader<F>::template load<Items>(f, own + V * step)...);
        (vector_of_items<T, Items>::store(result[V], out + own + V * step), ...);
      }(std::make_integer_sequence<unsigned, vectors>());
    } else {
#pragma unroll 1
      for (std::size_t first = own; first < whole; first += step) {
        compute_items(result, vector_reader<F>::template load<Items>(f, first));
        vector_of_items<T, Items>::store(result[0], out + first);
      }
    }
  }
  if (blockIdx.x == 0 && threadIdx.x < count - whole) out[whole + threadIdx.x] = f(whole + threadIdx.x);
}

/// out[i] = f(i) for `count` elements, on the GPU's stream. f(i) may read out[i], but no other element of
/// `out`. Arrays that begin at multiples of 16 bytes are read and written in vectors.
template <class T, class F>
void transform(const target& where, const F& f, std::size_t count, T* out) {
  const current_device on(where);
  auto launch = [&]<unsigned Items>(std::integral_constant<unsigned, Items>) {
    const unsigned grid = grid_for(count, transform_threads * Items * transform_vectors<T, Items>);
    transform_elements_of<T, Items><<<grid, transform_threads, 0, where.stream()>>>(f, count, out);
    check(cudaGetLastError(), "launch of transform");
  };
  constexpr unsigned items = transform_items<T, F>;
  if constexpr (items > 1) {
    if (reinterpret_cast<std::uintptr_t>(out) % (items * sizeof(T)) == 0 &&
        vector_reader<F>::is_aligned(f, items)) {
      return launch(std::integral_constant<unsigned, items>());
    }
  }
  launch(std::integral_constant<unsigned, 1>());
}

}  // namespace heddle::gpu
