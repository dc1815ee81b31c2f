#pragma once

#include "bench/stopwatch.hpp"
#include <heddle/target.hpp>

#include <cstddef>
#include <memory>

/// Functions of the benchmark itself for a GPU. A build without the CUDA toolkit has the same functions,
/// which are never called, because no target is a GPU there.
namespace heddle::cli::bench {

std::size_t gpu_cache_bytes(const target& where);

/// Puts on the stream of `where` a kernel that reads `bytes` bytes, rounded up to 16, and does nothing else.
/// `sink` has room for 16 bytes.
void read_on_gpu(const void* from, std::size_t bytes, void* sink, const target& where);

/// Times what is put on the stream of `where`, between two events. A kernel that does nothing for a few
/// microseconds goes ahead, so that the time it takes to launch the first call is not in it.
std::unique_ptr<timing::stopwatch> gpu_stopwatch(const target& where);

}  // namespace heddle::cli::bench
