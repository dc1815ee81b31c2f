#include "core/masked_operators.hpp"
#include "patterns/textbook/gpu.hpp"
#include <heddle/impl/patterns/textbook/gpu/reduce.cuh>

namespace heddle::gpu {

void reduce_by(reduce_algorithm algorithm, runtime_op op, dtype type, const void* x, std::size_t n, void* out,
               const target& where) {
  impl::with_runtime_op<impl::family::all, false>(
      type, op, [&]<class T, class Op>(impl::type_tag<T>, Op operation) {
        if constexpr (!std::is_same_v<Op, minus>) {
          textbook::reduce(where, algorithm, impl::element_at<T, Op>{static_cast<const T*>(x)}, operation, n,
                           static_cast<T*>(out));
        }
      });
}

}  // namespace heddle::gpu
