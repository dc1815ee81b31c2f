#include "cuda_on_cpu/compile/compilation.hpp"
#include "cuda_on_cpu/run/cpu_library.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"
#include "kernels/module_state.hpp"
#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>

#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::impl {
namespace {

using cuda_on_cpu::compilation;
using cuda_on_cpu::cpu_library;
using cuda_on_cpu::kernel_declaration;

/// A compilation, loaded; functions keep it.
struct loaded {
  compilation compiled;
  cpu_library library;
  explicit loaded(compilation of) : compiled(std::move(of)), library(compiled) {}
};

static_assert(static_cast<int>(number::f64) == static_cast<int>(heddle_device::scalar::f64));

class cpu_function : public function_state {
 public:
  cpu_function(std::shared_ptr<loaded> from, const kernel_declaration& declaration,
               const heddle_device::kernel& kernel, const std::string& entry)
      : from_(std::move(from)), declaration_(declaration), kernel_(kernel) {
    name = entry;
    for (std::size_t i = 0; i < kernel.parameter_count; ++i) {
      parameters.push_back(described(kernel.parameters[i], i < declaration.parameters.size()
                                                               ? declaration.parameters[i]
                                                               : std::string()));
    }
  }

  void launch(const target& where, const dimensions& grid, const dimensions& block, std::size_t shared_bytes,
              void* const* values) const override {
    check(grid, block, shared_bytes);
    const auto index = [](const dimensions& d) {
      return heddle_device::index3{static_cast<std::uint32_t>(d.x), static_cast<std::uint32_t>(d.y),
                                   static_cast<std::uint32_t>(d.z)};
    };
    // A reference is passed as the address of its object, as an array is.
    std::vector<void*> arguments(values, values + kernel_.parameter_count);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (kernel_.parameters[i].kind == heddle_device::parameter_kind::reference)
        arguments[i] = *static_cast<void**>(arguments[i]);
    }
    run_grid(from_->library, {&kernel_, &declaration_, arguments.data(), index(grid), index(block),
                              shared_bytes, where.threads()});
  }

 private:
  /// Throws for a launch that a GPU would refuse.
  void check(const dimensions& grid, const dimensions& block, std::size_t shared_bytes) const {
    const auto bounds = heddle_device::kernel_bounds::of(kernel_.bounds);
    for (const std::string& why :
         {cuda_on_cpu::wrong_shape(grid, block), cuda_on_cpu::wrong_bound(block, bounds.most_threads),
          cuda_on_cpu::wrong_shared_bytes(shared_bytes), without_clusters(bounds.cluster)}) {
      if (!why.empty()) throw error(fmt::format("{}: {}", name, why));
    }
  }

  static std::string without_clusters(heddle_device::index3 size) {
    return cuda_on_cpu::volume(size) <= 1
               ? ""
               : fmt::format("clusters of {} blocks: a CPU runs them under heddle check alone",
                             cuda_on_cpu::volume(size));
  }

  std::shared_ptr<loaded> from_;
  const kernel_declaration& declaration_;
  const heddle_device::kernel& kernel_;
};

class cpu_module : public module_state {
 public:
  cpu_module(std::string source, std::string name, cuda_on_cpu::compile_options options)
      : source_(std::move(source)), name_(std::move(name)), options_(std::move(options)) {
    all_ = load(options_);
  }

  std::shared_ptr<const function_state> function(const std::string& name) override {
    const auto instances = instances_.lock();
    const kernel_declaration& declaration = cuda_on_cpu::find_kernel(all_->compiled.kernels, name);
    const std::string entry = cuda_on_cpu::entry_name(declaration, name);
    const auto known = instances->find(entry);
    std::shared_ptr<loaded> from = known == instances->end() ? all_ : known->second;
    if (from->library.find(entry) == nullptr) {
      cuda_on_cpu::compile_options with_instance = options_;
      with_instance.instances.push_back(name);
      from = load(with_instance);
      (*instances)[entry] = from;
    }
    const heddle_device::kernel* const kernel = from->library.find(entry);
    if (kernel == nullptr) throw error(fmt::format("{} is not in what was compiled of {}", entry, name_));
    return std::make_shared<cpu_function>(from, cuda_on_cpu::find_kernel(from->compiled.kernels, name),
                                          *kernel, entry);
  }

  void* host_function(const char* name) override { return all_->library.function(name); }

 private:
  std::shared_ptr<loaded> load(const cuda_on_cpu::compile_options& options) {
    auto made = std::make_shared<loaded>(cuda_on_cpu::compile(source_, name_, options));
    was_cached &= made->compiled.was_cached;
    return made;
  }

  std::string source_, name_;
  cuda_on_cpu::compile_options options_;
  std::shared_ptr<loaded> all_;
  fork_aware_member<std::map<std::string, std::shared_ptr<loaded>>> instances_;
};

}  // namespace

std::shared_ptr<module_state> compile_for_cpu(const target&, const std::string& source,
                                              const module_options& options) {
  cuda_on_cpu::compile_options how;
  how.include_folders = options.include_folders;
  how.definitions = options.definitions;
  how.standard = options.standard;
  how.flags = options.flags;
  how.instances = options.name_expressions;
  return std::make_shared<cpu_module>(source, options.name, std::move(how));
}

}  // namespace heddle::impl
