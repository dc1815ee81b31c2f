#pragma once

#include "gpu/gpu.hpp"
#include "target/storage.hpp"

/// Kernels are compiled a family of operators at a time, each in a file of its own, so that they compile side
/// by side.
namespace heddle::gpu {

template <impl::family Family>
void reduce_family(impl::function op, dtype type, const void* x, segments all, void* out,
                   const target& where);
template <impl::family Family>
void reduce_tiles_family(impl::function op, dtype type, const void* x, std::size_t count, void* out,
                         const target& where);
template <impl::family Family>
void segmented_reduce_family(impl::function op, dtype type, const void* x, std::size_t n,
                             const std::size_t* offsets, std::size_t count, void* out, const target& where);
template <impl::family Family>
void scan_family(impl::function op, dtype type, bool exclusive, const void* x, segments all, const void* init,
                 void* out, const target& where);

/// Calls `run` with the family of `op` on elements of `type` as its template argument.
template <class Run>
void with_family(impl::function op, dtype type, const Run& run) {
  using impl::family, impl::function;
  switch (impl::stored_function(type, op)) {
    case function::plus:
    case function::multiplies:
    case function::minus:
      return run.template operator()<family::arithmetic>();
    case function::minimum:
    case function::maximum:
      return run.template operator()<family::order>();
    default:
      return run.template operator()<family::bits>();
  }
}

}  // namespace heddle::gpu
