#include "report.hpp"

#include "answers.hpp"
#include "sizes.hpp"
#include <heddle/machine.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli::bench {
namespace {

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.1f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.2f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string row_text(const std::string& where, const std::string& name, const std::string& type,
                     const std::string& n, const std::string& median, const std::string& spread,
                     const std::string& rate, const std::string& fraction, const std::string& gpu_columns) {
  std::string row = fmt::format("{:<12} {:<14} {:<10} {:>10} {:>10} {:>7} {:>9}  {:<13}{}", where, name, type,
                                n, median, spread, rate, fraction, gpu_columns);
  row.erase(row.find_last_not_of(' ') + 1);
  return row + "\n";
}

std::string gpu_columns(const std::string& back_to_back, const std::string& whole_call) {
  return fmt::format("{:>13} {:>11}", back_to_back, whole_call);
}

/// The title of a measurement.
std::string title_of(const std::vector<dtype>& types, const measured_work& work, const target& where) {
  std::string title = fmt::format("{} ({}) on {}", work.pattern,
                                  work.pattern == "transform" ? "x + 1" : work.op.c_str(), where.text());
  if (types.size() == 1) title += fmt::format(", {}", name(types.front()));
  return title;
}

}  // namespace

std::string head_text(bool with_gpu) {
  return row_text("target", "algorithm", "type", "n", "median", "spread", "GB/s", "of ceiling",
                  with_gpu ? gpu_columns("back to back", "whole call") : "");
}

std::string row_text(const result& one) {
  return row_text(one.where.text(), one.name, name(one.type), size_text(one.n), time_text(one.call.seconds),
                  fmt::format("{:.1f} %", 100 * one.call.interquartile() / one.call.seconds),
                  fmt::format("{:.2f}", one.gb_per_s()),
                  one.ceiling.empty() ? "" : fmt::format("{:.2f} of {}", one.fraction, one.ceiling),
                  one.whole_call
                      ? gpu_columns(time_text(one.back_to_back->seconds), time_text(one.whole_call->seconds))
                      : "");
}

nlohmann::ordered_json json_of(const result& one, const measured_work& work) {
  constexpr const char* kinds[] = {"heddle", "peer", "ceiling"};
  nlohmann::ordered_json made = {{"pattern", work.pattern},
                                 {"target", one.where.text()},
                                 {"algorithm", one.name},
                                 {"kind", kinds[static_cast<int>(one.kind)]},
                                 {"dtype", name(one.type)},
                                 {"n", one.n},
                                 {"bytes", one.bytes},
                                 {"seconds", one.call.seconds},
                                 {"interquartile_seconds", one.call.interquartile()},
                                 {"gb_per_s", one.gb_per_s()},
                                 {"samples", one.call.samples},
                                 {"calls_per_sample", one.call.calls_a_sample},
                                 {"buffers", one.buffers}};
  if (work.pattern != "transform") made["op"] = work.op;
  if (work.is_checked && one.kind == contender::kind::algorithm && has_answer(one.type))
    made["checked"] = true;
  if (!one.ceiling.empty()) {
    made["ceiling"] = one.ceiling;
    made["fraction_of_ceiling"] = one.fraction;
  }
  if (one.whole_call) {
    made["back_to_back_seconds"] = one.back_to_back->seconds;
    made["whole_call_seconds"] = one.whole_call->seconds;
  }
  return made;
}

std::vector<chart_panel> panels_of(const std::vector<target>& targets, const std::vector<dtype>& types,
                                   const measured_work& work, const std::vector<result>& results) {
  std::vector<chart_panel> panels;
  for (const target& where : targets) {
    if (std::none_of(results.begin(), results.end(), [&](const result& r) { return r.where == where; })) {
      continue;
    }
    chart_panel& panel = panels.emplace_back();
    panel.title = title_of(types, work, where);
    panel.subtitle = where.is_gpu() ? gpus()[static_cast<std::size_t>(where.device())].name : cpu_name();
    for (const result& one : results) {
      if (one.where != where) continue;
      std::string line_name = one.name;
      if (one.kind == contender::kind::ceiling) line_name += " (ceiling)";
      if (types.size() > 1) line_name += fmt::format(" {}", name(one.type));
      auto line = std::find_if(panel.lines.begin(), panel.lines.end(),
                               [&](const chart_line& l) { return l.name == line_name; });
      if (line == panel.lines.end()) {
        panel.lines.push_back({line_name, one.kind, {}});
        line = std::prev(panel.lines.end());
      }
      line->points.emplace_back(static_cast<double>(one.n), one.gb_per_s());
    }
  }
  return panels;
}

}  // namespace heddle::cli::bench
