#pragma once

#include "cuda_on_cpu/device/heddle_device/abi.hpp"
#include <heddle/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::impl {

/// A kernel that was compiled and loaded.
class function_state {
 public:
  virtual ~function_state() = default;

  std::string name;
  std::vector<parameter_description> parameters;
  bool has_parameters = true;  ///< false where nothing is known of them

  /// Launches it; `values` points to each argument.
  virtual void launch(const target& where, const dimensions& grid, const dimensions& block,
                      std::size_t shared_bytes, void* const* values) const = 0;
};

/// A source that was compiled and loaded.
class module_state {
 public:
  virtual ~module_state() = default;
  virtual std::shared_ptr<const function_state> function(const std::string& name) = 0;
  /// A function of the host that the source exports as extern "C"; for CPUs.
  virtual void* host_function(const char* name) = 0;

  bool was_cached = true;
};

std::shared_ptr<module_state> compile_for_cpu(const target& where, const std::string& source,
                                              const module_options& options);

/// Throws heddle::error unless the arguments fit the kernel's parameters, as far as those are known.
void check_arguments(const function_state& function, const kernel_argument* arguments, std::size_t count);

/// "float", "unsigned char", …
const char* name(number type) noexcept;
/// Bytes of a number; 0 for `other`.
std::size_t size_of(number type) noexcept;

/// "float", "float4", "particle"; empty where the compiler did not say.
std::string type_name(const heddle_device::element_type& element);

/// A parameter as a module describes it.
parameter_description described(const heddle_device::parameter& p, std::string name);

/// "inner::sum<float, 64>" of "void inner::sum<float, 64>(float const*, int)": as the source names it.
std::string_view function_name(std::string_view demangled);

/// The parameters that a demangled name of a function lists, "void sum<float>(float const*, int)"; nothing
/// where it lists none.
std::vector<parameter_description> parameters_in(std::string_view demangled);

}  // namespace heddle::impl
