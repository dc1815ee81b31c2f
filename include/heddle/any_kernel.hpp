#pragma once

#include <heddle/any_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/kernel.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Reductions and scans from source, of elements whose type is known at run time.
namespace heddle {

/// reduction_kernel<T> for the T of `type`, with its contract and errors. `size` is the number of elements
/// where no argument is an array.
class any_reduction_kernel {
 public:
  any_reduction_kernel(dtype type, const std::string& parameters, const std::string& map,
                       const std::string& combine, const std::string& identity = {},
                       const expression_options& options = {});
  any_value operator()(const target& where, std::span<const untyped_argument> arguments,
                       std::optional<std::size_t> size = {}) const;
  const std::vector<expression_parameter>& parameters() const noexcept;

 private:
  dtype type_;
  std::shared_ptr<impl::expression_state> state_;
};

/// scan_kernel<T> for the T of `type`, with its contract and errors.
class any_scan_kernel {
 public:
  any_scan_kernel(dtype type, const std::string& parameters, const std::string& map,
                  const std::string& combine, const std::string& identity = {},
                  const expression_options& options = {});
  any_array operator()(const target& where, std::span<const untyped_argument> arguments) const {
    return scan(false, where, arguments);
  }
  any_array exclusive(const target& where, std::span<const untyped_argument> arguments) const {
    return scan(true, where, arguments);
  }
  const std::vector<expression_parameter>& parameters() const noexcept;

 private:
  any_array scan(bool is_exclusive, const target& where, std::span<const untyped_argument> arguments) const;

  dtype type_;
  std::shared_ptr<impl::expression_state> state_;
};

}  // namespace heddle
