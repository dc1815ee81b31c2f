#pragma once

#include <string>
#include <string_view>

namespace heddle::cuda_on_cpu {

/// What a preprocessed source of C is as C++: what it declares has the linkage of C, and its own names are no
/// keywords of C++. Lines keep their numbers.
std::string c_as_cpp(std::string_view preprocessed);

}  // namespace heddle::cuda_on_cpu
