#pragma once

#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::cuda_on_cpu {

/// Whether a word is the keyword of an asm statement.
bool is_assembly(std::string_view word);

/// An asm statement of PTX as C++.
struct assembly {
  std::vector<token_edit> edits;  ///< its operands stay where they are
  std::size_t inside = 0;         ///< the first token of its operands, or `end`
  std::size_t end = 0;            ///< the token behind it
  bool lets_threads_communicate = false, lets_blocks_communicate = false;
  bool has_volatile = false;
  std::string refusal;         ///< what of it is not supported, and why; empty for nothing
  std::size_t refused_at = 0;  ///< the token of the text that has it
};

/// The asm statement that token i begins; `number` tells it from others of the source.
assembly rewrite_assembly(const token_sequence& t, std::size_t i, std::size_t number);

}  // namespace heddle::cuda_on_cpu
