#include "core/visit_ordered.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>

#include <cstddef>

namespace heddle {

std::size_t argmin(const ranks& all, const any_distributed_array& x) {
  return impl::visit_ordered<std::size_t>("argmin", x, [&](const auto& y) { return argmin(all, y); });
}
std::size_t argmax(const ranks& all, const any_distributed_array& x) {
  return impl::visit_ordered<std::size_t>("argmax", x, [&](const auto& y) { return argmax(all, y); });
}
distributed_array<std::size_t> argmin(const ranks& all, const any_distributed_array& x, axis along) {
  return impl::visit_ordered<distributed_array<std::size_t>>(
      "argmin", x, [&](const auto& y) { return argmin(all, y, along); });
}
distributed_array<std::size_t> argmax(const ranks& all, const any_distributed_array& x, axis along) {
  return impl::visit_ordered<distributed_array<std::size_t>>(
      "argmax", x, [&](const auto& y) { return argmax(all, y, along); });
}

}  // namespace heddle
