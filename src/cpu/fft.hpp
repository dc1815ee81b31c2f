#pragma once

#include <heddle/fft.hpp>

#include <cstddef>

namespace heddle::cpu {

/// library_fft on the CPU.
void fft(int threads, const detail::fft_task& task, const void* x, void* out);

/// How much of plans is kept for later calls, of each precision, from the next call on: 2^28 bytes unless
/// said. Returns what it was.
std::size_t keep_fft_plans_within(std::size_t bytes);

}  // namespace heddle::cpu
