#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

class token_sequence;

/// A __global__ function of a source.
struct kernel_declaration {
  std::string name;                     ///< without namespaces
  std::string qualified;                ///< with them
  std::vector<std::string> parameters;  ///< their names; empty for one without
  std::vector<std::string> types;       ///< of the parameters, as far as the text says
  std::string constant;                 ///< what a translation calls its address; empty for a template
  bool is_template = false;
  bool is_defined = false;     ///< has a body
  bool is_overloaded = false;  ///< others have its name, and its namespaces
  /// Whether nothing in the file lets a block see what another does: no atomic, fence, volatile, output,
  /// clock.
  bool blocks_are_independent = true;
  /// Whether nothing in it, or in what it calls, lets a thread wait for another: none of these, barriers, nor
  /// what warps do together.
  bool threads_are_independent = true;
};

/// Reads the names and types of the parameters between the parentheses that token `open` opens.
void read_parameters(const token_sequence& t, std::size_t open, kernel_declaration& k);

/// How a kernel is asked for: NAME, NAME<ARGUMENTS>, NAME(TYPES), NAME<ARGUMENTS>(TYPES).
struct kernel_name {
  std::string_view name;
  std::string_view arguments;  ///< of a template's instance: "<float>"; empty for what is none
  std::optional<std::string_view> parameters;  ///< the types of an overload: "(float*, int)"
};
kernel_name parse_kernel_name(std::string_view text);

/// The kernel that `asked_for` names, with its namespaces or without, with arguments where it is a template,
/// and with the types of its parameters where it is overloaded; heddle::error when there is none, or more
/// than one.
const kernel_declaration& find_kernel(const std::vector<kernel_declaration>& kernels,
                                      std::string_view asked_for);

/// What an instance of a template, or a kernel that is none, is called in a compiled module.
std::string entry_name(const kernel_declaration& kernel, std::string_view asked_for);

/// The types of the parameters, "int*, float".
std::string parameter_types(const kernel_declaration& kernel);

}  // namespace heddle::cuda_on_cpu
