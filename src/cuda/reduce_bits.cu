#include "cuda/reduce_family.cuh"

namespace heddle::cuda {

template void reduce_family<detail::family::bits>(detail::function, dtype, const void*, segments, void*,
                                                  const target&);
template void fold_tiles_family<detail::family::bits>(detail::function, dtype, const void*, std::size_t,
                                                      void*, const target&);
template void segmented_reduce_family<detail::family::bits>(detail::function, dtype, const void*, std::size_t,
                                                            const std::size_t*, std::size_t, void*,
                                                            const target&);

}  // namespace heddle::cuda
