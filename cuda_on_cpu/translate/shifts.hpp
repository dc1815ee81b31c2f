#pragma once

#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <vector>

namespace heddle::cuda_on_cpu {

/// Where a shift in code of the device begins with token i, `x << n`, what makes it one as a GPU does it:
/// `x << heddle_device::shift_left << n`. Nothing for what is no shift, and where the amount is a number that
/// fits. `first` is the token that the statement begins with.
std::vector<token_edit> rewrite_shift(const token_sequence& t, std::size_t i, std::size_t first);

}  // namespace heddle::cuda_on_cpu
