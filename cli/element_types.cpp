#include "element_types.hpp"

#include <heddle/error.hpp>

#include <fmt/core.h>

namespace heddle::cli {

void fail_complex_order(const char* op, dtype type) {
  detail::fail(
      fmt::format("{} of {}: complex numbers have no order here (sum and prod take them)", op, name(type)));
}

}  // namespace heddle::cli
