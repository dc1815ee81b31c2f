#include "core/type_op_dispatch.hpp"
#include "patterns/cpu_kernels.hpp"
#include <heddle/impl/patterns/scan/cpu.hpp>
#include <heddle/impl/patterns/scan/ranks.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>

namespace heddle::impl {
namespace {

/// By the kernels that are compiled for this processor.
template <class T, class Op>
T total_by_kernel(const cpu::scan_kernels& by, const T* x, unsigned level, const Op& op) {
  constexpr std::size_t unit = cpu::rows_in_unit * order::scan_row<T>;
  const unsigned of_unit = std::min(level, cpu::unit_level), of_units = level - of_unit;
  order::uninitialized<T, 60> block;
  for (std::size_t u = 0; u < std::size_t{1} << of_units; ++u) {
    order::uninitialized<T, cpu::totals_of_unit> totals;
    by.reduce_serially(x + u * unit, std::size_t{1} << of_unit, 0, &totals[0]);
    order::append_block(op, u, 0, T(totals[of_unit]), &block[0]);
  }
  return block[of_units];
}

}  // namespace

void library_block_totals(runtime_op op, dtype type, const void* x, std::size_t first,
                          std::span<const scan_block> blocks, void* totals, const target& where) {
  if (where.is_gpu()) return library_block_totals_on_gpu(op, type, x, first, blocks, totals, where);
  const cpu::scan_kernels& by = cpu::scan_kernels_for(type, op);
  dispatch_type_op<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus> && !order::any_scan_order<T, Op>) {
      cpu::for_slices(where.threads(), blocks.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
          const T* const from = static_cast<const T*>(x) + (blocks[b].first - first) * order::scan_row<T>;
          static_cast<T*>(totals)[b] = by.reduce_serially != nullptr
                                           ? total_by_kernel(by, from, blocks[b].level, operation)
                                           : total_of_rows(from, blocks[b].level, operation);
        }
      });
    }
  });
}

}  // namespace heddle::impl
