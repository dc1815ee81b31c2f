#include "dispatch/any_arguments.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>

#include <optional>

namespace heddle {

any_value reduce(const ranks& all, const any_distributed_array& x, runtime_op op,
                 const std::optional<any_value>& init) {
  impl::require_monoid(op, x.dtype());
  const std::optional<any_value> first = impl::initial(init, op, x.dtype());
  return x.visit([&]<class T>(const distributed_array<T>& y) {
    any_value total(false);
    impl::with_op(op, [&]<class Op>(Op o) {
      if constexpr (impl::library_combines<T, Op>())
        total = any_value(first ? reduce(all, y, o, first->as<T>()) : reduce(all, y, o));
    });
    return total;
  });
}

any_distributed_array reduce(const ranks& all, const any_distributed_array& x, axis along, runtime_op op) {
  impl::require_monoid(op, x.dtype());
  return x.visit([&]<class T>(const distributed_array<T>& y) {
    std::optional<any_distributed_array> result;
    impl::with_op(op, [&]<class Op>(Op o) {
      if constexpr (impl::library_combines<T, Op>()) result.emplace(reduce(all, y, along, o));
    });
    return *std::move(result);
  });
}

}  // namespace heddle
