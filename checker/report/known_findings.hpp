#pragma once

#include "checker/report/finding.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::checker {

/// How many findings were not told.
struct hidden_findings {
  std::size_t suppressed = 0;  ///< that a line of a file of suppressions is for
  std::size_t known = 0;       ///< that an earlier report has, too
};

/// Findings that are not to be told again.
class known_findings {
 public:
  /// Each line of the file is a kind and, where they follow, a file and a function of one of a finding's
  /// places: `data-race kernels/*.cu reduce*`. In each `*` stands for any text and `?` for one character; a
  /// file may be named without its folders. What follows `#` is a comment. A file that cannot be read, an
  /// unknown kind and a line of more words are a heddle::error.
  void read_suppressions(const std::string& path);
  /// The report of an earlier check, as --json has it. Findings are the same whose kind, variable and places,
  /// by file, function and what happens there, are: lines may have moved. No such report is a heddle::error.
  void read_baseline(const std::string& path);
  /// Takes those out that are known.
  hidden_findings remove_from(std::vector<finding>& findings) const;

 private:
  struct suppression {
    std::string kind, file, function;
  };
  bool suppresses(const finding& f) const;

  std::vector<suppression> suppressions_;
  std::vector<std::string> baseline_;
};

/// What a finding is known by in other runs.
std::string fingerprint(const finding& f);

/// The kind that is called so; throws heddle::error for none.
finding_kind kind_called(const std::string& name);

}  // namespace heddle::checker
