#pragma once

#include <filesystem>
#include <string>

namespace heddle::cuda_on_cpu {

/// The folder of the headers of the device language: beside what is installed, where this was to be
/// installed, or in the source that it was built from. A heddle::error when there is none.
std::filesystem::path device_headers();

/// Changes with this build of the library: what translates is in it.
std::string library_identity();

}  // namespace heddle::cuda_on_cpu
