#include "element_types.hpp"

#include <heddle/error.hpp>

#include <fmt/core.h>

namespace heddle::cli {

void fail_complex_order(const char* op, dtype type, const char* remedy) {
  fail(fmt::format("{} of {}: complex numbers have no order here{}", op, name(type), remedy));
}

}  // namespace heddle::cli
