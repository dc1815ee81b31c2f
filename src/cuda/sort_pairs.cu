#include "cuda/radix_sort.cuh"

namespace heddle::cuda {

template void radix_sort_pairs(two_arrays<std::uint32_t>&, two_arrays<std::uint32_t>&, std::size_t, int,
                               const target&);
template void radix_sort_pairs(two_arrays<std::uint64_t>&, two_arrays<std::uint32_t>&, std::size_t, int,
                               const target&);

}  // namespace heddle::cuda
