#pragma once

#include "cuda_on_cpu/translate/kernel_declaration.hpp"
#include "cuda_on_cpu/translate/libraries.hpp"
#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/subscripts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// A CUDA source as a host compiler takes it.
struct translation {
  std::string text;
  std::vector<kept_part> kept;
  std::vector<kernel_declaration> kernels;
  bool has_volatile = false;
  bool has_main = false;
  std::vector<subscript> subscripts;  ///< in code of the device
};

struct translation_options {
  std::vector<std::string> instances;  ///< of templates, such as "sum<float>", that are kernels of the result
  bool is_program = false;             ///< a main is exported
  /// Of several files that are compiled apart, as by nvcc without -rdc=true: code and variables of the device
  /// are the file's own.
  bool is_apart = false;
  bool flattens = false;                    ///< kernels have no calls of what has a body that is known
  std::vector<included_library> libraries;  ///< of which headers are included
};

/// Rewrites what a host compiler does not know in a preprocessed CUDA source: qualifiers are taken out,
/// shared variables become references to a place that a block has for them, variables of the module and its
/// kernels are described for what runs them: those that are no templates, and the instances of those that
/// are. Lines stay where they are. What is not supported is a heddle::error that names it and its line.
translation translate(std::string_view preprocessed, const translation_options& options);

/// What a preprocessed source of the host alone, in C or C++, is compiled as: its main is exported.
translation translate_host(std::string_view preprocessed, bool is_c);

}  // namespace heddle::cuda_on_cpu
