#pragma once

/// NVRTC: sources that a program compiles while it runs. Names and values are the interface's (toolkit 13).

#include "../driver/modules.hpp"

#include <string>
#include <vector>

// Headers of others ask for it before they use what is here.
#define __NVRTC_H__

// A result, and its number.
#define HEDDLE_RTC_RESULTS(X)                             \
  X(NVRTC_SUCCESS, 0)                                     \
  X(NVRTC_ERROR_OUT_OF_MEMORY, 1)                         \
  X(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2)              \
  X(NVRTC_ERROR_INVALID_INPUT, 3)                         \
  X(NVRTC_ERROR_INVALID_PROGRAM, 4)                       \
  X(NVRTC_ERROR_INVALID_OPTION, 5)                        \
  X(NVRTC_ERROR_COMPILATION, 6)                           \
  X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)             \
  X(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8) \
  X(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9)   \
  X(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10)            \
  X(NVRTC_ERROR_INTERNAL_ERROR, 11)
enum nvrtcResult {
#define HEDDLE_RESULT(NAME, VALUE) NAME = VALUE,
  HEDDLE_RTC_RESULTS(HEDDLE_RESULT)
#undef HEDDLE_RESULT
};

struct _nvrtcProgram {
  std::string name, text;
  std::vector<std::string> header_names, headers, expressions;
  const char* compiled = nullptr;
  const char* log = "";
  bool was_compiled = false;
};
using nvrtcProgram = _nvrtcProgram*;

inline const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
#define HEDDLE_RESULT(NAME, VALUE) \
  case NAME:                       \
    return #NAME;
    HEDDLE_RTC_RESULTS(HEDDLE_RESULT)
#undef HEDDLE_RESULT
  }
  return "NVRTC_ERROR unknown";
}
inline nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}
inline nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return NVRTC_SUCCESS;
}
inline nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  *architectures = 90;
  return NVRTC_SUCCESS;
}
inline nvrtcResult nvrtcCreateProgram(nvrtcProgram* made, const char* text, const char* name, int count,
                                      const char* const* headers, const char* const* header_names) {
  if (made == nullptr || text == nullptr || count < 0) return NVRTC_ERROR_INVALID_INPUT;
  *made = new _nvrtcProgram();
  (*made)->name = name != nullptr ? name : "";
  (*made)->text = text;
  for (int i = 0; i < count; ++i) {
    (*made)->headers.emplace_back(headers[i]);
    (*made)->header_names.emplace_back(header_names[i]);
  }
  return NVRTC_SUCCESS;
}
inline nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program == nullptr || *program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}
inline nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (program->was_compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  program->expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}

namespace heddle_device {

inline std::vector<const char*> pointers_of(const std::vector<std::string>& words) {
  std::vector<const char*> result;
  for (const std::string& w : words) result.push_back(w.c_str());
  return result;
}

}  // namespace heddle_device

inline nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  heddle_module_compiles_sources = 1;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (heddle_device::program_runtime() == nullptr) return NVRTC_ERROR_INTERNAL_ERROR;
  const auto names = heddle_device::pointers_of(program->header_names);
  const auto headers = heddle_device::pointers_of(program->headers);
  const auto expressions = heddle_device::pointers_of(program->expressions);
  const heddle_device::text_request what{
      program->name.c_str(), program->text.c_str(), options,        static_cast<unsigned>(count),
      names.data(),          headers.data(),        headers.size(), expressions.data(),
      expressions.size()};
  program->compiled = heddle_device::program_runtime()->modules().compile(what, &program->log);
  program->was_compiled = true;
  return program->compiled == nullptr ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}

// The name of a compiled source, as a text, takes the place of PTX and of machine code.
#define HEDDLE_CODE(FORM)                                                                       \
  inline nvrtcResult nvrtcGet##FORM##Size(nvrtcProgram program, size_t* bytes) {                \
    if (program == nullptr || program->compiled == nullptr) return NVRTC_ERROR_INVALID_PROGRAM; \
    *bytes = strlen(program->compiled) + 1;                                                     \
    return NVRTC_SUCCESS;                                                                       \
  }                                                                                             \
  inline nvrtcResult nvrtcGet##FORM(nvrtcProgram program, char* code) {                         \
    if (program == nullptr || program->compiled == nullptr) return NVRTC_ERROR_INVALID_PROGRAM; \
    strcpy(code, program->compiled);                                                            \
    return NVRTC_SUCCESS;                                                                       \
  }
HEDDLE_CODE(PTX)
HEDDLE_CODE(CUBIN)
HEDDLE_CODE(LTOIR)
#undef HEDDLE_CODE

inline nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  *bytes = strlen(program->log) + 1;
  return NVRTC_SUCCESS;
}
inline nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  strcpy(log, program->log);
  return NVRTC_SUCCESS;
}
/// Modules know kernels by the names that were asked for.
inline nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (program->compiled == nullptr) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  for (const std::string& known : program->expressions) {
    if (known == expression) {
      *name = known.c_str();
      return NVRTC_SUCCESS;
    }
  }
  return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
