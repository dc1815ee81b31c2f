#include "patterns/copy_if/gpu.hpp"
#include "patterns/scan/scan_steps.hpp"
#include "patterns/segmented_scan/gpu.hpp"
#include <heddle/copy_if.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/segmented_reduce.hpp>
#include <heddle/segmented_scan.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle::impl {
namespace {

const char* name_of_scan(bool exclusive, bool is_by_key) {
  if (is_by_key) return exclusive ? "exclusive_scan_by_key" : "inclusive_scan_by_key";
  return exclusive ? "segmented_exclusive_scan" : "segmented_inclusive_scan";
}

void check_starts(const std::size_t* offsets, std::size_t count, std::size_t n) {
  if (count == 0) return;
  if (offsets[0] > n) fail_sizes("the first offset", offsets[0], n);
  check_offsets(offsets, count - 1, n);
}

}  // namespace

segmented_scan_call::segmented_scan_call(bool exclusive, const untyped_elements& x, const segments& by)
    : x_(x), segments_(by), running_(name_of_scan(exclusive, by.keys.has_value()), x.size, x.type) {}

void segmented_scan_call::choose_target(const target& requested, bool gpu_possible) {
  const untyped_elements& by = segments_.by;
  where_ = resolve(requested, {x_.bytes() + by.bytes(), x_.bytes(), x_.where, gpu_possible});
  running_.runs_on(where_);
  if (!segments_.keys) {
    if (!by.where.is_gpu()) check_starts(static_cast<const std::size_t*>(by.data), by.size, x_.size);
  } else if (by.size != x_.size) {
    fail_sizes("the keys", by.size, x_.size);
  }
}

void segmented_scan_call::check_output(const untyped_elements& out) const {
  if (out.size != x_.size) fail_sizes("the output", out.size, x_.size);
  if (out.size == 0) return;
  check_in_place(x_.as_bytes(), out.as_bytes());
  const untyped_elements& by = segments_.by;
  check_apart(by.data, by.bytes(), by.where, out.data, out.bytes(), out.where);
}

const void* segmented_scan_call::data() {
  x_there_.emplace(x_.as_bytes(), where_);
  return x_there_->data();
}

segment_starts segmented_scan_call::starts() {
  const untyped_elements& by = segments_.by;
  by_there_.emplace(by.as_bytes(), where_);
  const void* const there = by_there_->data();
  const auto* const given = static_cast<const std::size_t*>(there);
  if (!segments_.keys && !where_.is_gpu()) {
    if (by.where.is_gpu()) check_starts(given, by.size, x_.size);
    return {given, by.size, nullptr};
  }
  flags_ = memory(x_.size, where_);
  auto* const flags = static_cast<bool*>(flags_.data());
  if (!segments_.keys) {
    gpu::flag_offsets(given, by.size, x_.size, flags, where_);
  } else {
    library_flag_changes(*segments_.keys, there, x_.size, flags, where_);
  }
  if (where_.is_gpu()) return {nullptr, 0, flags};
  const selection firsts(flags, x_.size, where_);
  offsets_ = memory(firsts.count() * sizeof(std::size_t), where_);
  auto* const offsets = static_cast<std::size_t*>(offsets_.data());
  firsts.indices(offsets);
  return {offsets, firsts.count(), nullptr};
}

void library_segmented_scan(runtime_op op, dtype type, bool exclusive, const void* x, std::size_t n,
                            const segment_starts& starts, const void* init, void* out, const target& where) {
  require_scan(op, type);
  if (where.is_gpu()) return gpu::segmented_scan(op, type, exclusive, x, n, starts.flags, init, out, where);
  with_typed_scan_steps(
      op, type, [&]<class T>(const cpu::scan_steps& steps, const T*, const auto& operation) {
        const auto scan = exclusive
                              ? cpu::segmented_scan_by<true, T, std::remove_cvref_t<decltype(operation)>>
                              : cpu::segmented_scan_by<false, T, std::remove_cvref_t<decltype(operation)>>;
        scan(where.threads(), steps, static_cast<const T*>(x), n, operation, starts.offsets, starts.count,
             static_cast<const T*>(init), static_cast<T*>(out));
      });
}

}  // namespace heddle::impl
