#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

/// The words in one line that a shell reads as these words: in single quotes where they need them.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace heddle::cli
