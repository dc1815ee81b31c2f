#include "checker/report/report.hpp"

#include "array/counted.hpp"
#include "checker/report/html_report.hpp"
#include "checker/report/profile_report.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"
#include "io/xml_text.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::checker {
namespace {

using nlohmann::ordered_json;

/// "clean, 2 notes"; "1 finding, 1 warning". `clean` is what stands for no finding.
std::string verdict_text(const std::vector<finding>& findings, severity fails_on,
                         const char* clean = "clean") {
  std::size_t counts[static_cast<int>(severity::error) + 1] = {};
  for (const finding& f : findings) ++counts[static_cast<int>(f.level)];
  std::size_t failing = 0;
  std::string rest;
  for (const severity level : {severity::error, severity::warning, severity::note}) {
    const std::size_t count = counts[static_cast<int>(level)];
    if (level >= fails_on) {
      failing += count;
    } else if (count != 0) {
      rest += ", " + counted(count, name(level));
    }
  }
  return (failing == 0 ? clean : counted(failing, "finding")) + rest;
}

std::string texts_of(const std::vector<finding>& findings) {
  std::string result;
  for (const finding& f : findings) result += describe(f) + "\n";
  return result;
}

/// ", 2 suppressed, 1 known".
std::string hidden_text(const hidden_findings& hidden) {
  std::string result;
  if (hidden.suppressed != 0) result += fmt::format(", {} suppressed", hidden.suppressed);
  if (hidden.known != 0) result += fmt::format(", {} known", hidden.known);
  return result;
}

/// ", 8 of 500 blocks watched"; empty when all were.
std::string share_text(std::uint64_t blocks, std::uint64_t watched_blocks) {
  return watched_blocks == blocks
             ? ""
             : fmt::format(", {} of {} watched", watched_blocks, counted(blocks, "block"));
}

/// The last line of a report.
std::string summary(const checked& what, const launch_outcome& outcome) {
  const std::uint64_t threads =
      cuda_on_cpu::volume(what.options.grid) * cuda_on_cpu::volume(what.options.block);
  return fmt::format("{}: {}: {} ({}, {}, {}{})", what.source, what.kernel,
                     verdict_text(outcome.findings, what.fails_on) + hidden_text(what.hidden),
                     counted(threads, "thread"), counted(outcome.schedules, "schedule"),
                     fmt::format("{} watched accesses", outcome.accesses) +
                         share_text(outcome.blocks, outcome.watched_blocks),
                     outcome.was_stopped ? ", stopped before its end" : "");
}
std::string summary(const program_checked& what, const program_outcome& outcome) {
  std::string share = share_text(outcome.blocks, outcome.watched_blocks);
  if (!share.empty()) share += fmt::format(" of {} launches", outcome.watched_launches);
  if (outcome.was_stopped) share += fmt::format(", stopped after {:g} s", what.options.most_seconds);
  return fmt::format("{}: {} ({}, {} of each, {} watched accesses{})", what.source,
                     verdict_text(outcome.findings, what.fails_on,
                                  outcome.has_checked_nothing() ? "nothing checked" : "clean") +
                         hidden_text(what.hidden),
                     counted(outcome.launches, "launch", "es"), counted(what.options.schedules, "schedule"),
                     outcome.accesses, share);
}

}  // namespace

std::string as_text(const checked& what, const launch_outcome& outcome) {
  std::string result = texts_of(outcome.findings) + summary(what, outcome) + "\n";
  if (what.options.profiles) result += profile_as_text(outcome.profile);
  return result;
}

std::string as_text(const program_checked& what, const program_outcome& outcome) {
  std::string result = texts_of(outcome.findings) + summary(what, outcome) + "\n";
  for (const launch_profile& p : outcome.profiles) {
    result += fmt::format("\nthe host {} at {}{}{}\n", p.by.what, line_of(p.by),
                          p.by.function.empty() ? "" : " in " + p.by.function,
                          p.launches == 1 ? "" : ", " + counted(p.launches, "time"));
    result += profile_as_text(p.lines);
  }
  return result;
}

namespace {

/// Whatever bytes its texts have.
std::string one_line(const ordered_json& j) {
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json index(heddle_device::index3 i) {
  return ordered_json::array({i.x, i.y, i.z});
}

ordered_json findings_as_json(const std::vector<finding>& findings) {
  ordered_json result = ordered_json::array();
  for (const finding& f : findings) {
    ordered_json one;
    one["kind"] = name(f.kind);
    one["level"] = name(f.level);
    one["message"] = headline(f);
    one["text"] = describe(f);
    if (!f.detail.empty()) one["detail"] = f.detail;
    if (!f.fix.empty()) one["fix"] = f.fix;
    one["count"] = f.count;
    one["schedule"] = f.schedule;
    if (!f.variable.empty()) {
      one["variable"] = {{"name", f.variable},
                         {"space", f.space},
                         {"index", f.index},
                         {"extent", f.extent},
                         {"type", f.type}};
      if (!f.member.empty()) one["variable"]["member"] = f.member;
      if (f.lengths.size() > 1) {
        one["variable"]["subscripts"] = f.subscripts;
        one["variable"]["lengths"] = f.lengths;
      }
    }
    one["places"] = ordered_json::array();
    for (const place& p : f.places) {
      ordered_json at = {{"what", p.what}, {"file", p.file}, {"line", p.line}, {"function", p.function}};
      if (!p.source.empty()) {
        at["source"] = p.source;
        at["column"] = p.caret + 1;
      }
      if (p.has_thread) {
        at["thread"] = index(p.thread);
        at["block"] = index(p.block);
      }
      one["places"].push_back(std::move(at));
    }
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace

std::string as_json(const checked& what, const launch_outcome& outcome) {
  ordered_json j;
  j["source"] = what.source;
  j["kernel"] = what.kernel;
  j["verdict"] = any_as_severe(outcome.findings, what.fails_on) ? "findings" : "clean";
  j["findings"] = findings_as_json(outcome.findings);
  j["suppressed"] = what.hidden.suppressed;
  j["known"] = what.hidden.known;
  j["summary"] = summary(what, outcome);
  j["grid"] = index(what.options.grid);
  j["block"] = index(what.options.block);
  j["schedules"] = outcome.schedules;
  j["blocks"] = outcome.blocks;
  j["watched_blocks"] = outcome.watched_blocks;
  j["seed"] = what.options.seed;
  j["accesses"] = outcome.accesses;
  j["seconds"] = outcome.seconds;
  j["stopped"] = outcome.was_stopped;
  if (what.options.profiles) j["profile"] = profile_as_json(outcome.profile);
  return one_line(j);
}

std::string as_json(const program_checked& what, const program_outcome& outcome) {
  ordered_json j;
  j["source"] = what.source;
  j["arguments"] = what.arguments;
  j["verdict"] = any_as_severe(outcome.findings, what.fails_on) ? "findings"
                 : outcome.has_checked_nothing()                ? "nothing-checked"
                                                                : "clean";
  j["findings"] = findings_as_json(outcome.findings);
  j["suppressed"] = what.hidden.suppressed;
  j["known"] = what.hidden.known;
  j["summary"] = summary(what, outcome);
  if (outcome.signal != 0) {
    j["signal"] = outcome.signal;
  } else {
    j["status"] = outcome.status;
  }
  j["launches"] = outcome.launches;
  j["watched_launches"] = outcome.watched_launches;
  j["blocks"] = outcome.blocks;
  j["watched_blocks"] = outcome.watched_blocks;
  if (outcome.was_stopped) j["stopped"] = true;
  j["schedules"] = what.options.schedules;
  j["seed"] = what.options.seed;
  j["accesses"] = outcome.accesses;
  j["seconds"] = outcome.seconds;
  if (what.options.profiles) j["profiles"] = ordered_json::array();
  for (const launch_profile& p : outcome.profiles) {
    j["profiles"].push_back({{"what", p.by.what},
                             {"file", p.by.file},
                             {"line", p.by.line},
                             {"function", p.by.function},
                             {"launches", p.launches},
                             {"profile", profile_as_json(p.lines)}});
  }
  return one_line(j);
}

namespace {

/// A path as a URI: RFC 3986 wants every other byte as %XX.
std::string uri_of(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// Where something is in the source; where that is not known, the first line of `source`.
ordered_json location(const std::string& source, const place* p) {
  const bool is_known = p != nullptr && p->line != 0;
  ordered_json result;
  result["artifactLocation"]["uri"] = uri_of(is_known ? p->file : source);
  result["region"]["startLine"] = is_known ? p->line : 1;
  if (is_known && !p->source.empty()) result["region"]["startColumn"] = p->caret + 1;
  return result;
}

}  // namespace

std::string as_sarif(const std::string& source, const std::vector<finding>& findings) {
  ordered_json rules = ordered_json::array(), results = ordered_json::array();
  for (const finding& f : findings) {
    const std::string rule = name(f.kind);
    const bool is_new =
        std::none_of(rules.begin(), rules.end(), [&](const ordered_json& r) { return r["id"] == rule; });
    if (is_new) {
      ordered_json one;
      one["id"] = rule;
      rules.push_back(std::move(one));
    }
    const auto first =
        std::find_if(f.places.begin(), f.places.end(), [](const place& p) { return p.line != 0; });
    ordered_json result;
    result["ruleId"] = rule;
    result["level"] = name(f.level);
    result["message"]["text"] = describe(f);
    ordered_json main;
    main["physicalLocation"] = location(source, first == f.places.end() ? nullptr : &*first);
    result["locations"] = ordered_json::array();
    result["locations"].push_back(std::move(main));
    result["relatedLocations"] = ordered_json::array();
    for (auto p = f.places.begin(); p != f.places.end(); ++p) {
      if (p == first || p->line == 0) continue;
      ordered_json other;
      other["physicalLocation"] = location(source, &*p);
      other["message"]["text"] = p->what;
      result["relatedLocations"].push_back(std::move(other));
    }
    // A fix that goes before a line can be inserted there.
    if (f.fix.starts_with("if (") && first != f.places.end()) {
      const std::size_t column = first->source.find_first_not_of(" \t") + 1;
      ordered_json replacement, change, fix;
      replacement["deletedRegion"] = {
          {"startLine", first->line}, {"startColumn", column}, {"endColumn", column}};
      replacement["insertedContent"]["text"] = f.fix + " ";
      change["artifactLocation"]["uri"] = uri_of(first->file);
      change["replacements"] = ordered_json::array({std::move(replacement)});
      fix["description"]["text"] = f.fix;
      fix["artifactChanges"] = ordered_json::array({std::move(change)});
      result["fixes"] = ordered_json::array({std::move(fix)});
    }
    result["partialFingerprints"]["heddle/v1"] = fingerprint(f);
    results.push_back(std::move(result));
  }
  ordered_json run, log;
  run["tool"]["driver"]["name"] = "heddle check";
  run["tool"]["driver"]["rules"] = std::move(rules);
  run["results"] = std::move(results);
  log["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"] = ordered_json::array();
  log["runs"].push_back(std::move(run));
  return one_line(log);
}

std::string as_html(const checked& what, const launch_outcome& outcome) {
  return as_html(what.source, summary(what, outcome), outcome.findings);
}

std::string as_html(const program_checked& what, const program_outcome& outcome) {
  return as_html(what.source, summary(what, outcome), outcome.findings);
}

std::string as_json_error(const std::string& source, const std::string& kernel, std::string_view reason) {
  ordered_json j;
  j["source"] = source;
  if (!kernel.empty()) j["kernel"] = kernel;
  j["verdict"] = "error";
  j["error"] = reason;
  j["status"] = 2;
  return one_line(j);
}

namespace {

// What a program's test case is called, as a kernel's is by its name.
constexpr const char* program_case = "main";

std::string junit_of(const std::string& source, const std::string& name, const std::vector<finding>& findings,
                     severity fails_on, double seconds) {
  std::string result = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"heddle check\" tests=\"1\" failures=\"{}\" errors=\"0\" time=\"{:.3f}\">\n"
      "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n",
      any_as_severe(findings, fails_on) ? 1 : 0, seconds, impl::xml_text(source), impl::xml_text(name),
      seconds);
  std::string others;
  for (const finding& f : findings) {
    if (f.level < fails_on) {
      others += describe(f) + "\n";
      continue;
    }
    result += fmt::format("    <failure type=\"{}\" message=\"{}\">{}</failure>\n", checker::name(f.kind),
                          impl::xml_text(where(f) + headline(f)), impl::xml_text(describe(f)));
  }
  if (!others.empty()) result += fmt::format("    <system-out>{}</system-out>\n", impl::xml_text(others));
  return result + "  </testcase>\n</testsuite>\n";
}

}  // namespace

std::string as_junit(const checked& what, const launch_outcome& outcome) {
  return junit_of(what.source, what.kernel, outcome.findings, what.fails_on, outcome.seconds);
}

std::string as_junit(const program_checked& what, const program_outcome& outcome) {
  return junit_of(what.source, program_case, outcome.findings, what.fails_on, outcome.seconds);
}

std::string as_junit_error(const std::string& source, const std::string& kernel, std::string_view reason) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"heddle check\" tests=\"1\" failures=\"0\" errors=\"1\">\n"
      "  <testcase classname=\"{}\" name=\"{}\">\n"
      "    <error message=\"{}\"/>\n"
      "  </testcase>\n</testsuite>\n",
      impl::xml_text(source), impl::xml_text(kernel.empty() ? program_case : kernel), impl::xml_text(reason));
}

}  // namespace heddle::checker
