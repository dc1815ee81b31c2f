#include "gpu.hpp"
#include <heddle/error.hpp>

namespace heddle::cli::bench {
namespace {

[[noreturn]] void fail_no_gpu() {
  fail("bench: built without the CUDA toolkit, so there is no GPU to measure");
}

}  // namespace

std::size_t gpu_cache_bytes(const target&) {
  fail_no_gpu();
}
void read_on_gpu(const void*, std::size_t, void*, const target&) {
  fail_no_gpu();
}
std::unique_ptr<timing::stopwatch> gpu_stopwatch(const target&) {
  fail_no_gpu();
}

}  // namespace heddle::cli::bench
