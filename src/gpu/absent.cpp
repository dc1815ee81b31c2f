#include "gpu/entry.hpp"
#include "target/gpu_devices.hpp"
#include <heddle/error.hpp>

namespace heddle::gpu {

void fail_no_gpu_support() {
  fail("this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON");
}

int toolkit_version() noexcept {
  return 0;
}
int device_count() noexcept {
  return 0;
}
std::vector<gpu_properties> devices() {
  return {};
}
std::size_t free_bytes(int) {
  fail_no_gpu_support();
}
bandwidths::gpu measure(int) {
  return {};
}
void require_device(const target&) {
  fail_no_gpu_support();
}
void* allocate(std::size_t, const target&) {
  fail_no_gpu_support();
}
void release(void*, const target&) noexcept {}
void release_cached_memory(const target&) {
  fail_no_gpu_support();
}
void copy(void*, const target&, const void*, const target&, std::size_t) {
  fail_no_gpu_support();
}
void order(const target&, const target&) {
  fail_no_gpu_support();
}
void fill(void*, const target&, std::size_t, const void*, std::size_t) {
  fail_no_gpu_support();
}
void wait(const target&) {
  fail_no_gpu_support();
}
void* value_slot(const target&, std::size_t) {
  fail_no_gpu_support();
}

}  // namespace heddle::gpu
