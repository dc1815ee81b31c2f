#pragma once

#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::cuda_on_cpu {

/// A place in a text, counted from 1.
struct text_place {
  std::size_t line = 0, column = 0;
};

/// A subscript in code of the device, such as `a[1][i]`, whose last brackets index `a[1]`.
struct subscript {
  std::string file, of;      ///< what is indexed, as it is written
  text_place first, last;    ///< of the expression and of its `]`, in the text that the compiler reads
  std::size_t brackets = 1;  ///< in a row, these among them
};

/// What the bracket that token i opens indexes: where that begins, and how many brackets there are in a row;
/// nothing where the bracket opens something else.
struct indexed_tokens {
  std::size_t first, brackets;
};
std::optional<indexed_tokens> indexed_before(const token_sequence& t, std::size_t i);

}  // namespace heddle::cuda_on_cpu
