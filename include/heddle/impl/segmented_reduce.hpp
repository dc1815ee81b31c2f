#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/cpu/segmented_reduce.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#if defined(__CUDACC__)
#include <heddle/impl/gpu/reduce/segmented_reduce.cuh>
#endif

namespace heddle::impl {

/// Reduces elements offsets[s] … offsets[s + 1] − 1 of the n elements of x to out[s] for `count` segments by
/// a built-in operator; all are on `where`.
void library_segmented_reduce(runtime_op op, dtype type, const void* x, std::size_t n,
                              const std::size_t* offsets, std::size_t count, void* out, const target& where);

/// Throws where offsets on a CPU decrease, or go beyond n.
void check_offsets(const std::size_t* offsets, std::size_t count, std::size_t n);

inline namespace HD_BUILD {

/// Results of segments without elements stay as they are.
template <class T, class Op>
void segmented_reduce_array(const target& where, const T* x, std::size_t n, const Op& op,
                            const std::size_t* offsets, std::size_t count, T* out) {
  if constexpr (library_combines<T, Op>()) {
    library_segmented_reduce(function_of<Op>, dtype_of<T>, x, n, offsets, count, out, where);
  } else if (!where.is_gpu()) {
    cpu::segmented_reduce(where.threads(), x, op, offsets, count, out);
  } else {
#if defined(__CUDACC__)
    gpu::segmented_reduce(where, x, n, op, offsets, count, out);
#else
    fail_not_compiled_for_gpu();
#endif
  }
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
