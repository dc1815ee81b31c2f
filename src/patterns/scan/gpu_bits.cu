#include "patterns/scan/gpu_family.cuh"

namespace heddle::gpu {

template typed_scan* find_scan<impl::family::bits>(runtime_op, dtype);

}  // namespace heddle::gpu
