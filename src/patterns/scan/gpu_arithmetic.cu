#include "patterns/scan/gpu_family.cuh"

namespace heddle::gpu {

template typed_scan* find_scan<impl::family::arithmetic>(runtime_op, dtype);

}  // namespace heddle::gpu
