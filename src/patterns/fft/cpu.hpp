#pragma once

#include <heddle/fft.hpp>

namespace heddle::cpu {

/// library_fft on the CPU.
void fft(int threads, const impl::fft_task& task, const void* x, void* out);

}  // namespace heddle::cpu
