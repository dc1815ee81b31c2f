#pragma once

#include "gpu/entry.hpp"
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::impl {
struct random_numbers;
}  // namespace heddle::impl

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(random, void(const impl::random_numbers& numbers, std::size_t count, void* out,
                              const target& where));

}  // namespace heddle::gpu
