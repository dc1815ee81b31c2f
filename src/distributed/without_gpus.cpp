#include "gpu_links.hpp"
#include "transport_over.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/patterns/scan/ranks.hpp>
#include <heddle/impl/patterns/sort/ranks.hpp>

namespace heddle::impl {

static constexpr const char* needs_cuda =
    "this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON";

gpu_place place_of(const target&) {
  return {};
}

std::shared_ptr<transport> with_gpus(std::shared_ptr<transport> cpu, const target&,
                                     const std::vector<gpu_place>&) {
  return std::make_shared<transport_over>(std::move(cpu));
}

// No rank is on a GPU then.
void library_block_totals_on_gpu(runtime_op, dtype, const void*, std::size_t, std::span<const scan_block>,
                                 void*, const target&) {
  fail(needs_cuda);
}
void library_sorted_bounds(dtype, sort_order, const void*, std::size_t, const void*, std::size_t, void*,
                           const target&) {
  fail(needs_cuda);
}
void copy_rows_on_gpu(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, const target&) {
  fail(needs_cuda);
}
void library_merge(dtype, sort_order, const void*, std::size_t, const void*, std::size_t, void*,
                   const target&) {
  fail(needs_cuda);
}

}  // namespace heddle::impl
