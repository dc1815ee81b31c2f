#include "core/compiled_operator.hpp"
#include "core/masked_operators.hpp"
#include "patterns/textbook/gpu.hpp"
#include <heddle/impl/patterns/textbook/dispatch.hpp>

namespace heddle::impl {

void library_scan_by(scan_algorithm algorithm, runtime_op op, dtype type, bool exclusive, const void* x,
                     std::size_t n, const void* init, void* out, const target& where) {
  if (n == 0) return;
  if (algorithm == scan_algorithm::single_pass)
    return library_scan(op, type, exclusive, x, axis_lines{1, n, 1}, init, out, where);
  if (where.is_gpu()) return gpu::scan_by(algorithm, op, type, exclusive, x, n, init, out, where);
  with_runtime_op<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      cpu::textbook::scan(where.threads(), algorithm, static_cast<const T*>(x),
                          compiled_operator<T>(operation), exclusive, static_cast<const T*>(init), n,
                          static_cast<T*>(out));
    }
  });
}

}  // namespace heddle::impl
