#include "checker/engine/module.hpp"

#include "checker/engine/regions.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

#include <dlfcn.h>
#include <fmt/core.h>
#include <link.h>

namespace heddle::checker {

module::module(std::string path, kernel_declaration declaration, const std::string& kernel)
    : path_(std::move(path)), declaration_(std::move(declaration)) {
  handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  // The host's part, which is not run, may call what is in other files.
  if (handle_ == nullptr) handle_ = dlopen(path_.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle_ == nullptr) throw error(fmt::format("the compiled kernel cannot be loaded: {}", dlerror()));
  bind({static_cast<void**>(dlsym(handle_, "heddle_module_slots")),
        static_cast<const heddle_device::kernel_entry*>(dlsym(handle_, "heddle_module_kernels")),
        static_cast<const heddle_device::variable* const*>(dlsym(handle_, "heddle_module_variables")),
        static_cast<const heddle_device::member* const*>(dlsym(handle_, "heddle_module_members"))});
  const std::string wanted = cuda_on_cpu::entry_name(declaration_, kernel);
  const auto entry = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const heddle_device::kernel_entry& e) { return wanted == e.name; });
  if (entry == kernels_.end()) throw error(fmt::format("{} is not in what was compiled", wanted));
  kernel_ = entry->kernel;
}

module::module(std::string path, const module_tables& tables) : path_(std::move(path)) {
  bind(tables);
}

void module::bind(const module_tables& tables) {
  std::size_t count = 0;
  while (tables.kernels[count].name != nullptr) ++count;
  kernels_ = {tables.kernels, count};
  variables_ = {tables.variables[0], static_cast<std::size_t>(tables.variables[1] - tables.variables[0])};
  know_members({tables.members[0], static_cast<std::size_t>(tables.members[1] - tables.members[0])});
  const auto functions = module_functions();
  std::copy(functions.begin(), functions.end(), tables.slots);

  Dl_info about{};
  dladdr(tables.slots, &about);
  base_ = reinterpret_cast<std::uintptr_t>(about.dli_fbase);
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* self) {
        auto& m = *static_cast<module*>(self);
        if (info->dlpi_addr != m.base_) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          const std::uintptr_t begin = m.base_ + header.p_vaddr, end = begin + header.p_memsz;
          m.end_ = std::max(m.end_, end);
          if ((header.p_flags & PF_X) != 0) m.code_ = begin, m.code_end_ = end;
        }
        return 1;
      },
      this);
}

module::~module() {
  if (handle_ != nullptr) dlclose(handle_);
}

bool module::is_virtual_table(std::uintptr_t address) const noexcept {
  constexpr std::uintptr_t word = sizeof(std::uintptr_t);
  const auto is_data = [&](std::uintptr_t at) {
    return at % word == 0 && at >= base_ + word && at + word <= end_ && !is_code(at);
  };
  if (!is_data(address)) return false;
  // The C++ ABI has what describes the type before the functions; that is an object of a class of its own.
  const std::uintptr_t type = reinterpret_cast<const std::uintptr_t*>(address)[-1];
  if (!is_data(type)) return false;
  Dl_info about{};
  const auto* const kind = *reinterpret_cast<void* const*>(type);
  return dladdr(kind, &about) != 0 && about.dli_sname != nullptr &&
         std::string_view(about.dli_sname).starts_with("_ZTVN10__cxxabiv1");
}

std::string module::parameter_name(std::size_t i) const {
  if (i < declaration_.parameters.size() && !declaration_.parameters[i].empty())
    return declaration_.parameters[i];
  return fmt::format("parameter {}", i + 1);
}

}  // namespace heddle::checker
