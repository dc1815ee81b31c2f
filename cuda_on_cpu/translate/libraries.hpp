#pragma once

#include "cuda_on_cpu/translate/tokens.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// A library of the CUDA toolkit that is not supported. A source may include its headers: what it uses of
/// them is refused where it does.
struct library {
  const char* name;     ///< as it is told: "cuBLAS"
  const char* names;    ///< how its names begin, with blanks between; a namespace ends with "::",
                        ///< and a name of one has it before the name
  const char* headers;  ///< with blanks between
  const char* replacement = nullptr;  ///< what they include instead; nothing where all of it is refused
};

/// Puts headers in place of those of all libraries into a folder: empty ones, or with what stands in.
void write_headers_of_libraries(const std::filesystem::path& folder);

/// A library of which headers are included, and what their replacement declares.
struct included_library {
  const library* of;
  std::set<std::string_view> declared;
};

/// Those of which a preprocessed text has headers that were written into `folder`; what is declared points
/// into the text.
std::vector<included_library> included_libraries(std::string_view preprocessed,
                                                 const std::filesystem::path& folder);

/// Of which of these token i, an identifier, names something; null for none.
const library* library_named(const token_sequence& tokens, std::size_t i,
                             const std::vector<included_library>& included);

}  // namespace heddle::cuda_on_cpu
