#include "cuda_on_cpu/translate/source_kernels.hpp"

#include "cuda_on_cpu/translate/refusals.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {

void source_kernels::declare(std::size_t i, std::size_t declaration, const scope_stack& scopes) {
  // A friend, or what a function declares, is declared in its namespace, too.
  if (scopes.kind() != scope::space) return;
  kernel_declaration k;
  k.is_template = t_.is(declaration, "template");
  // An explicit instantiation or specialisation is of a template that is known.
  if (t_.is(declaration, "extern") && t_.is(declaration + 1, "template")) return;
  if (k.is_template && (!t_.is(declaration + 1, "<") || t_.is(declaration + 2, ">"))) return;
  token_range bound, cluster;
  std::size_t name = t_.size(), open = t_.size();
  for (std::size_t j = i + 1; j < t_.size(); ++j) {
    if (t_.is(j, "__launch_bounds__") && t_.is(j + 1, "(")) bound = {j + 2, end_of_argument(j + 2)};
    if (t_.is(j, "__cluster_dims__") && t_.is(j + 1, "(")) cluster = {j + 2, t_.after_group(j + 1) - 1};
    if (t_.takes_a_group(j)) {
      j = t_.after_group(j + 1) - 1;
    } else if (t_.is(j, "<")) {
      j = t_.after_group(j) - 1;
    } else if (t_.is(j, "(")) {
      if (!t_.is_identifier(j - 1)) refuse(t_[i], "a kernel without a name");
      k.name = t_[j - 1].text;
      name = j - 1;
      while (t_.is(name - 1, "::") && t_.is_identifier(name - 2)) name -= 2;
      for (std::size_t part = name; part < j; ++part) k.qualified += t_[part].text;
      k.qualified = scopes.qualifiers() + k.qualified;
      read_parameters(t_, j, k);
      open = j;
      break;
    } else if (t_.is(j, ";") || t_.is(j, "{")) {
      refuse(t_[i], "__global__ belongs to a function");
    }
  }
  // A declaration and its definition may differ in what they say. What is defined outside its namespace is
  // declared there.
  const bool is_outside = name + 1 < open;
  const auto known = std::find_if(kernels_.begin(), kernels_.end(), [&](const kernel_declaration& other) {
    return other.qualified == k.qualified &&
           (is_outside ? other.types.size() == k.types.size() : other.types == k.types);
  });
  if (bound.first != 0 || cluster.first != 0) declare_bounds(bound, cluster, declaration, scopes, k);
  k.is_defined = t_.is(end_of_declarator(open), "{");
  if (known == kernels_.end()) {
    if (is_outside) return;
    if (!k.is_template) declare_constant(open, scopes, k);
    kernels_.push_back(std::move(k));
  } else {
    known->parameters = std::move(k.parameters);
    known->is_defined |= k.is_defined;
  }
}

bool source_kernels::has_template(std::string_view name) const {
  return std::any_of(kernels_.begin(), kernels_.end(),
                     [&](const kernel_declaration& k) { return k.is_template && k.name == name; });
}

std::string source_kernels::bound_of_launch(std::size_t name, std::size_t open) const {
  // The last name before arguments of a template is the kernel's.
  while (name + 2 < open && t_.is(name + 1, "::")) name += 2;
  const std::string arguments = t_.words_of(name + 1, open);
  std::string bound;
  for (const kernel_declaration& k : kernels_) {
    const auto found = bounds_.find(k.qualified);
    if (!t_.is(name, k.name) || found == bounds_.end() || (k.is_template && !t_.is(name + 1, "<")) ||
        count_template_arguments(arguments) < found->second.arguments_used)
      continue;
    bound = "::" + found->second.variable + arguments;
  }
  return bound;
}

void source_kernels::name_constants_outside(const open_scope& closed, std::size_t end,
                                            const scope_stack& scopes) {
  if (closed.name.empty()) return;
  for (std::size_t k = closed.kernels_before; k < kernels_.size(); ++k) {
    if (kernels_[k].is_template) continue;
    edits_.insert(
        end, fmt::format(" using {}{}::{};", scopes.present_namespace(), closed.name, kernels_[k].constant));
  }
}

std::vector<kernel_declaration> source_kernels::take() {
  // What is declared with its types in other words than its definition's is no overload: there is nothing to
  // run where no body is.
  const std::vector<kernel_declaration> all = kernels_;
  std::erase_if(kernels_, [&](const kernel_declaration& k) {
    return !k.is_defined && std::any_of(all.begin(), all.end(), [&](const kernel_declaration& other) {
      return other.is_defined && other.qualified == k.qualified && other.is_template == k.is_template &&
             other.types.size() == k.types.size();
    });
  });
  for (kernel_declaration& k : kernels_) {
    k.is_overloaded = std::count_if(kernels_.begin(), kernels_.end(), [&](const kernel_declaration& other) {
                        return other.qualified == k.qualified;
                      }) > 1;
  }
  return std::move(kernels_);
}

/// The token behind what token `open`, the parenthesis of the parameters, is part of: ";", or "{" of a body.
std::size_t source_kernels::end_of_declarator(std::size_t open) const {
  if (open >= t_.size()) return open;
  std::size_t last = t_.after_group(open);
  while (last < t_.size() && !t_.is(last, ";") && !t_.is(last, "{"))
    last = t_.is(last, "(") || t_.is(last, "[") ? t_.after_group(last) : last + 1;
  return last;
}

/// The kernel's address, behind its declaration, whose parameters token `open` opens. Other functions may
/// have its name, those of the C library too: its type is that of one that is declared alike.
void source_kernels::declare_constant(std::size_t open, const scope_stack& scopes, kernel_declaration& k) {
  if (open >= t_.size()) return;
  std::string parameters = t_.words_of(open, t_.after_group(open));
  constexpr std::string_view unknown = "__grid_constant__";
  for (std::size_t at = parameters.find(unknown); at != std::string::npos; at = parameters.find(unknown))
    parameters.erase(at, unknown.size());
  std::size_t last = end_of_declarator(open);
  if (t_.is(last, "{")) last = t_.after_group(last) - 1;
  if (last >= t_.size()) return;
  const std::size_t number = next_number_++;
  k.constant = fmt::format("heddle_kernel_{}", number);
  edits_.insert(
      t_.end_of(last),
      fmt::format(
          " void heddle_alike_{}{}; constexpr auto {} = static_cast<decltype(&heddle_alike_{})>(&{}{});",
          number, parameters, k.constant, number, scopes.present_namespace(), k.name));
}

std::size_t source_kernels::end_of_argument(std::size_t first) const {
  std::size_t last = first;
  while (!t_.is(last, ",") && !t_.is(last, ")")) {
    const bool is_template = t_.is(last, "<") && t_.is(t_.after_group(last), "::");
    last = is_template || t_.is(last, "(") || t_.is(last, "{") || t_.is(last, "[") ? t_.after_group(last)
                                                                                   : last + 1;
  }
  return last;
}

/// The first argument of __launch_bounds__ and those of __cluster_dims__ are expressions, which may use the
/// template's parameters.
void source_kernels::declare_bounds(const token_range& threads, const token_range& cluster,
                                    std::size_t declaration, const scope_stack& scopes,
                                    const kernel_declaration& k) {
  const std::string name = fmt::format("heddle_bound_{}", next_number_++);
  launch_bound bound{scopes.qualifiers() + name, 0};
  const std::string parameters =
      k.is_template ? parameters_of_bound(declaration, {threads, cluster}, bound) : "";
  const std::string most = threads.first == 0 ? "0"
                                              : fmt::format("static_cast<unsigned long long>({})",
                                                            t_.words_of(threads.first, threads.last));
  const bool has_cluster = cluster.first < cluster.last;
  edits_.insert(t_[declaration].begin,
                fmt::format("{}constexpr unsigned long long {} = ::heddle_device::bounds_word({}{}{}); ",
                            parameters, name, most, has_cluster ? ", " : "",
                            has_cluster ? t_.words_of(cluster.first, cluster.last) : ""));
  bounds_[k.qualified] = std::move(bound);
}

/// Those of the template that `declaration` begins, for bounds of these tokens. What they do not name has a
/// default: a launch may leave that to be deduced.
std::string source_kernels::parameters_of_bound(std::size_t declaration,
                                                std::initializer_list<token_range> tokens,
                                                launch_bound& bound) const {
  const std::size_t end = t_.after_group(declaration + 1) - 1;
  std::string result = "template <";
  std::size_t number = 0;
  for (std::size_t part = declaration + 2; part < end; ++number) {
    std::size_t next = part, name = end;
    bool has_default = false, is_pack = false;
    for (; next < end && !t_.is(next, ","); ++next) {
      if (t_.is(next, "<") || t_.is(next, "(")) next = t_.after_group(next) - 1;
      has_default |= t_.is(next, "=");
      is_pack |= t_.is(next, ".");
      if (!has_default && t_.is_identifier(next)) name = next;
    }
    for (const token_range& range : tokens) {
      for (std::size_t j = range.first; j < range.last && name < end; ++j) {
        if (t_[j].text == t_[name].text) bound.arguments_used = number + 1;
      }
    }
    const bool is_type = t_.is(part, "class") || t_.is(part, "typename");
    if (number > 0) result += ", ";
    result += t_.words_of(part, next);
    if (!has_default && !is_pack && !t_.is(part, "template"))
      result += is_type ? " = void"
                        : fmt::format(" = static_cast<{}>(0)",
                                      t_.words_of(part, name == part ? next : std::min(name, next)));
    part = next + 1;
  }
  return result + "> ";
}

}  // namespace heddle::cuda_on_cpu
