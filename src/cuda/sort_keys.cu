#include "cuda/radix_sort.cuh"

namespace heddle::cuda {

template void radix_sort_keys(const std::uint32_t*, std::size_t, std::uint32_t*, int, const target&);
template void radix_sort_keys(const std::uint64_t*, std::size_t, std::uint64_t*, int, const target&);

}  // namespace heddle::cuda
