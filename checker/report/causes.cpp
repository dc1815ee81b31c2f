#include "checker/report/causes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

bool is_of_kernel(const finding& f) {
  return !f.places.empty() && f.places.front().has_thread;
}

bool is_on_line_of(const place& p, const place& other) {
  return p.line != 0 && p.line == other.line && p.file == other.file && p.function == other.function;
}

/// Whether a race lets the read of `f` come before what is to be read.
bool lets_read_too_early(const finding& race, const finding& f) {
  return race.kind == finding_kind::data_race && race.level == severity::error &&
         race.variable == f.variable && race.space == f.space && race.race.reads_meet &&
         std::any_of(race.places.begin(), race.places.end(),
                     [&](const place& p) { return p.has_thread && is_on_line_of(p, f.places.front()); });
}

/// Whether one index is too large for both of two arrays that a line uses.
bool leaves_with_same_index(const finding& first, const finding& f) {
  return first.kind == finding_kind::out_of_bounds && is_of_kernel(first) && !first.variable.empty() &&
         first.variable != f.variable && first.index == f.index && first.extent == f.extent &&
         is_on_line_of(first.places.front(), f.places.front()) &&
         // One instruction in a function that is given several arrays is several mistakes.
         first.places.front().pc != f.places.front().pc;
}

void add_remark(finding& to, const std::string& remark) {
  if (to.detail.find(remark) != std::string::npos) return;
  to.detail += (to.detail.empty() ? "" : "; ") + remark;
}

}  // namespace

std::vector<finding> without_consequences(std::vector<finding> findings) {
  std::vector<bool> follows(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const finding& f = findings[i];
    if (!is_of_kernel(f) || f.variable.empty()) continue;
    const auto cause = std::find_if(findings.begin(), findings.end(), [&](const finding& other) {
      const auto at = static_cast<std::size_t>(&other - findings.data());
      if (f.kind == finding_kind::uninitialised_read) return lets_read_too_early(other, f);
      return f.kind == finding_kind::out_of_bounds && at < i && !follows[at] &&
             leaves_with_same_index(other, f);
    });
    if (cause == findings.end()) continue;
    follows[i] = true;
    add_remark(*cause, f.kind == finding_kind::uninitialised_read
                           ? "where the read comes first, it reads what was never written"
                           : fmt::format("so is {} ({})", element_text(f), array_text(f)));
  }
  std::vector<finding> result;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!follows[i]) result.push_back(std::move(findings[i]));
  }
  return result;
}

}  // namespace heddle::checker
