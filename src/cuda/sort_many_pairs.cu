#include "cuda/radix_sort.cuh"

namespace heddle::cuda {

// Of 2^32 elements and more.
template void radix_sort_pairs(two_arrays<std::uint64_t>&, two_arrays<std::uint64_t>&, std::size_t, int,
                               const target&);

}  // namespace heddle::cuda
