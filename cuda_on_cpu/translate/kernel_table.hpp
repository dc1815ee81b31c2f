#pragma once

#include "cuda_on_cpu/translate/translation.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// A variable of what is made of a source that has what __launch_bounds__ and __cluster_dims__ say of a
/// kernel, a template where that is one.
struct launch_bound {
  std::string variable;            ///< with its namespaces
  std::size_t arguments_used = 0;  ///< how many of the template's first arguments it depends on
};

/// How many arguments stand between angle brackets, "<a, b<c, d>>"; 0 where there are none.
std::size_t count_template_arguments(std::string_view text);

/// Source text behind that of a module: what the module exports of its kernels, those that are no templates
/// and the instances of those that are. `bounds` has the variables with what __launch_bounds__ says, by the
/// names of kernels with their namespaces. A heddle::error when an instance is of no kernel.
std::string kernel_table(const std::vector<kernel_declaration>& kernels,
                         const std::map<std::string, launch_bound>& bounds,
                         const translation_options& options);

/// Source text behind that of a program: what calls its main.
std::string main_entry();

/// The same behind a file of the host alone.
std::string main_entry_of_host(bool is_c);

}  // namespace heddle::cuda_on_cpu
