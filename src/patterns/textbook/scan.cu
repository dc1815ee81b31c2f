#include "core/masked_operators.hpp"
#include "patterns/textbook/gpu.hpp"
#include <heddle/impl/patterns/textbook/gpu/scan.cuh>

namespace heddle::gpu {

void scan_by(scan_algorithm algorithm, runtime_op op, dtype type, bool exclusive, const void* x,
             std::size_t n, const void* init, void* out, const target& where) {
  impl::with_runtime_op<impl::family::all, false>(
      type, op, [&]<class T, class Op>(impl::type_tag<T>, Op operation) {
        if constexpr (!std::is_same_v<Op, minus>) {
          textbook::scan(where, algorithm, static_cast<const T*>(x), operation, exclusive,
                         static_cast<const T*>(init), n, static_cast<T*>(out));
        }
      });
}

}  // namespace heddle::gpu
