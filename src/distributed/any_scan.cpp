#include "dispatch/any_arguments.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>
#include <heddle/impl/distributed_scan.hpp>

#include <optional>

namespace heddle {
namespace {

using optional_value = std::optional<any_value>;

/// Calls f(array, operator, initial value) with their static types.
template <class F>
any_distributed_array scanned(const any_distributed_array& x, runtime_op op, const optional_value& init,
                              const F& f) {
  impl::require_monoid(op, x.dtype());
  const optional_value first = impl::initial(init, op, x.dtype());
  return x.visit([&]<class T>(const distributed_array<T>& y) {
    std::optional<any_distributed_array> result;
    impl::with_op(op, [&]<class Op>(Op o) {
      if constexpr (impl::library_combines<T, Op>())
        result.emplace(f(y, o, first ? std::optional<T>(first->as<T>()) : std::optional<T>()));
    });
    return *std::move(result);
  });
}

}  // namespace

any_distributed_array inclusive_scan(const ranks& all, const any_distributed_array& x, runtime_op op,
                                     const optional_value& init) {
  return scanned(x, op, init, [&](const auto& y, const auto& o, const auto& first) {
    return inclusive_scan(all, y, o, first);
  });
}
any_distributed_array exclusive_scan(const ranks& all, const any_distributed_array& x, runtime_op op,
                                     const optional_value& init) {
  return scanned(x, op, init, [&](const auto& y, const auto& o, const auto& first) {
    return exclusive_scan(all, y, o, first);
  });
}
any_distributed_array inclusive_scan(const ranks& all, const any_distributed_array& x, axis along,
                                     runtime_op op, const optional_value& init) {
  return scanned(x, op, init, [&](const auto& y, const auto& o, const auto& first) {
    return inclusive_scan(all, y, along, o, first);
  });
}
any_distributed_array exclusive_scan(const ranks& all, const any_distributed_array& x, axis along,
                                     runtime_op op, const optional_value& init) {
  return scanned(x, op, init, [&](const auto& y, const auto& o, const auto& first) {
    return exclusive_scan(all, y, along, o, first);
  });
}

}  // namespace heddle
