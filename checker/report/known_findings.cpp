#include "checker/report/known_findings.hpp"

#include "io/xml_text.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>

namespace heddle::checker {
namespace {

std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return file;
}

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool is_in_file(const std::string& pattern, const std::string& file) {
  return matches(pattern, file) || matches(pattern, file.substr(file.rfind('/') + 1));
}

/// The words that a finding is known by; places that are alike count once.
std::string joined_words(const std::string& kind, const std::string& variable,
                         std::vector<std::string> places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return fmt::format("{}\n{}\n{}", kind, variable, fmt::join(places, "\n"));
}

/// How many threads do it, and how large a launch is, is not what tells findings apart. A report that is a
/// baseline has no bytes that are no UTF-8.
std::string place_words(const std::string& what, const std::string& file, const std::string& function) {
  return impl::utf8_text(fmt::format(
      "{} {} {}", what.substr(0, std::min(what.find(" (as "), what.find("<<<"))), file, function));
}

}  // namespace

finding_kind kind_called(const std::string& wanted) {
  for (int i = 0; i <= static_cast<int>(finding_kind::failed_program); ++i) {
    if (wanted == name(static_cast<finding_kind>(i))) return static_cast<finding_kind>(i);
  }
  throw error(fmt::format("'{}' is no kind of finding: data-race, out-of-bounds and others are", wanted));
}

std::string fingerprint(const finding& f) {
  std::vector<std::string> places;
  for (const place& p : f.places) places.push_back(place_words(p.what, p.file, p.function));
  return joined_words(name(f.kind), f.variable, std::move(places));
}

void known_findings::read_suppressions(const std::string& path) {
  std::ifstream file = opened(path);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    suppression s{"", "*", "*"};
    std::string more;
    if (!(words >> s.kind)) continue;
    words >> s.file >> s.function;
    if (words >> more)
      throw error(fmt::format("{}:{}: '{}': a kind, a file and a function are a line", path, number, more));
    try {
      if (s.kind != "*") static_cast<void>(kind_called(s.kind));
    } catch (const error& wrong) {
      throw error(fmt::format("{}:{}: {}", path, number, wrong.what()));
    }
    suppressions_.push_back(std::move(s));
  }
}

void known_findings::read_baseline(const std::string& path) {
  std::ifstream file = opened(path);
  try {
    const nlohmann::json report = nlohmann::json::parse(file);
    for (const nlohmann::json& f : report.at("findings")) {
      std::vector<std::string> places;
      for (const nlohmann::json& p : f.at("places"))
        places.push_back(place_words(p.at("what"), p.at("file"), p.at("function")));
      const std::string variable =
          f.contains("variable") ? f.at("variable").at("name").get<std::string>() : "";
      baseline_.push_back(joined_words(f.at("kind"), variable, std::move(places)));
    }
  } catch (const nlohmann::json::exception&) {
    throw error(fmt::format("{}: no report of an earlier check: --json and --report write one", path));
  }
}

bool known_findings::suppresses(const finding& f) const {
  return std::any_of(suppressions_.begin(), suppressions_.end(), [&](const suppression& s) {
    if (!matches(s.kind, name(f.kind))) return false;
    if (s.file == "*" && s.function == "*") return true;
    return std::any_of(f.places.begin(), f.places.end(), [&](const place& p) {
      return is_in_file(s.file, p.file) && matches(s.function, p.function);
    });
  });
}

hidden_findings known_findings::remove_from(std::vector<finding>& findings) const {
  hidden_findings hidden;
  hidden.suppressed = std::erase_if(findings, [&](const finding& f) { return suppresses(f); });
  hidden.known = std::erase_if(findings, [&](const finding& f) {
    return std::find(baseline_.begin(), baseline_.end(), fingerprint(f)) != baseline_.end();
  });
  return hidden;
}

}  // namespace heddle::checker
