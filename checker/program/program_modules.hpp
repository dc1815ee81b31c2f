#pragma once

#include "checker/build/run_time_source.hpp"
#include "cuda_on_cpu/device/heddle_device/runtime.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::checker {

class program_runtime;

/// Modules of a program by the driver API, and sources that it compiles while it runs. One that is not known
/// yet ends the process: what started it compiles the source and begins the program anew.
class program_modules final : public heddle_device::module_runtime {
 public:
  explicit program_modules(program_runtime& program) : program_(program) {}

  /// Sources that were compiled, or that the compiler has refused.
  void know(std::vector<run_time_source> sources) { sources_ = std::move(sources); }
  void know(const heddle_device::kernel_entry* table);

  const char* compile(const heddle_device::text_request& what, const char** log) override;
  int load(void** made, const char* path, const void* image) override;
  int unload(void* handle) override;
  int find_kernel(void* handle, const char* name, const void** function) override;
  int find_variable(void* handle, const char* name, void** where, heddle_device::u64* bytes) override;
  int list_kernels(void* handle, const void** functions, heddle_device::u64* count) override;
  int describe(const void* function, heddle_device::function_facts* facts) override;

 private:
  struct loaded_module {
    std::string name;                                    // as errors tell it
    const heddle_device::kernel_entry* table = nullptr;  // of a text; null for the program's own files
  };
  loaded_module* find(void* handle);
  const run_time_source& compiled(const run_time_source& wanted);
  /// Calls f(entry) for the kernels of a module, until it returns true.
  template <class F>
  void each_kernel(const loaded_module& m, F f) const;

  program_runtime& program_;
  std::vector<run_time_source> sources_;
  std::map<std::string, std::string> handles_;  // by ids
  std::vector<const heddle_device::kernel_entry*> own_tables_;
  std::map<std::string, const heddle_device::kernel_entry*> tables_of_texts_;  // by ids
  std::map<void*, std::unique_ptr<loaded_module>> modules_;
};

}  // namespace heddle::checker
