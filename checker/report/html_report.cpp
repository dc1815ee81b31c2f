#include "checker/report/html_report.hpp"

#include "cuda_on_cpu/run/grid_shape.hpp"
#include "io/xml_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

using heddle_device::index3;
using impl::xml_text;

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --back: #f6f7f9; --panel: #fff; --text: #1a2027; --dim: #55606c; --line: #c9d0d8; --cell: #dde2e8;
  --here: #fff3c4; --error: #a8231f; --warning: #8a5a00; --note: #55606c; --mark0: #d55e00; --mark1: #0072b2; --mark2: #009e73; --mark3: #cc79a7; }
@media (prefers-color-scheme: dark) { :root { --back: #12161b; --panel: #1b2129; --text: #e8ecf1; --dim: #a3aeba; --line: #3a4450;
  --cell: #333c47; --here: #4a3f12; --error: #ff8a80; --warning: #f0b84a; --note: #a3aeba; --mark0: #ff8c42; --mark1: #5db8f5; --mark2: #3ecfa4; --mark3: #e79ac8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 90rem; padding: 1rem; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0 0 0.6rem; overflow-wrap: anywhere; }
section { background: var(--panel); border: 1px solid var(--line); border-left: 5px solid var(--level); border-radius: 6px; padding: 0.8rem; margin: 1rem 0; }
.error { --level: var(--error); } .warning { --level: var(--warning); } .note { --level: var(--note); }
.level { color: var(--level); } .dim, figcaption { color: var(--dim); }
.places { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0.8rem; }
figure { margin: 0; min-width: 0; } figcaption { overflow-wrap: anywhere; margin-bottom: 0.3rem; }
figcaption strong { color: var(--mark, var(--text)); }
.mark0 { --mark: var(--mark0); } .mark1 { --mark: var(--mark1); } .mark2 { --mark: var(--mark2); } .mark3 { --mark: var(--mark3); }
pre { margin: 0 0 0.5rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; padding: 0.3rem 0; font: 13px/1.4 ui-monospace, monospace; tab-size: 2; }
pre span { display: block; padding: 0 0.6rem; width: max-content; min-width: 100%; } pre .here { background: var(--here); }
pre i { display: inline-block; width: 3.5em; color: var(--dim); font-style: normal; user-select: none; }
.threads { display: flex; flex-wrap: wrap; gap: 1rem; } .threads div { font-size: 0.85rem; color: var(--dim); }
svg { display: block; } rect { fill: var(--cell); } rect[class] { fill: var(--mark); } text { fill: var(--dim); font-size: 8px; }
)";

/// The lines of a file; none where it cannot be read.
class sources {
 public:
  const std::vector<std::string>& lines_of(const std::string& file) {
    const auto [at, is_new] = known_.try_emplace(file);
    if (is_new) {
      std::ifstream in(file);
      for (std::string line; std::getline(in, line);) at->second.push_back(line);
    }
    return at->second;
  }

 private:
  std::map<std::string, std::vector<std::string>> known_;
};

std::string excerpt(const place& p, sources& files) {
  constexpr std::size_t lines_around = 4;
  if (p.line == 0) return "";
  const std::vector<std::string>& lines = files.lines_of(p.file);
  if (lines.size() < p.line) return "<p class=\"dim\">Its source cannot be read here.</p>\n";
  std::string result = "<pre>";
  const std::size_t last = std::min(lines.size(), p.line + lines_around);
  for (std::size_t n = p.line - std::min(p.line - 1, lines_around); n <= last; ++n)
    result += fmt::format("<span{}><i>{}</i>{}</span>", n == p.line ? " class=\"here\"" : "", n,
                          xml_text(lines[n - 1]));
  return result + "</pre>\n";
}

bool is_same(index3 a, index3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

std::uint64_t number_of(index3 i, index3 shape) {
  return i.x + std::uint64_t{shape.x} * (i.y + std::uint64_t{shape.y} * i.z);
}

/// Cells in rows of 32, numbered row by row, of which some are marked with the number of a place.
std::string cells(std::string_view label, std::uint64_t count,
                  const std::map<std::uint64_t, std::size_t>& marks) {
  constexpr std::uint64_t in_row = 32, most_rows = 32;
  constexpr int side = 7, step = 8, left = 34;
  const std::uint64_t rows = (count + in_row - 1) / in_row;
  std::set<std::uint64_t> drawn;
  if (rows <= most_rows) {
    for (std::uint64_t row = 0; row < rows; ++row) drawn.insert(row);
  } else {
    drawn = {0, rows - 1};
    for (const auto& [cell, mark] : marks) {
      const std::uint64_t row = cell / in_row;
      for (std::uint64_t near = row - std::min<std::uint64_t>(row, 1); near <= std::min(rows - 1, row + 1);
           ++near)
        drawn.insert(near);
    }
  }
  std::string shapes;
  int y = 0;
  std::uint64_t next = 0;
  for (const std::uint64_t row : drawn) {
    if (row != next) {
      shapes += fmt::format("<text x=\"{}\" y=\"{}\">…</text>", left, y + side);
      y += step + 2;
    }
    next = row + 1;
    shapes += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", left - 4, y + side,
                          row * in_row);
    for (std::uint64_t cell = row * in_row; cell < std::min(count, (row + 1) * in_row); ++cell) {
      const auto mark = marks.find(cell);
      const int x = left + static_cast<int>(cell % in_row) * step;
      const std::string as = mark == marks.end() ? "" : fmt::format(" class=\"mark{}\"", mark->second % 4);
      shapes += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>", x, y, side, side, as);
    }
    y += step;
  }
  return fmt::format(
      "<div>{0}<svg role=\"img\" aria-label=\"{0}\" width=\"{1}\" height=\"{2}\">{3}</svg></div>\n", label,
      left + static_cast<int>(std::min(count, in_row)) * step, y, shapes);
}

std::string shape_text(index3 shape) {
  return fmt::format("{} × {} × {}", shape.x, shape.y, shape.z);
}

/// The grid and the block of a place, with the places of the finding that are of the same.
std::string threads_of(const finding& f, std::size_t which) {
  const place& p = f.places[which];
  if (!p.has_thread || cuda_on_cpu::volume(p.grid) == 0 || cuda_on_cpu::volume(p.block_size) == 0) return "";
  std::map<std::uint64_t, std::size_t> blocks, threads;
  const auto mark = [&](std::size_t i) {
    const place& other = f.places[i];
    if (!other.has_thread || !is_same(other.grid, p.grid) || !is_same(other.block_size, p.block_size)) return;
    blocks.try_emplace(number_of(other.block, p.grid), i);
    if (is_same(other.block, p.block)) threads.try_emplace(number_of(other.thread, p.block_size), i);
  };
  mark(which);
  for (std::size_t i = 0; i < f.places.size(); ++i) mark(i);
  return "<div class=\"threads\">" +
         cells(fmt::format("block {} of {}", text(p.block), shape_text(p.grid)), cuda_on_cpu::volume(p.grid),
               blocks) +
         cells(fmt::format("thread {} of {}", text(p.thread), shape_text(p.block_size)),
               cuda_on_cpu::volume(p.block_size), threads) +
         "</div>\n";
}

std::string place_as_html(const finding& f, std::size_t which, sources& files) {
  const place& p = f.places[which];
  return fmt::format("<figure{}><figcaption><strong>{}</strong> {}<br/>{}{}</figcaption>\n{}{}</figure>\n",
                     p.has_thread ? fmt::format(" class=\"mark{}\"", which % 4) : "", xml_text(who(p)),
                     xml_text(p.what), xml_text(line_of(p)),
                     p.function.empty() ? "" : xml_text(" in " + p.function), excerpt(p, files),
                     threads_of(f, which));
}

}  // namespace

std::string as_html(const std::string& source, const std::string& summary,
                    const std::vector<finding>& findings) {
  std::string list, sections;
  sources files;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const finding& f = findings[i];
    const std::string title =
        fmt::format("<span class=\"level\">{}</span> {}", name(f.level), xml_text(headline(f)));
    list += fmt::format("<li class=\"{}\"><a href=\"#finding-{}\">{}</a> {}</li>\n", name(f.level), i + 1,
                        xml_text(where(f) + headline(f)), f.level == severity::error ? "" : name(f.level));
    sections += fmt::format(
        "<section id=\"finding-{}\" class=\"{}\">\n<h2>{} <span class=\"dim\">[{}]</span></h2>\n<div "
        "class=\"places\">\n",
        i + 1, name(f.level), title, name(f.kind));
    for (std::size_t p = 0; p < f.places.size(); ++p) sections += place_as_html(f, p, files);
    sections += "</div>\n";
    for (const std::string& remark : remarks(f)) sections += fmt::format("<p>{}</p>\n", xml_text(remark));
    sections += "</section>\n";
  }
  const char* const legend = findings.empty()
                                 ? ""
                                 : "<p class=\"dim\">A row of a block's threads is a warp; blocks are in the "
                                   "order of their numbers, 32 in a row.</p>\n";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>heddle check: "
      "{0}</title>\n<style>{1}</style>\n</head>\n"
      "<body>\n<h1>heddle check {0}</h1>\n<p>{2}</p>\n<ol>\n{3}</ol>\n{4}{5}</body>\n</html>\n",
      xml_text(source), style, xml_text(summary), list, legend, sections);
}

}  // namespace heddle::checker
