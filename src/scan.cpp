#include "cpu/kernels.hpp"
#include "cuda/gpu.hpp"
#include "storage.hpp"
#include <heddle/error.hpp>
#include <heddle/scan.hpp>

#include <cstring>

#include <fmt/core.h>

namespace heddle::detail {

void library_scan(function op, dtype type, bool exclusive, const void* x, segments all, const void* init,
                  void* out, const target& where) {
  if (!is_defined(op, type) || op == function::minus)
    fail(fmt::format("{} is not defined on {}", name(op), name(type)));
  if (all.elements() == 0) return;
  if (where.is_gpu()) return cuda::scan(op, type, exclusive, x, all, init, out, where);
  const cpu::kernels kernels = cpu::kernels_for(type, op);
  if (kernels.scan.scan != nullptr) {
    const std::size_t bytes = size_of(type);
    const auto combine = [&](const void* a, const void* b, std::size_t count, void* to) {
      kernels.map(a, false, b, false, count, false, to);
    };
    const auto load = [&](const void* from, std::size_t count, void* to) {
      std::memcpy(to, from, count * bytes);
    };
    const cpu::scan_steps steps{bytes,
                                kernels.scan.state_bytes,
                                kernels.scan.start,
                                kernels.scan.fold,
                                kernels.scan.append,
                                kernels.scan.scan,
                                combine,
                                load};
    return cpu::scan_segments(where.threads(), steps, all, x, init, exclusive, out);
  }
  with_storage<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op operation) {
    if constexpr (is_logical<Op> || (is_complex<T> && is_commutative<Op>)) {
      const T* const from = static_cast<const T*>(x);
      const T* const start = static_cast<const T*>(init);
      T* const to = static_cast<T*>(out);
      if (exclusive) {
        cpu::scan<true>(where.threads(), from, operation, all, start, to);
      } else {
        cpu::scan<false>(where.threads(), from, operation, all, start, to);
      }
    }
  });
}

void fail_no_start() {
  fail(
      "the operator has no identity to begin with: give an initial value, or hd::monoid{function, identity}");
}

}  // namespace heddle::detail
