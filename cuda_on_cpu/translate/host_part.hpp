#pragma once

#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// What `k<<<grid, block, shared, stream>>>(x)` becomes: a call of heddle_device::launching, which takes the
/// kernel, as an address where its name has one and as something to call where it is deduced from the
/// arguments. `bound` is what its __launch_bounds__ say, as an expression; empty when they say nothing. A
/// launch that cannot be read is a heddle::error.
struct launch_parts {
  std::size_t first;         ///< where the kernel's name begins
  std::size_t open, inside;  ///< where `<<<` begins, and what comes after it
  std::size_t close;         ///< the first > of `>>>`
};
/// Whether a launch's `<<<` begins with token i, blanks between or not.
bool opens_launch(const token_sequence& tokens, std::size_t i);
launch_parts find_launch(const token_sequence& tokens, std::size_t open);
std::vector<token_edit> rewrite_launch(const token_sequence& tokens, const launch_parts& launch,
                                       std::string_view bound);

/// Names what `cudaMalloc(&x, …)` and its kind allocate, by the variable that gets it; nothing when token i
/// begins no such call.
std::optional<token_edit> name_allocation(const token_sequence& tokens, std::size_t i);

/// Where the mention of a kernel's instance, `k<float>` or `space::k<float>`, whose name is token i, is one
/// that is neither launched, called nor part of another instance: its address is taken, and it is made known.
/// Nothing for any other mention.
std::optional<std::vector<token_edit>> register_instance(const token_sequence& tokens, std::size_t i);

}  // namespace heddle::cuda_on_cpu
