#include "gpu/gpu.hpp"
#include "patterns/histogram/bins.hpp"
#include <heddle/error.hpp>

namespace heddle::gpu {
namespace {

[[noreturn]] void fail() {
  heddle::fail("this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON");
}

}  // namespace

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
  fail();
}
bandwidths::gpu measure(int) {
  return {};
}
void require_device(const target&) {
  fail();
}
void* allocate(std::size_t, const target&) {
  fail();
}
void release(void*, const target&) noexcept {}
void release_cached_memory(const target&) {
  fail();
}
void copy(void*, const target&, const void*, const target&, std::size_t) {
  fail();
}
void order(const target&, const target&) {
  fail();
}
void fill(void*, const target&, std::size_t, const void*, std::size_t) {
  fail();
}
void wait(const target&) {
  fail();
}
void* value_slot(const target&, std::size_t) {
  fail();
}
void reduce(runtime_op, dtype, const void*, axis_lines, void*, const target&) {
  fail();
}
void reduce_tiles(runtime_op, dtype, const void*, std::size_t, void*, const target&) {
  fail();
}
void segmented_reduce(runtime_op, dtype, const void*, std::size_t, const std::size_t*, std::size_t, void*,
                      const target&) {
  fail();
}
void scan(runtime_op, dtype, bool, const void*, axis_lines, const void*, void*, const target&) {
  fail();
}
void segmented_scan(runtime_op, dtype, bool, const void*, std::size_t, const bool*, const void*, void*,
                    const target&) {
  fail();
}
void reduce_by(reduce_algorithm, runtime_op, dtype, const void*, std::size_t, void*, const target&) {
  fail();
}
void scan_by(scan_algorithm, runtime_op, dtype, bool, const void*, std::size_t, const void*, void*,
             const target&) {
  fail();
}
void map(runtime_op, dtype, const void*, bool, const void*, bool, std::size_t, void*, const target&) {
  fail();
}
void find_first(dtype, const void*, axis_lines, const void*, const void*, std::size_t, std::size_t*,
                const target&) {
  fail();
}
void random(const impl::random_numbers&, std::size_t, void*, const target&) {
  fail();
}
void sort(dtype, const void*, const axis_lines&, sort_order, void*, const target&) {
  fail();
}
void argsort(dtype, const void*, const axis_lines&, sort_order, std::size_t*, const target&) {
  fail();
}
std::size_t first_index_outside(const impl::index_list&, std::uint64_t, const target&) {
  fail();
}
void gather(const void*, const axis_lines&, std::size_t, const impl::index_list&, void*, const target&) {
  fail();
}
void scatter(void*, const axis_lines&, std::size_t, const impl::index_list&, const void*, const target&) {
  fail();
}
void bounds(dtype, const void*, std::size_t, sort_order, impl::bound, const void*, std::size_t, std::size_t*,
            const target&) {
  fail();
}
void top(dtype, const void*, std::size_t, std::size_t, sort_order, std::size_t*, const target&) {
  fail();
}
void indices_in_array(const std::size_t*, const axis_lines&, std::size_t, std::size_t*, const target&) {
  fail();
}
void histogram(dtype, const void*, std::size_t, impl::bin_finder, std::uint64_t*, const target&) {
  fail();
}
void find_bins(dtype, const void*, std::size_t, impl::bin_finder, std::uint32_t*, const target&) {
  fail();
}
void wide_sums(dtype, const void*, axis_lines, void*, const target&) {
  fail();
}
void sum_squared_deviations(dtype, const void*, axis_lines, const void*, double*, const target&) {
  fail();
}
void divide(const double*, std::size_t, double, bool, void*, const target&) {
  fail();
}
void are_nonzero(const void*, std::size_t, std::size_t, bool*, const target&) {
  fail();
}
void widen(const float*, std::size_t, double*, const target&) {
  fail();
}
memory count_flags(const bool*, std::size_t, const target&) {
  fail();
}
void copy_flagged(const bool*, std::size_t, const std::size_t*, const void*, std::size_t, bool, std::size_t,
                  void*, const target&) {
  fail();
}
void indices_of_flags(const bool*, std::size_t, const std::size_t*, std::size_t*, const target&) {
  fail();
}
void flag_offsets(const std::size_t*, std::size_t, std::size_t, bool*, const target&) {
  fail();
}
void flag_changes(dtype, const void*, std::size_t, bool*, const target&) {
  fail();
}
void matmul(impl::matrix_type, const impl::matrix_operand&, const impl::matrix_operand&, std::size_t, void*,
            const target&, matmul_algorithm) {
  fail();
}
void fft(const impl::fft_task&, const void*, void*, const target&) {
  fail();
}
bool can_compile_modules() noexcept {
  return false;
}
std::shared_ptr<impl::module_state> compile_module(const target&, const std::string&, const module_options&) {
  fail();
}

}  // namespace heddle::gpu
