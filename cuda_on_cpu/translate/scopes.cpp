#include "cuda_on_cpu/translate/scopes.hpp"

#include <algorithm>
#include <utility>

namespace heddle::cuda_on_cpu {

bool scope_stack::in_kernel() const {
  return std::any_of(scopes_.begin(), scopes_.end(), [](const open_scope& s) { return s.is_kernel; });
}

open_scope& scope_stack::open(std::size_t i, std::size_t declaration) {
  open_scope opened;
  opened.begin = i;
  opened.declaration = declaration;
  if (!scopes_.empty()) {
    const open_scope& around = scopes_.back();
    opened.is_device = around.is_device;
    opened.has_own_statics = around.has_own_statics;
    opened.is_in_function = around.is_in_function;
    opened.in_function = around.in_function;
  }
  for (std::size_t j = declaration; j < i && !in_function(); ++j) {
    opened.is_device |= t_.is(j, "__global__") || t_.is(j, "__device__");
    for (const std::string_view word : {"template", "inline", "__inline__", "__forceinline__", "constexpr",
                                        "consteval", "auto", "class", "struct", "union"})
      opened.has_own_statics &= !t_.is(j, word);
  }
  if (in_function()) {
    opened.is_device |= is_device_lambda(opened);
    // An initialiser's braces end no declaration.
    if (i > 0 && (t_.is(i - 1, "=") || t_.is(i - 1, ",") || t_.is(i - 1, "("))) opened.kind = scope::list;
  } else if (kind() == scope::list) {
    opened.kind = scope::list;
  } else {
    classify(opened);
  }
  if (opened.kind == scope::function) {
    opened.is_in_function = true;
    opened.in_function = function_name(opened);
    for (std::size_t j = declaration; j < i; ++j) opened.is_kernel |= t_.is(j, "__global__");
  }
  scopes_.push_back(std::move(opened));
  return scopes_.back();
}

open_scope scope_stack::close() {
  open_scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  return closed;
}

/// `[=] __device__ (int i) {`, and its like.
bool scope_stack::is_device_lambda(const open_scope& opened) const {
  for (std::size_t j = opened.begin;
       j-- > opened.declaration && !t_.is(j, "]") && !t_.is(j, ";") && !t_.is(j, "{");) {
    if (t_.is(j, "__device__")) return true;
  }
  return false;
}

void scope_stack::classify(open_scope& opened) const {
  bool has_parameters = false, is_type = false, is_initialiser = false;
  for (std::size_t j = opened.declaration; j < opened.begin; ++j) {
    if (t_.is(j, "namespace")) {
      opened.kind = scope::space;
      for (std::size_t k = j + 1; k < opened.begin; ++k) opened.name += t_[k].text;
      return;
    }
    if (t_.takes_a_group(j)) {
      j = t_.after_group(j + 1) - 1;
    } else if (t_.is(j, "template") && t_.is(j + 1, "<")) {
      j = t_.after_group(j + 1) - 1;
    } else if (t_.is(j, "class") || t_.is(j, "struct") || t_.is(j, "union") || t_.is(j, "enum")) {
      is_type = true;
    } else if (t_.is(j, "operator")) {
      has_parameters = true;
    } else if (t_.is(j, "=")) {
      is_initialiser = true;
    } else if (t_.is(j, "(")) {
      has_parameters = true;
      j = t_.after_group(j) - 1;
    }
  }
  if (opened.begin == opened.declaration + 2 && t_.is(opened.declaration, "extern")) {
    opened.kind = scope::space;
  } else if (is_initialiser && !has_parameters) {
    opened.kind = scope::list;
  } else if (has_parameters) {
    opened.kind = scope::function;
  } else {
    opened.kind = is_type ? scope::type : scope::list;
  }
}

/// Of the function whose body `opened` is; empty for what is not called by a name, such as an operator or a
/// function of a class.
std::string_view scope_stack::function_name(const open_scope& opened) const {
  for (const open_scope& s : scopes_) {
    if (s.kind == scope::type) return {};
  }
  for (std::size_t j = opened.declaration; j < opened.begin; ++j) {
    if (t_.takes_a_group(j)) {
      j = t_.after_group(j + 1) - 1;
    } else if (t_.is(j, "operator")) {
      return {};
    } else if (t_.is(j, "<")) {
      j = t_.after_group(j) - 1;
    } else if (t_.is(j, "(")) {
      return j > opened.declaration && t_.is_identifier(j - 1) ? t_[j - 1].text : std::string_view();
    }
  }
  return {};
}

std::string scope_stack::qualifiers() const {
  std::string result;
  for (const open_scope& s : scopes_) {
    if (s.kind == scope::space && !s.name.empty()) result += s.name + "::";
  }
  return result;
}

std::string scope_stack::present_namespace() const {
  std::string result = "::";
  for (const open_scope& s : scopes_) {
    if (t_.is(s.declaration, "extern")) continue;  // the linkage of C
    result = s.name.empty() ? "" : result + s.name + "::";
  }
  return result;
}

}  // namespace heddle::cuda_on_cpu
