#pragma once

#include <string>
#include <string_view>

namespace heddle::cuda_on_cpu {

/// A preprocessed C source as C++: its declarations have C linkage, and none of its names is a keyword of
/// C++. Lines keep their numbers.
std::string c_as_cpp(std::string_view preprocessed);

}  // namespace heddle::cuda_on_cpu
