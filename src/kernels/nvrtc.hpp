#pragma once

#include "kernels/module_state.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// NVRTC and the driver's library are looked for when they are first needed, so that a program starts without
/// them.
namespace heddle::gpu {

/// A kernel in a compiled module.
struct compiled_kernel {
  std::string symbol;  ///< as the linker knows it
  std::string name;    ///< "inner::sum<float, 64>"
  std::vector<impl::parameter_description> parameters;
  bool has_types = true;  ///< false for extern "C", which says no more than sizes
};

/// Code for one GPU.
struct device_code {
  std::string image;  ///< a cubin
  std::vector<compiled_kernel> kernels;
  std::map<std::string, std::string> symbol_of;  ///< of each name expression
  bool was_cached = false;
};

/// Compiles for a compute capability, such as 90, or takes what was kept. Needs no GPU.
device_code compile_by_nvrtc(int capability, const std::string& source, const module_options& options);

/// The kernel that is asked for as NAME, NAME<ARGUMENTS>, NAME(TYPES) or NAME<ARGUMENTS>(TYPES), with its
/// namespaces or without; null when there is none, heddle::error when there are several.
const compiled_kernel* find_kernel(const device_code& code, std::string_view asked_for);

/// The name expression to compile for a kernel that is not in the code: a template's instance,
/// or an overload whose types are spelled in another way there, such as by an alias; empty when there is
/// nothing.
std::string expression_for(const device_code& code, const std::string& asked_for);

/// Says that there is no such kernel, and which there are.
std::string why_no_kernel(const device_code& code, std::string_view asked_for);

/// Whether NVRTC can be loaded.
bool has_nvrtc() noexcept;

/// The kernels of PTX, and their parameters.
std::vector<compiled_kernel> kernels_in_ptx(std::string_view ptx);

}  // namespace heddle::gpu
