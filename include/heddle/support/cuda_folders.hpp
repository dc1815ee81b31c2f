#pragma once

#include <heddle/compiler.hpp>

#include <filesystem>

/// Where NVRTC, cuBLAS and cuFFT are looked for, which are loaded when they are first needed.
namespace heddle {

/// Adds a folder that is like a CUDA toolkit's, with `lib` and `include`. The system's libraries and the
/// folders that CUDA_HOME and CUDA_PATH name come before it, toolkits in the usual folders after it.
/// Libraries that are loaded already stay. Thread-safe.
void add_cuda_folder(const std::filesystem::path& folder);

}  // namespace heddle
