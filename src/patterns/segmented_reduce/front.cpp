#include "patterns/cpu_kernels.hpp"
#include "patterns/segmented_reduce/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/segmented_reduce.hpp>

#include <fmt/core.h>

namespace heddle::impl {

void check_offsets(const std::size_t* offsets, std::size_t count, std::size_t n) {
  for (std::size_t s = 0; s < count; ++s) {
    if (offsets[s] > offsets[s + 1] || offsets[s + 1] > n) {
      fail(fmt::format("segment {} goes from element {} to {} of {}", s, offsets[s], offsets[s + 1], n));
    }
  }
}

segmented_call::segmented_call(const untyped_elements& x, const elements<const std::size_t>& offsets)
    : call_along_lines("segmented_reduce", x, nullptr), offsets_(offsets) {}

void segmented_call::check_results(const untyped_elements& out) const {
  if (out.size != segments()) fail_sizes("the output", out.size, segments());
  check_apart(x().data, x().bytes(), x().where, out.data, out.bytes(), out.where);
  check_apart(offsets_.data, offsets_.size * sizeof(std::size_t), offsets_.where, out.data, out.bytes(),
              out.where);
}

const std::size_t* segmented_call::offsets() {
  if (!offsets_.where.is_gpu()) check_offsets(offsets_.data, segments(), x().size);
  staged_offsets_.emplace(offsets_, where());
  if (offsets_.where.is_gpu() && !where().is_gpu())
    check_offsets(staged_offsets_->data(), segments(), x().size);
  return staged_offsets_->data();
}

call_by_key::call_by_key(const untyped_elements& keys, const untyped_elements& values)
    : keys_(keys), values_(values), running_("reduce_by_key", keys.size, values.type) {}

void call_by_key::find_runs(const target& requested, dtype of_keys, bool gpu_possible) {
  where_ = resolve(requested, {3 * keys_.bytes() + values_.bytes(), 0, values_.where, gpu_possible});
  running_.runs_on(where_);
  if (values_.size != keys_.size) fail_sizes("the values", values_.size, keys_.size);
  if (keys_.size == 0) return;
  keys_there_.emplace(keys_.as_bytes(), where_);
  values_there_.emplace(values_.as_bytes(), where_);
  flags_ = memory(keys_.size, where_);
  auto* const flags = static_cast<bool*>(flags_.data());
  library_flag_changes(of_keys, keys_there_->data(), keys_.size, flags, where_);
  firsts_.emplace(flags, keys_.size, where_);
}

void call_by_key::copy_keys(void* out) const {
  firsts_->copy(keys_there_->data(), keys_.element_bytes, false, out);
}

const std::size_t* call_by_key::offsets() {
  offsets_ = array<std::size_t>(runs() + 1, where_);
  firsts_->indices(offsets_.data());
  offsets_.set(keys_.size, runs());
  return offsets_.data();
}

void library_segmented_reduce(runtime_op op, dtype type, const void* x, std::size_t n,
                              const std::size_t* offsets, std::size_t count, void* out, const target& where) {
  const cpu::reduce_kernels kernels = cpu::reduce_kernels_for(type, op);
  if (kernels.reduce_pieces == nullptr) fail(fmt::format("{} is not defined on {}", name(op), name(type)));
  if (count == 0 || n == 0) return;
  if (where.is_gpu()) return gpu::segmented_reduce(op, type, x, n, offsets, count, out, where);
  const std::size_t bytes = size_of(type);
  cpu::for_segments(where.threads(), offsets, count,
                    [&](int threads, std::size_t s, std::size_t first, std::size_t length) {
                      cpu::reduce_segments(threads, axis_lines{1, length, 1}, kernels.tile, bytes,
                                           static_cast<const std::byte*>(x) + first * bytes,
                                           static_cast<std::byte*>(out) + s * bytes, kernels.reduce_pieces,
                                           kernels.reduce_pieces);
                    });
}

}  // namespace heddle::impl
