#include "patterns/reduce/gpu_family.cuh"

namespace heddle::gpu {

template void reduce_family<impl::family::bits>(runtime_op, dtype, const void*, axis_lines, void*,
                                                const target&);
template void reduce_tiles_family<impl::family::bits>(runtime_op, dtype, const void*, std::size_t, void*,
                                                      const target&);
template void segmented_reduce_family<impl::family::bits>(runtime_op, dtype, const void*, std::size_t,
                                                          const std::size_t*, std::size_t, void*,
                                                          const target&);

}  // namespace heddle::gpu
