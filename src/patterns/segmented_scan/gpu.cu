#include "core/masked_operators.hpp"
#include "patterns/segmented_scan/gpu.hpp"
#include <heddle/impl/patterns/segmented_scan/gpu.cuh>

namespace heddle::gpu {

void segmented_scan(runtime_op op, dtype type, bool exclusive, const void* x, std::size_t n,
                    const bool* flags, const void* init, void* out, const target& where) {
  impl::with_runtime_op<impl::family::all>(type, op, [&]<class T, class Op>(impl::type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      segmented_scan(where, static_cast<const T*>(x), n, operation, flags, exclusive,
                     static_cast<const T*>(init), static_cast<T*>(out));
    }
  });
}

}  // namespace heddle::gpu
