#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::impl {
struct random_numbers;
}

/// Random numbers on a CPU, compiled for several instruction sets.
namespace heddle::cpu {

/// Elements that are made at once: pieces that begin at multiples of it go to memory by whole lines.
inline constexpr std::size_t random_chunk = 1024;

/// Elements first … first + count − 1 of the sequence, without its offset, into `out`; by non-temporal stores
/// where that is wanted.
using random_kernel = void (*)(const impl::random_numbers& numbers, std::uint64_t first, std::size_t count,
                               bool non_temporal, void* out);

void baseline_random(const impl::random_numbers& numbers, std::uint64_t first, std::size_t count,
                     bool non_temporal, void* out);
#if defined(HEDDLE_X86_KERNELS)
void avx2_random(const impl::random_numbers& numbers, std::uint64_t first, std::size_t count,
                 bool non_temporal, void* out);
void avx512_random(const impl::random_numbers& numbers, std::uint64_t first, std::size_t count,
                   bool non_temporal, void* out);
#endif

}  // namespace heddle::cpu
