#pragma once

#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// What is between a pair of braces.
enum class scope : std::uint8_t { space, type, function, block, list };

struct open_scope {
  scope kind = scope::block;
  std::string name;               ///< of a namespace
  std::size_t begin = 0;          ///< the token that opens it
  std::size_t declaration = 0;    ///< the token that its declaration begins with
  bool is_device = false;         ///< code of the device
  bool is_kernel = false;         ///< the body of one
  bool has_own_statics = true;    ///< it is compiled once, so that what is static in it is one variable
  std::string_view in_function;   ///< the name of the function that it is part of; may be empty
  bool is_in_function = false;    ///< part of a function's body, or one
  bool has_inner_braces = false;  ///< which the function was given for shared variables of a namespace
  bool is_left_out = false;  ///< a function of the host, where only kernels run, that uses what is refused
  bool is_dropped = false;   ///< the same, and its declaration does
  std::size_t kernels_before = 0;  ///< declared before it
};

/// The scopes that are open at a token of a source, the innermost last.
class scope_stack {
 public:
  explicit scope_stack(const token_sequence& tokens) : t_(tokens) {}

  bool empty() const { return scopes_.empty(); }
  open_scope& innermost() { return scopes_.back(); }
  const open_scope& innermost() const { return scopes_.back(); }
  auto begin() { return scopes_.begin(); }
  auto end() { return scopes_.end(); }

  scope kind() const { return scopes_.empty() ? scope::space : scopes_.back().kind; }
  bool in_device_code() const { return !scopes_.empty() && scopes_.back().is_device; }
  bool in_function() const { return kind() == scope::function || kind() == scope::block; }
  bool in_kernel() const;

  /// Opens the one whose brace is token i, in a declaration or statement that begins with token
  /// `declaration`.
  open_scope& open(std::size_t i, std::size_t declaration);
  /// Closes the innermost.
  open_scope close();

  /// The namespaces that are open, with "::" behind each.
  std::string qualifiers() const;
  /// What names the innermost namespace where it is open, from the global namespace or from the last unnamed
  /// one: with "::" behind it. Names without would also be looked for in what is `using namespace`.
  std::string present_namespace() const;

 private:
  void classify(open_scope& opened) const;
  std::string_view function_name(const open_scope& opened) const;
  bool is_device_lambda(const open_scope& opened) const;

  const token_sequence& t_;
  std::vector<open_scope> scopes_;
};

}  // namespace heddle::cuda_on_cpu
