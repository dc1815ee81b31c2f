#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>
#include <heddle/error.hpp>

#include <type_traits>

#include <fmt/core.h>

namespace heddle {
namespace {

/// Calls f with an element of the type of both operands.
template <class F>
any_distributed_array of_type(dtype a, dtype b, const F& f) {
  if (a != b)
    fail(fmt::format("matmul of {} and {} over ranks: convert one operand, as converted(x, dtype::{})",
                     name(a), name(b), name(a)));
  return with_type(a, [&]<class T>(T one) -> any_distributed_array {
    if constexpr (std::is_floating_point_v<T> || is_complex<T>) {
      return f(one);
    } else {
      fail(fmt::format("matmul of {}: the type is float32, float64, complex64 or complex128",
                       name(dtype_of<T>)));
    }
  });
}

}  // namespace

any_distributed_array matmul(const ranks& all, const any_distributed_array& a, const any_const_view& b,
                             matmul_algorithm algorithm) {
  return of_type(a.dtype(), b.dtype(),
                 [&]<class T>(T) { return matmul(all, a.as<T>(), b.as<T>(), algorithm); });
}
any_distributed_array matmul(const ranks& all, const any_const_view& a, const any_distributed_array& b,
                             matmul_algorithm algorithm) {
  return of_type(a.dtype(), b.dtype(),
                 [&]<class T>(T) { return matmul(all, a.as<T>(), b.as<T>(), algorithm); });
}
any_distributed_array matmul(const ranks& all, const any_distributed_array& a, const any_distributed_array& b,
                             matmul_algorithm algorithm) {
  return of_type(a.dtype(), b.dtype(),
                 [&]<class T>(T) { return matmul(all, a.as<T>(), b.as<T>(), algorithm); });
}

}  // namespace heddle
