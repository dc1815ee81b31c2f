#pragma once

#include "gpu/entry.hpp"
#include <heddle/target.hpp>

namespace heddle::impl {
struct fft_task;
}  // namespace heddle::impl

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(fft, void(const impl::fft_task& task, const void* x, void* out, const target& where));

}  // namespace heddle::gpu
