#include "checker/report/profile_report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

using nlohmann::ordered_json;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// What is wasted, as lines are ranked and drawn by it.
struct waste {
  std::uint64_t count;
  double share;
};
waste waste_of(const traffic& t) {
  return {t.transfers - t.fewest, share_of(t.transfers - t.fewest, t.transfers)};
}

std::string bar(double share) {
  constexpr std::size_t width = 20;
  const auto filled = static_cast<std::size_t>(std::lround(share * width));
  return std::string(filled, '#') + std::string(width - filled, '.');
}

/// Lines of files that findings and profiles name; nothing of those that cannot be read.
class source_texts {
 public:
  std::string text(const line_profile& of) {
    constexpr std::size_t most = 60;
    const auto [at, is_new] = files_.try_emplace(of.file);
    if (is_new) {
      std::ifstream file(of.file);
      for (std::string line; std::getline(file, line);) at->second.push_back(line);
    }
    if (of.line > at->second.size()) return "";
    std::string_view line = at->second[of.line - 1];
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    return line.size() <= most ? std::string(line) : std::string(line.substr(0, most - 3)) + "...";
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

class tables {
 public:
  explicit tables(const std::vector<line_profile>& lines) : lines_(lines) {}

  /// Of those lines that `belongs` says; `columns` gives the text in front of the bar.
  void add(std::string_view title, std::string_view head,
           const std::function<bool(const line_profile&)>& belongs,
           const std::function<waste(const line_profile&)>& wasted,
           const std::function<std::string(const line_profile&)>& columns) {
    std::vector<const line_profile*> rows;
    for (const line_profile& line : lines_) {
      if (belongs(line)) rows.push_back(&line);
    }
    if (rows.empty()) return;
    std::stable_sort(rows.begin(), rows.end(), [&](const line_profile* a, const line_profile* b) {
      return wasted(*a).count > wasted(*b).count;
    });
    text += fmt::format("\n{}\n{}  {:20}  line\n", title, head, "waste");
    for (const line_profile* const row : rows) {
      text += fmt::format("{}  {}  {}:{}  {}\n", columns(*row), bar(wasted(*row).share), row->file, row->line,
                          sources_.text(*row));
    }
  }

  std::string text;

 private:
  const std::vector<line_profile>& lines_;
  source_texts sources_;
};

std::string columns_of(const traffic& t) {
  const auto a_request = [&](std::uint64_t count) { return share_of(count, t.requests); };
  return fmt::format("{:>10}  {:>12}  {:>9.2f}  {:>6.2f}", t.requests, t.bytes, a_request(t.transfers),
                     a_request(t.fewest));
}

ordered_json json_of(const traffic& t, const char* transfers) {
  return {{"requests", t.requests},
          {"bytes", t.bytes},
          {transfers, t.transfers},
          {"fewest", t.fewest},
          {"efficiency", share_of(t.fewest, t.transfers)},
          {"worst", t.worst}};
}

}  // namespace

std::string profile_as_text(const std::vector<line_profile>& lines) {
  tables all(lines);
  all.add(
      "global memory: sectors of 32 bytes a request, and the fewest that hold what it asks for",
      fmt::format("{:>10}  {:>12}  {:>9}  {:>6}  {:>10}", "requests", "bytes", "sectors", "fewest",
                  "efficiency"),
      [](const line_profile& l) { return l.global.requests != 0; },
      [](const line_profile& l) { return waste_of(l.global); },
      [](const line_profile& l) {
        return fmt::format("{}  {:>8.1f} %", columns_of(l.global),
                           100 * share_of(l.global.fewest, l.global.transfers));
      });
  all.add(
      "shared memory: rounds through the banks a request, the fewest, and the worst conflict",
      fmt::format("{:>10}  {:>12}  {:>9}  {:>6}  {:>10}", "requests", "bytes", "rounds", "fewest",
                  "conflict"),
      [](const line_profile& l) { return l.shared.requests != 0; },
      [](const line_profile& l) { return waste_of(l.shared); },
      [](const line_profile& l) {
        return fmt::format("{}  {:>10}", columns_of(l.shared), fmt::format("{}-way", l.shared.worst));
      });
  all.add(
      "branches: lanes that wait while others of their warp go on",
      fmt::format("{:>10}  {:>11}", "executions", "idle lanes"),
      [](const line_profile& l) { return l.idle != 0; },
      [](const line_profile& l) { return waste{l.idle, share_of(l.idle, l.lanes)}; },
      [](const line_profile& l) {
        return fmt::format("{:>10}  {:>9.1f} %", l.executions, 100 * share_of(l.idle, l.lanes));
      });
  return all.text;
}

ordered_json profile_as_json(const std::vector<line_profile>& lines) {
  ordered_json all = ordered_json::array();
  for (const line_profile& line : lines) {
    ordered_json one{{"file", line.file}, {"line", line.line}, {"function", line.function}};
    if (line.global.requests != 0) one["global"] = json_of(line.global, "sectors");
    if (line.shared.requests != 0) one["shared"] = json_of(line.shared, "rounds");
    if (line.idle != 0) {
      one["branches"] = {{"executions", line.executions},
                         {"lanes", line.lanes},
                         {"idle", line.idle},
                         {"idle_share", share_of(line.idle, line.lanes)}};
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace heddle::checker
