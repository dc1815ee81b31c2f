#include "core/visit_ordered.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>

namespace heddle {

any_distributed_array unique(const ranks& all, const any_distributed_array& x) {
  return impl::visit_ordered<any_distributed_array>("unique", x,
                                                    [&](const auto& y) { return unique(all, y); });
}

}  // namespace heddle
