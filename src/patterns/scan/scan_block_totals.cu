#include "core/type_op_dispatch.hpp"
#include <heddle/impl/patterns/scan/gpu/scan_block_totals.cuh>
#include <heddle/impl/patterns/scan/ranks.hpp>

namespace heddle::impl {

void library_block_totals_on_gpu(runtime_op op, dtype type, const void* x, std::size_t first,
                                 std::span<const scan_block> blocks, void* totals, const target& where) {
  dispatch_type_op<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus> && !order::any_scan_order<T, Op>)
      gpu::scan_block_totals(where, static_cast<const T*>(x), first, blocks, operation,
                             static_cast<T*>(totals));
  });
}

}  // namespace heddle::impl
