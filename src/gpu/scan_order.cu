#include "gpu/scan_family.cuh"

namespace heddle::gpu {

template void scan_family<impl::family::order>(impl::function, dtype, bool, const void*, segments,
                                               const void*, void*, const target&);

}  // namespace heddle::gpu
