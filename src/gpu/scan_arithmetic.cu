#include "gpu/scan_family.cuh"

namespace heddle::gpu {

template typed_scan* find_scan<impl::family::arithmetic>(impl::function, dtype);

}  // namespace heddle::gpu
