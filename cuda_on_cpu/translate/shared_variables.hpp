#pragma once

#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// A shared variable that is declared outside functions: those that name it declare where it is.
struct shared_of_namespace {
  std::string_view name;
  std::string declaration;
};

/// A declaration of shared variables as a host compiler takes it: references to the places that a block has
/// for them.
struct shared_declaration {
  std::size_t end = 0;  // the token behind it
  std::string text;
  std::vector<shared_of_namespace> of_namespace;
};

/// Rewrites the declaration that begins with token `begin` and whose __shared__ is token i. `number` is no
/// other's.
shared_declaration rewrite_shared(const token_sequence& t, std::size_t begin, std::size_t i,
                                  bool in_namespace, std::size_t number);

}  // namespace heddle::cuda_on_cpu
