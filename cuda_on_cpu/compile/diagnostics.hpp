#pragma once

#include "cuda_on_cpu/translate/translation.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace heddle::cuda_on_cpu {

/// What a compiler says of a translated source, without its excerpts of that, with the columns and the lines
/// of the source itself. A place in a macro's text is that of the macro. \param preprocessed  what was
/// translated. \param source, name  what was preprocessed, with `#line` where parts of it have other names.
std::string with_columns_of_source(std::string_view messages, std::string_view preprocessed,
                                   const translation& translated, std::string_view source,
                                   std::string_view name);

/// A text that g++ refuses for nothing but what nvcc's front end lets pass, mended; nothing where something
/// else is wrong with it.
struct mended_text {
  std::string text;            ///< with `typename` before names of types
  bool is_permissive = false;  ///< g++ takes the rest with -fpermissive
};
std::optional<mended_text> as_nvcc_takes_it(std::string_view messages, const std::string& text);

}  // namespace heddle::cuda_on_cpu
