#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

/// One line of UTF-8 that a shell reads as these words. A word that needs quotes is in single quotes. A word
/// with a control character, or that is no UTF-8, is in $'…' with octal numbers.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace heddle::cli
