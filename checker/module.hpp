#pragma once

#include "modules/device/heddle_device/abi.hpp"
#include "modules/translation.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::checker {

using modules::kernel_declaration;

/// A compiled kernel, loaded. It is unloaded with its lifetime.
class module {
 public:
  /// Of the kernels of the library the one that `kernel` names.
  module(std::string path, kernel_declaration declaration, const std::string& kernel);
  ~module();
  module(const module&) = delete;
  module& operator=(const module&) = delete;

  const std::string& path() const noexcept { return path_; }
  const kernel_declaration& declaration() const noexcept { return declaration_; }
  const heddle_device::kernel& kernel() const noexcept { return *kernel_; }
  std::span<const heddle_device::parameter> parameters() const noexcept {
    return {kernel_->parameters, kernel_->parameter_count};
  }
  /// "x", or "parameter 3" where it has no name.
  std::string parameter_name(std::size_t i) const;
  std::span<const heddle_device::variable> variables() const noexcept { return variables_; }

  /// Where it was loaded, and how far it reaches.
  std::uintptr_t base() const noexcept { return base_; }
  std::uintptr_t end() const noexcept { return end_; }

 private:
  std::string path_;
  kernel_declaration declaration_;
  void* handle_ = nullptr;
  const heddle_device::kernel* kernel_ = nullptr;
  std::span<const heddle_device::variable> variables_;
  std::uintptr_t base_ = 0, end_ = 0;
};

/// The functions that a module calls, in the order of its slots.
std::span<void* const> module_functions();

}  // namespace heddle::checker
