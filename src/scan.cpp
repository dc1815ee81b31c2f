#include "cuda/gpu.hpp"
#include "storage.hpp"
#include <heddle/error.hpp>
#include <heddle/scan.hpp>

#include <fmt/core.h>

namespace heddle::detail {

void library_scan(function op, dtype type, bool exclusive, const void* x, segments all, const void* init,
                  void* out, const target& where) {
  if (!is_defined(op, type) || op == function::minus)
    fail(fmt::format("{} is not defined on {}", name(op), name(type)));
  if (all.elements() == 0) return;
  if (where.is_gpu()) return cuda::scan(op, type, exclusive, x, all, init, out, where);
  with_storage<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      const element_at<T, Op> load{static_cast<const T*>(x)};
      const T* const start = static_cast<const T*>(init);
      T* const to = static_cast<T*>(out);
      if (exclusive) {
        cpu::scan<true, T>(where.threads(), load, operation, all, start, to);
      } else {
        cpu::scan<false, T>(where.threads(), load, operation, all, start, to);
      }
    }
  });
}

void fail_no_start() {
  fail(
      "the operator has no identity to begin with: give an initial value, or hd::monoid{function, identity}");
}

}  // namespace heddle::detail
