#pragma once

/// What the host's part of a program and what runs it agree on of sources that are compiled at run time, and
/// of modules, which name kernels and variables. Functions return an error of CUDA's; 0 for none.

namespace heddle_device {

/// A source, its options, headers that are in memory, and what of its templates is wanted.
struct text_request {
  const char* name;
  const char* text;
  const char* const* options;
  u64 option_count;
  const char* const* header_names;
  const char* const* headers;
  u64 header_count;
  const char* const* expressions;
  u64 expression_count;
};

struct function_facts {
  const char* name;
  const parameter* parameters;
  u64 parameter_count;
  u64 most_threads, shared_limit;
};

class module_runtime {
 public:
  /// What its compiled form is called, by which it is loaded; null where it cannot be compiled, as the log
  /// says. Both live as long as the program.
  virtual const char* compile(const text_request& what, const char** log) = 0;
  /// Of a file, or where its name is null of an image in memory.
  virtual int load(void** made, const char* path, const void* image) = 0;
  virtual int unload(void* module) = 0;
  virtual int find_kernel(void* module, const char* name, const void** function) = 0;
  virtual int find_variable(void* module, const char* name, void** where, u64* bytes) = 0;
  /// Writes at most `count` of them, and how many there are; only the latter where `functions` is null.
  virtual int list_kernels(void* module, const void** functions, u64* count) = 0;
  virtual int describe(const void* function, function_facts* facts) = 0;

 protected:
  ~module_runtime() = default;
};

}  // namespace heddle_device
