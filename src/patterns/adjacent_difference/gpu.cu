#include "core/type_op_dispatch.hpp"
#include <heddle/impl/patterns/adjacent_difference/gpu.cuh>

#include <cstdint>
#include <type_traits>

namespace heddle::gpu {

void adjacent_difference(dtype type, const void* x, const axis_lines& all, const void* before, void* out,
                         const target& where) {
  const auto run = [&]<class T, class Op>(impl::type_tag<T>, Op op) {
    adjacent_difference(where, static_cast<const T*>(x), all, op, static_cast<const T*>(before),
                        static_cast<T*>(out));
  };
  if (type == dtype::boolean) return run(impl::type_tag<std::uint8_t>{}, bit_xor{});
  impl::dispatch_type_op<impl::family::arithmetic>(type, runtime_op::minus,
                                                   [&]<class T, class Op>(impl::type_tag<T> tag, Op op) {
                                                     if constexpr (std::is_same_v<Op, minus>) run(tag, op);
                                                   });
}

}  // namespace heddle::gpu
