#include "cuda_on_cpu/compile/source_names.hpp"
#include "kernels/gpu_module.hpp"
#include "kernels/module_state.hpp"
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>
#include <heddle/support/named_stream.hpp>

#include <vector>

#include <fmt/format.h>

namespace heddle {
namespace impl {

void launch(const function_state& function, const target& where, const dimensions& grid,
            const dimensions& block, std::size_t shared_bytes, const kernel_argument* arguments,
            std::size_t count) {
  check_arguments(function, arguments, count);
  std::vector<void*> values;
  for (std::size_t i = 0; i < count; ++i) {
    const kernel_argument& a = arguments[i];
    if (a.where != nullptr && !same_memory(*a.where, where)) {
      throw error(fmt::format("{}: argument {} is on {}, and the kernel runs on {}: bring it there with on()",
                              function.name, i + 1, a.where->text(), where.text()));
    }
    values.push_back(const_cast<void*>(a.value));
  }
  // The launch is ordered after earlier work on the arrays, and later work on them after the launch.
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i].where != nullptr) order(*arguments[i].where, where);
  }
  function.launch(where, grid, block, shared_bytes, values.data());
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i].where != nullptr) order(where, *arguments[i].where);
  }
}

const function_state& state_of(const kernel_function& kernel) noexcept {
  return *kernel.function_;
}

}  // namespace impl

module::module(const target& where, const std::string& source, const module_options& options)
    : where_(!where.is_automatic()        ? where
             : gpu::can_compile_modules() ? target::best()
                                          : target::parallel()),
      state_(where_.is_gpu() ? gpu::compile_module(where_, source, options)
                             : impl::compile_for_cpu(where_, source, options)) {}

// A line that begins with `module` is a directive to compilers that have modules.
heddle::module module::from_file(const target& where, const std::string& path, module_options options) {
  options.include_folders.push_back(cuda_on_cpu::folder_of_source(path));
  options.name = shown_path(path);
  return module(where, cuda_on_cpu::read_source(path), options);
}

kernel_function module::function(const std::string& name) const {
  return {state_->function(name), where_};
}

bool module::was_cached() const noexcept {
  return state_->was_cached;
}

bool can_compile_for_gpu() noexcept {
  return gpu::can_compile_modules();
}

void kernel_launch::call(std::span<const untyped_argument> arguments) const {
  std::vector<impl::kernel_argument> all;
  for (const untyped_argument& a : arguments) {
    const void* const value = a.is_array ? static_cast<const void*>(&a.data) : a.data;
    const bool is_null = a.is_array && a.data == nullptr && a.bytes == 0;
    all.push_back({value, a.type, a.bytes, a.is_array, a.is_array && !a.is_written,
                   a.is_array && !is_null ? &a.where : nullptr});
  }
  launch(all.data(), all.size());
}

const std::string& kernel_function::name() const noexcept {
  return function_->name;
}

const std::vector<kernel_parameter>* kernel_function::parameters() const noexcept {
  return function_->has_parameters ? &function_->parameters : nullptr;
}

kernel_parameter kernel_parameter_of(std::string_view type) {
  return impl::parameter_in(type);
}

void kernel_function::launch(dimensions grid, dimensions block, std::size_t shared_bytes,
                             void* const* arguments) const {
  function_->launch(where_, grid, block, shared_bytes, arguments);
}

std::string kernel_function::signature() const {
  std::vector<std::string> types;
  for (const impl::parameter_description& p : function_->parameters) {
    types.push_back(p.name.empty() ? p.text() : p.text() + " " + p.name);
  }
  return fmt::format("{}({})", function_->name,
                     function_->has_parameters ? fmt::format("{}", fmt::join(types, ", ")) : "...");
}

}  // namespace heddle
