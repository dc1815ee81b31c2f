#pragma once

#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"

#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// Where a preprocessed text has headers of the device language of which the source names nothing: a compiler
/// takes as long for their hundreds of functions as for half of the rest.
/// \param tokens  those of the source, without system headers.
std::vector<text_range> unused_headers(std::string_view text, const std::vector<token>& tokens);

}  // namespace heddle::cuda_on_cpu
