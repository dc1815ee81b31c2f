#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::cli {

/// The names of algorithms, the default first.
template <class Algorithm, std::size_t N>
std::vector<std::string> names_of(const Algorithm (&all)[N]) {
  std::vector<std::string> names;
  for (const Algorithm algorithm : all) names.emplace_back(name(algorithm));
  return names;
}

}  // namespace heddle::cli
