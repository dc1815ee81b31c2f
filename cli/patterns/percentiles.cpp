#include "percentiles.hpp"

#include "cli/options/option_checks.hpp"

#include <charconv>

namespace heddle::cli {

std::string check_percentiles(const std::string& text) {
  return each(check_number::between(0, 100))(text);
}

std::vector<double> parse_percentiles(const std::string& text) {
  std::vector<double> fractions;
  for (const std::string& part : list_of(text)) {
    double percents = 0;
    std::from_chars(part.data(), part.data() + part.size(), percents);
    fractions.push_back(percents / 100);
  }
  return fractions;
}

}  // namespace heddle::cli
