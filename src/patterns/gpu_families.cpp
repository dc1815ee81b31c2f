#include "patterns/gpu_families.hpp"

namespace heddle::gpu {

using impl::family;

void reduce(runtime_op op, dtype type, const void* x, axis_lines all, void* out, const target& where) {
  of_family(op, type, reduce_family<family::arithmetic>, reduce_family<family::order>,
            reduce_family<family::bits>)(op, type, x, all, out, where);
}

void reduce_tiles(runtime_op op, dtype type, const void* x, std::size_t count, void* out,
                  const target& where) {
  of_family(op, type, reduce_tiles_family<family::arithmetic>, reduce_tiles_family<family::order>,
            reduce_tiles_family<family::bits>)(op, type, x, count, out, where);
}

void segmented_reduce(runtime_op op, dtype type, const void* x, std::size_t n, const std::size_t* offsets,
                      std::size_t count, void* out, const target& where) {
  of_family(op, type, segmented_reduce_family<family::arithmetic>, segmented_reduce_family<family::order>,
            segmented_reduce_family<family::bits>)(op, type, x, n, offsets, count, out, where);
}

void scan(runtime_op op, dtype type, bool exclusive, const void* x, axis_lines all, const void* init,
          void* out, const target& where) {
  const auto find =
      of_family(op, type, find_scan<family::arithmetic>, find_scan<family::order>, find_scan<family::bits>);
  find(op, type)(exclusive, x, all, init, out, where);
}

}  // namespace heddle::gpu
