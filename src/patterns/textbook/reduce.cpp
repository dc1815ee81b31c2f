#include "core/compiled_operator.hpp"
#include "core/masked_operators.hpp"
#include "patterns/textbook/gpu.hpp"
#include <heddle/impl/patterns/textbook/dispatch.hpp>

namespace heddle::impl {

void library_reduce_by(reduce_algorithm algorithm, runtime_op op, dtype type, const void* x, std::size_t n,
                       void* out, const target& where) {
  if (algorithm == reduce_algorithm::single_pass)
    return library_reduce(op, type, x, axis_lines{1, n, 1}, out, where);
  if (where.is_gpu()) return gpu::reduce_by(algorithm, op, type, x, n, out, where);
  with_runtime_op<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      const auto combine = compiled_operator<T>(operation);
      const element_at<T, std::remove_const_t<decltype(combine)>> elements{static_cast<const T*>(x)};
      cpu::textbook::reduce(where.threads(), algorithm, elements, combine, n, static_cast<T*>(out));
    }
  });
}

}  // namespace heddle::impl
