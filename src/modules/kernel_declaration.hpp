#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::modules {

class token_sequence;

/// A __global__ function of a source.
struct kernel_declaration {
  std::string name;                     ///< without namespaces
  std::string qualified;                ///< with them
  std::vector<std::string> parameters;  ///< their names; empty for one without
  std::vector<std::string> types;       ///< of the parameters, as far as the text says
  bool is_template = false;
  /// Whether nothing in the file lets a block see what another does: no atomic, fence, volatile, output,
  /// clock.
  bool blocks_are_independent = true;
  /// Whether nothing in it, or in what it calls, lets a thread wait for another: none of these, barriers, nor
  /// what warps do together.
  bool threads_are_independent = true;
};

/// Reads the names and types of the parameters between the parentheses that token `open` opens.
void read_parameters(const token_sequence& t, std::size_t open, kernel_declaration& k);

/// The kernel that `name` names, with its namespaces or without, and with arguments where it is a template;
/// heddle::error when there is none, or more than one.
const kernel_declaration& find_kernel(const std::vector<kernel_declaration>& kernels, std::string_view name);

/// What an instance of a template, or a kernel that is none, is called in a compiled module.
std::string entry_name(const kernel_declaration& kernel, std::string_view name);

/// The arguments of a template's instance: "<float>"; empty for what is none.
std::string_view template_arguments(std::string_view name);

}  // namespace heddle::modules
