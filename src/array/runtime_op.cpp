#include <heddle/error.hpp>
#include <heddle/runtime_op.hpp>

#include <string>

#include <fmt/core.h>

namespace heddle {
namespace {

struct named_op {
  runtime_op op;
  const char *name, *also, *short_name;
};

constexpr named_op named_ops[] = {{runtime_op::plus, "plus", "add", "sum"},
                                  {runtime_op::multiplies, "multiplies", "multiply", "prod"},
                                  {runtime_op::minimum, "minimum", "min", "min"},
                                  {runtime_op::maximum, "maximum", "max", "max"},
                                  {runtime_op::logical_and, "logical_and", "logical_and", "logical_and"},
                                  {runtime_op::logical_or, "logical_or", "logical_or", "logical_or"},
                                  {runtime_op::logical_xor, "logical_xor", "logical_xor", "logical_xor"},
                                  {runtime_op::bit_and, "bit_and", "bitwise_and", "bitwise_and"},
                                  {runtime_op::bit_or, "bit_or", "bitwise_or", "bitwise_or"},
                                  {runtime_op::bit_xor, "bit_xor", "bitwise_xor", "bitwise_xor"},
                                  {runtime_op::minus, "minus", "subtract", "subtract"}};

}  // namespace

const char* name(runtime_op op) noexcept {
  for (const named_op& named : named_ops) {
    if (named.op == op) return named.name;
  }
  return "none";
}

runtime_op parse_runtime_op(std::string_view text) {
  std::string names;
  for (const named_op& named : named_ops) {
    if (text == named.name || text == named.also || text == named.short_name) return named.op;
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  }
  fail(fmt::format("there is no operator '{}' (the operators are {})", text, names));
}

}  // namespace heddle
