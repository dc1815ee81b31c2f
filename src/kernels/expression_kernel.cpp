#include "kernels/expression.hpp"
#include <heddle/any_kernel.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle {

namespace impl {

std::vector<expression_argument> expression_arguments(std::span<const untyped_argument> arguments) {
  std::vector<expression_argument> all;
  for (const untyped_argument& a : arguments) {
    if (a.is_array) {
      all.push_back({{&a.data, a.type, a.bytes, true, !a.is_written, &a.where},
                     const_cast<void*>(a.data),
                     a.lengths,
                     true});
    } else {
      all.push_back({{a.data, a.type, a.bytes}, nullptr, {}, false});
    }
  }
  return all;
}

}  // namespace impl

const std::vector<expression_parameter>& elementwise_kernel::parameters() const noexcept {
  return impl::parameters_of(*state_);
}

void elementwise_kernel::call(const target& where, std::span<const untyped_argument> arguments,
                              std::optional<std::size_t> size) const {
  const std::vector<impl::expression_argument> all = impl::expression_arguments(arguments);
  impl::run_elementwise(*state_, impl::prepare(*state_, where, all.data(), all.size(), size), all.data());
}

void elementwise_kernel::on_piece(const target& where, const std::vector<untyped_argument>& arguments,
                                  std::size_t count, std::size_t first, std::size_t n) const {
  std::vector<impl::expression_argument> all = impl::expression_arguments(arguments);
  for (impl::expression_argument& a : all) a.lengths = shape{count};
  impl::run_elements(*state_, {where, shape{count}}, all.data(), n, first);
}

any_reduction_kernel::any_reduction_kernel(dtype type, const std::string& parameters, const std::string& map,
                                           const std::string& combine, const std::string& identity,
                                           const expression_options& options)
    : type_(type),
      state_(impl::combining_expression(false, type, parameters, map, combine, identity, options)) {}

const std::vector<expression_parameter>& any_reduction_kernel::parameters() const noexcept {
  return impl::parameters_of(*state_);
}

any_value any_reduction_kernel::operator()(const target& where, std::span<const untyped_argument> arguments,
                                           std::optional<std::size_t> size) const {
  const std::vector<impl::expression_argument> all = impl::expression_arguments(arguments);
  alignas(largest_element_bytes) std::byte result[largest_element_bytes] = {};
  impl::run_reduction(*state_, impl::prepare(*state_, where, all.data(), all.size(), size), all.data(),
                      result);
  return {type_, result};
}

any_scan_kernel::any_scan_kernel(dtype type, const std::string& parameters, const std::string& map,
                                 const std::string& combine, const std::string& identity,
                                 const expression_options& options)
    : type_(type),
      state_(impl::combining_expression(true, type, parameters, map, combine, identity, options)) {}

const std::vector<expression_parameter>& any_scan_kernel::parameters() const noexcept {
  return impl::parameters_of(*state_);
}

any_array any_scan_kernel::scan(bool is_exclusive, const target& where,
                                std::span<const untyped_argument> arguments) const {
  const std::vector<impl::expression_argument> all = impl::expression_arguments(arguments);
  const impl::expression_call call = impl::prepare(*state_, where, all.data(), all.size());
  any_array out(type_, call.lengths, call.where);
  impl::run_scan(*state_, call, all.data(), is_exclusive, out.data());
  return out;
}

}  // namespace heddle
