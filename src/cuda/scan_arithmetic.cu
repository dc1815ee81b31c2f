#include "cuda/scan_family.cuh"

namespace heddle::cuda {

template void scan_family<detail::family::arithmetic>(detail::function, dtype, bool, const void*, segments,
                                                      const void*, void*, const target&);

}  // namespace heddle::cuda
