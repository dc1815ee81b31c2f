#include "checker/report/finding.hpp"

#include "array/counted.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

/// "shared s[5] (float[256])".
std::string element_of(const finding& f) {
  if (f.variable.empty()) return "";
  const std::string space = f.space.empty() || f.space == "global" ? "" : f.space + " ";
  return fmt::format("{}{} ({})", space, element_text(f), array_text(f));
}

}  // namespace

const char* name(severity level) noexcept {
  return level == severity::note ? "note" : level == severity::warning ? "warning" : "error";
}

bool any_as_severe(const std::vector<finding>& findings, severity least) noexcept {
  return std::any_of(findings.begin(), findings.end(), [&](const finding& f) { return f.level >= least; });
}

std::string text(heddle_device::index3 i) {
  return fmt::format("({},{},{})", i.x, i.y, i.z);
}

std::string element_text(const finding& f) {
  return fmt::format("{}[{}]{}{}", f.variable, fmt::join(f.subscripts, "]["), f.member.empty() ? "" : ".",
                     f.member);
}

std::string array_text(const finding& f) {
  return fmt::format("{}[{}]", f.type, fmt::join(f.lengths, "]["));
}

const char* name(finding_kind kind) noexcept {
  constexpr const char* names[] = {"data-race",
                                   "divergent-barrier",
                                   "mismatched-barriers",
                                   "deadlock",
                                   "no-end",
                                   "out-of-bounds",
                                   "uninitialised-read",
                                   "misaligned-access",
                                   "warp-mask",
                                   "absent-lane",
                                   "lock-without-fence",
                                   "assertion",
                                   "trap",
                                   "crash",
                                   "wide-shift",
                                   "invalid-texture",
                                   "incoherent-read",
                                   "misuse",
                                   "use-after-free",
                                   "host-access",
                                   "foreign-address",
                                   "missing-synchronisation",
                                   "peer-access",
                                   "not-cooperative",
                                   "invalid-copy",
                                   "invalid-free",
                                   "unchecked-error",
                                   "invalid-capture",
                                   "leak",
                                   "failed-program"};
  static_assert(std::size(names) == static_cast<std::size_t>(finding_kind::failed_program) + 1);
  return names[static_cast<int>(kind)];
}

std::string line_of(const place& p) {
  return p.line == 0 ? std::string("an unknown line") : fmt::format("{}:{}", p.file, p.line);
}

std::string where(const finding& f) {
  return f.places.empty() ? "" : line_of(f.places.front()) + ": ";
}

std::string headline(const finding& f) {
  const std::string element = element_of(f);
  switch (f.kind) {
    case finding_kind::data_race:
      return "data race on " + element;
    case finding_kind::divergent_barrier:
      return "a barrier that not every thread reaches";
    case finding_kind::mismatched_barriers:
      return "threads of a block meet at different barriers";
    case finding_kind::deadlock:
      return "deadlock" + (element.empty() ? "" : " on " + element);
    case finding_kind::no_end:
      return "the kernel does not end";
    case finding_kind::out_of_bounds:
      return "out of bounds" + (element.empty() ? "" : ": " + element);
    case finding_kind::uninitialised_read:
      return "a read of what was never written" + (element.empty() ? "" : ": " + element);
    case finding_kind::misaligned_access:
      return "misaligned access" + (element.empty() ? "" : " to " + element);
    case finding_kind::warp_mask:
      return "a mask that does not fit the lanes";
    case finding_kind::absent_lane:
      return "a shuffle reads from a lane that does not take part";
    case finding_kind::lock_without_fence:
      return "a lock is released without a fence" + (element.empty() ? "" : ": " + element);
    case finding_kind::assertion:
      return "an assertion fails";
    case finding_kind::trap:
      return "the kernel stops itself";
    case finding_kind::crash:
      return "the kernel cannot go on";
    case finding_kind::wide_shift:
      return "a shift by as many bits as the number has, or more";
    case finding_kind::invalid_texture:
      return "a texture or surface that the function is not for";
    case finding_kind::incoherent_read:
      return "a texture or surface is read where the same launch wrote: " + element;
    case finding_kind::misuse:
      return "a function of the device is not used as it has to be";
    case finding_kind::use_after_free:
      return "use after free" + (element.empty() ? "" : ": " + element);
    case finding_kind::host_access:
      return "the host uses what is the device's" + (element.empty() ? "" : ": " + element);
    case finding_kind::foreign_address:
      return "a kernel is given an address that is not one of its own" +
             (element.empty() ? "" : ": " + element);
    case finding_kind::missing_synchronisation:
      return "the host does not wait for " + element;
    case finding_kind::peer_access:
      return "a kernel uses memory that its device has no access to" +
             (element.empty() ? "" : ": " + element);
    case finding_kind::not_cooperative:
      return "a barrier of the grid in a launch that is not cooperative";
    case finding_kind::invalid_copy:
      return "invalid copy";
    case finding_kind::invalid_free:
      return "invalid free";
    case finding_kind::unchecked_error:
      return "a launch fails: " + f.detail;
    case finding_kind::invalid_capture:
      return "a capture of a stream fails";
    case finding_kind::leak:
      return "memory that is not freed: " + f.variable;
    case finding_kind::failed_program:
      return "the program fails";
  }
  return "";
}

std::string who(const place& p) {
  return p.has_thread ? fmt::format("thread {} of block {}", text(p.thread), text(p.block)) : "the host";
}

std::vector<std::string> remarks(const finding& f) {
  std::vector<std::string> result;
  if (f.kind == finding_kind::unchecked_error) {
    result.emplace_back("nothing runs, and cudaGetLastError, which would say so, is not called");
  } else if (!f.detail.empty()) {
    result.push_back(f.detail);
  }
  if (!f.fix.empty()) result.push_back(fmt::format("likely fix: {}", f.fix));
  if (f.count > 1) result.push_back(fmt::format("{} times", f.count));
  return result;
}

namespace {

/// The line of a place with its number, and a mark below it; empty where it is not known.
std::string quote_of(const place& p) {
  if (p.source.empty()) return "";
  std::string below = p.source.substr(0, p.caret);
  // A character has one place, however many bytes it has.
  std::erase_if(below, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
  std::replace_if(below.begin(), below.end(), [](char c) { return c != '\t'; }, ' ');
  return fmt::format("{:>6} | {}\n{:>6} | {}^\n", p.line, p.source, "", below);
}

}  // namespace

std::string describe(const finding& f) {
  const std::string level = f.level == severity::error ? "" : fmt::format("{}: ", name(f.level));
  std::string result = fmt::format("{}{}{} [{}]\n", where(f), level, headline(f), name(f.kind));
  std::vector<std::string> quoted;
  for (const place& p : f.places) {
    result += fmt::format("  {} {} at {}{}\n", who(p), p.what, line_of(p),
                          p.function.empty() ? "" : " in " + p.function);
    const std::string quote = quote_of(p);
    // A line is there once.
    if (std::find(quoted.begin(), quoted.end(), quote) != quoted.end()) continue;
    result += quote;
    quoted.push_back(quote);
  }
  for (const std::string& remark : remarks(f)) result += fmt::format("  {}\n", remark);
  return result;
}

}  // namespace heddle::checker
