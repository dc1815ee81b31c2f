#pragma once

#include "cuda_on_cpu/device/heddle_device/abi.hpp"
#include "cuda_on_cpu/translate/translation.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::checker {

using cuda_on_cpu::kernel_declaration;

/// What a module says of itself.
struct module_tables {
  void** slots;
  const heddle_device::kernel_entry* kernels;       ///< ends with one without a name
  const heddle_device::variable* const* variables;  ///< the first, and the one after the last
  const heddle_device::member* const* members;      ///< the same
};

/// A compiled module, loaded.
class module {
 public:
  /// Loads it, for one kernel of it: the one that `kernel` names. It is unloaded with its lifetime.
  module(std::string path, kernel_declaration declaration, const std::string& kernel);
  /// One that is being loaded.
  module(std::string path, const module_tables& tables);
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
  std::span<const heddle_device::kernel_entry> kernels() const noexcept { return kernels_; }
  std::span<const heddle_device::variable> variables() const noexcept { return variables_; }

  /// Where it was loaded, and how far it reaches.
  std::uintptr_t base() const noexcept { return base_; }
  std::uintptr_t end() const noexcept { return end_; }
  /// Whether it is of a table of virtual functions, as an object has it.
  bool is_virtual_table(std::uintptr_t address) const noexcept;
  bool is_code(std::uintptr_t address) const noexcept { return address >= code_ && address < code_end_; }

 private:
  void bind(const module_tables& tables);

  std::string path_;
  kernel_declaration declaration_;
  void* handle_ = nullptr;
  const heddle_device::kernel* kernel_ = nullptr;
  std::span<const heddle_device::kernel_entry> kernels_;
  std::span<const heddle_device::variable> variables_;
  std::uintptr_t base_ = 0, end_ = 0, code_ = 0, code_end_ = 0;
};

/// The functions that a module calls, in the order of its slots.
std::span<void* const> module_functions();

}  // namespace heddle::checker
