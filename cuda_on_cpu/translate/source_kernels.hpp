#pragma once

#include "cuda_on_cpu/translate/kernel_declaration.hpp"
#include "cuda_on_cpu/translate/kernel_table.hpp"
#include "cuda_on_cpu/translate/scopes.hpp"
#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// The kernels that a source declares. Their addresses and launch bounds become constants of the text that is
/// made of it.
class source_kernels {
 public:
  /// Names of constants take numbers from `next_number`, which others take, too.
  source_kernels(const token_sequence& tokens, source_edits& edits, std::size_t& next_number)
      : t_(tokens), edits_(edits), next_number_(next_number) {}

  /// Takes the kernel whose __global__ is token i of the declaration that begins with token `declaration`.
  void declare(std::size_t i, std::size_t declaration, const scope_stack& scopes);

  std::size_t count() const { return kernels_.size(); }
  bool has_template(std::string_view name) const;

  /// The expression of the bounds of the kernel that a launch names by the tokens from `name` to `<<<`,
  /// token `open`; empty where it has none.
  std::string bound_of_launch(std::size_t name, std::size_t open) const;

  /// Names the constants of a namespace's kernels in what is around it, and so, namespace by namespace, in
  /// the global one: from there an unnamed namespace within cannot be named.
  void name_constants_outside(const open_scope& closed, std::size_t end, const scope_stack& scopes);

  /// Those that are declared, once all are: what is declared again in other words counts once.
  std::vector<kernel_declaration> take();

  /// By the qualified names of kernels.
  const std::map<std::string, launch_bound>& bounds() const { return bounds_; }

 private:
  std::size_t end_of_declarator(std::size_t open) const;
  void declare_constant(std::size_t open, const scope_stack& scopes, kernel_declaration& k);
  /// Tokens first … last−1; none where both are 0.
  struct token_range {
    std::size_t first = 0, last = 0;
  };
  /// Behind the argument that token `first` begins.
  std::size_t end_of_argument(std::size_t first) const;
  void declare_bounds(const token_range& threads, const token_range& cluster, std::size_t declaration,
                      const scope_stack& scopes, const kernel_declaration& k);
  std::string parameters_of_bound(std::size_t declaration, std::initializer_list<token_range> tokens,
                                  launch_bound& bound) const;

  const token_sequence& t_;
  source_edits& edits_;
  std::size_t& next_number_;
  std::vector<kernel_declaration> kernels_;
  std::map<std::string, launch_bound> bounds_;
};

}  // namespace heddle::cuda_on_cpu
