#include "core/visit_ordered.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>

#include <cstddef>

namespace heddle {

any_distributed_array sort(const ranks& all, const any_distributed_array& x, axis along, sort_order order) {
  return impl::visit_ordered<any_distributed_array>(
      "sort", x, [&](const auto& y) { return sort(all, y, along, order); });
}
distributed_array<std::size_t> argsort(const ranks& all, const any_distributed_array& x, axis along,
                                       sort_order order) {
  return impl::visit_ordered<distributed_array<std::size_t>>(
      "argsort", x, [&](const auto& y) { return argsort(all, y, along, order); });
}
any_distributed_array sort(const ranks& all, const any_distributed_array& x, sort_order order) {
  return impl::visit_ordered<any_distributed_array>("sort", x,
                                                    [&](const auto& y) { return sort(all, y, order); });
}
distributed_array<std::size_t> argsort(const ranks& all, const any_distributed_array& x, sort_order order) {
  return impl::visit_ordered<distributed_array<std::size_t>>(
      "argsort", x, [&](const auto& y) { return argsort(all, y, order); });
}

}  // namespace heddle
