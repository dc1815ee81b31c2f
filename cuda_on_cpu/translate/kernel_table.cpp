#include "cuda_on_cpu/translate/kernel_table.hpp"

#include <string_view>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {

std::size_t count_template_arguments(std::string_view text) {
  if (text.size() < 3) return 0;
  std::size_t depth = 0, count = 1;
  for (const char c : text.substr(1, text.size() - 2)) {
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' || c == ')' || c == '}' || c == ']') && depth > 0) --depth;
    if (c == ',' && depth == 0) ++count;
  }
  return count;
}

std::string kernel_table(const std::vector<kernel_declaration>& kernels,
                         const std::map<std::string, launch_bound>& bounds,
                         const translation_options& options) {
  std::string entries;
  const auto add = [&](const kernel_declaration& k, std::string_view instance, const std::string& function) {
    const auto bound = bounds.find(k.qualified);
    const std::string_view arguments = parse_kernel_name(instance).arguments;
    const bool is_known =
        bound != bounds.end() && count_template_arguments(arguments) >= bound->second.arguments_used;
    const std::string of_bound =
        is_known ? fmt::format(", ::{}{}", bound->second.variable, arguments) : std::string();
    // Programs launch by address, too.
    const std::string address = options.is_program ? fmt::format("(const void*)({})", function) : "nullptr";
    entries += fmt::format(" {{\"{}\", &::heddle_device::entry<({}){}>::value, {}}},",
                           entry_name(k, instance), function, of_bound, address);
  };
  for (const kernel_declaration& k : kernels) {
    // What another file of the program defines is in its table.
    if (!k.is_template && (k.is_defined || !options.is_program)) add(k, "", "::" + k.constant);
  }
  for (const std::string& instance : options.instances) {
    const kernel_name asked = parse_kernel_name(instance);
    const kernel_declaration& k = find_kernel(kernels, instance);
    const std::string function = fmt::format("&::{}{}", k.qualified, asked.arguments);
    add(k, instance,
        asked.parameters ? fmt::format("static_cast<void (*){}>({})", *asked.parameters, function)
                         : function);
  }
  if (options.is_program)
    return fmt::format(
        "\n# 1 \"--kernel\"\nstatic const ::heddle_device::kernel_entry heddle_kernels_of_file[] = {{{} "
        "{{nullptr, nullptr, nullptr}}}};\n"
        "__attribute__((constructor(101))) static void heddle_begin_file() {{ "
        "::heddle_device::begin_file(heddle_kernels_of_file); }}\n",
        entries);
  return fmt::format(
      "\n# 1 \"--kernel\"\n"
      "extern \"C\" __attribute__((visibility(\"default\"), used)) const ::heddle_device::kernel_entry "
      "heddle_module_kernels[] = {{{} {{nullptr, nullptr, nullptr}}}};\n",
      entries);
}

std::string main_entry_of_host(bool is_c) {
  return fmt::format(
      "\n{}__attribute__((visibility(\"default\"), used)) int heddle_module_main(int count, char** words, "
      "char** "
      "environment) {{ return ((int (*)(int, char**, char**))(void*)&main)(count, words, environment); }}\n",
      is_c ? "" : "extern \"C\" ");
}

std::string main_entry() {
  return "extern \"C\" __attribute__((visibility(\"default\"), used)) int heddle_module_main(int count, "
         "char** words, char** environment) { return ::heddle_device::call_main(&::main, count, words, "
         "environment); }\n";
}

}  // namespace heddle::cuda_on_cpu
