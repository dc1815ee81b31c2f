#include "patterns/copy_if/gpu.hpp"
#include "patterns/scan/scan_steps.hpp"
#include "patterns/segmented_scan/gpu.hpp"
#include <heddle/segmented_scan.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle::impl {

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

void library_flag_offsets(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags,
                          const target& where) {
  gpu::flag_offsets(offsets, count, n, flags, where);
}

}  // namespace heddle::impl
