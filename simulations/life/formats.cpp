#include "life/formats.hpp"

#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/io/png.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::life {
namespace {

// Far enough for any pattern, and near enough for sums of coordinates.
constexpr std::int64_t farthest = std::int64_t{1} << 60;

/// Runs of live cells as they are found, before it is known how large a grid must be.
struct runs {
  struct run {
    std::int64_t x, y, count;
  };
  std::vector<run> all;
  std::int64_t left = farthest, top = farthest, right = -farthest, bottom = -farthest;
  std::uint64_t cells = 0;  // one that is drawn twice counts twice

  void add(std::int64_t x, std::int64_t y, std::int64_t count) {
    all.push_back({x, y, count});
    cells += static_cast<std::uint64_t>(count);
    left = std::min(left, x);
    right = std::max(right, x + count);
    top = std::min(top, y);
    bottom = std::max(bottom, y + 1);
  }
};

/// The lines of a text, with or without carriage returns, and where one is for errors.
class lines {
 public:
  lines(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    heddle::fail(fmt::format("{}: line {}: {}", path_, number_, what));
  }

 private:
  std::string_view rest_;
  const std::string& path_;
  std::size_t number_ = 0;
};

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A character as an error shows it.
std::string shown(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code >= 32 && code < 127 ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", code);
}
std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 60)) result += static_cast<unsigned char>(c) - 32u < 95u ? c : '?';
  return "'" + result + (text.size() > 60 ? "...'" : "'");
}

/// Takes an integer off the front of `text`.
std::optional<std::int64_t> take_integer(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || value > farthest || value < -farthest) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

pattern assemble(const runs& live, const std::string& path, std::optional<std::uint64_t> most_cells) {
  pattern result;
  if (live.all.empty()) return result;
  const auto width = static_cast<std::uint64_t>(live.right - live.left),
             height = static_cast<std::uint64_t>(live.bottom - live.top);
  const std::uint64_t most = most_cells.value_or(most_cells_around(live.cells));
  const std::uint64_t columns = most_cells ? width : columns_kept(width);
  if (columns > most / height) {
    const std::string remedy =
        most_cells
            ? ""
            : fmt::format(" (a row takes the memory of {}): a bounded grid may be larger (--size)", columns);
    fail(fmt::format(
        "{}: the pattern spans {}x{} cells, of which at most {} live, and more than {} cells are refused{}",
        path, width, height, live.cells, most, remedy));
  }
  result.live = {grid(width, height), live.left, live.top};
  for (const auto& run : live.all) {
    result.live.cells.set_run(static_cast<std::size_t>(run.x - live.left),
                              static_cast<std::size_t>(run.y - live.top),
                              static_cast<std::size_t>(run.count));
  }
  return result;
}

void parse_rule(const lines& where, std::string_view text, pattern& into) {
  try {
    const auto [law, grid] = bounded_rule::parse(without_blanks(text));
    into.law = law;
    into.grid = grid;
  } catch (const error& wrong) {
    where.fail(wrong.what());
  }
}

/// "x = 36, y = 9, rule = B3/S23"
void parse_header(const lines& where, std::string_view line, pattern& into) {
  const auto refuse = [&]() {
    where.fail(fmt::format("{} is no header 'x = 3, y = 3, rule = B3/S23'", shown(line)));
  };
  std::string_view rest = line;
  while (!without_blanks(rest).empty()) {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) refuse();
    const std::string_view key = without_blanks(rest.substr(0, equals));
    rest = without_blanks(rest.substr(equals + 1));
    if (key == "rule") return parse_rule(where, rest, into);
    const std::optional<std::int64_t> value = take_integer(rest);
    if (!value || *value < 0 || (key != "x" && key != "y")) refuse();
    (key == "x" ? into.box_width : into.box_height) = *value;
    rest = without_blanks(rest);
    if (!rest.empty() && rest.front() != ',') refuse();
    if (!rest.empty()) rest.remove_prefix(1);
  }
}

/// "#CXRLE Pos=0,-1377 Gen=3480106827776": where the top-left is, and which generation it is.
void parse_comment_of_golly(const lines& where, std::string_view line, pattern& into) {
  if (const std::size_t at = line.find("Pos="); at != std::string_view::npos) {
    std::string_view rest = line.substr(at + 4);
    const std::optional<std::int64_t> left = take_integer(rest);
    if (!rest.empty() && rest.front() == ',') rest.remove_prefix(1);
    const std::optional<std::int64_t> top = take_integer(rest);
    if (!left || !top) where.fail("'Pos=' is not followed by two numbers");
    into.box_left = *left;
    into.box_top = *top;
  }
  if (const std::size_t at = line.find("Gen="); at != std::string_view::npos) {
    const std::string_view rest = without_blanks(line.substr(at + 4));
    const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), into.generation);
    const bool ends_there = end == rest.data() + rest.size() || *end == ' ' || *end == '\t';
    if (status != std::errc() || !ends_there) where.fail("'Gen=' is not followed by a number below 2^64");
  }
}

pattern parse_rle(std::string_view text, const std::string& path, std::optional<std::uint64_t> most_cells) {
  lines all(text, path);
  pattern header;
  runs live;
  bool began = false, over = false;
  std::int64_t x = 0, y = 0, count = 0, widest = 0;
  bool counted = false;
  for (std::string_view line; !over && all.next(line);) {
    if (line.starts_with('#')) {
      if (line.starts_with("#CXRLE")) parse_comment_of_golly(all, line, header);
      continue;
    }
    if (!began && without_blanks(line).starts_with('x')) {
      parse_header(all, line, header);
      began = true;
      continue;
    }
    for (const char c : line) {
      if (c == ' ' || c == '\t') continue;
      began = true;
      if (c >= '0' && c <= '9') {
        count = 10 * count + (c - '0');
        counted = true;
        if (count > farthest / 64) all.fail("a count is too large");
        continue;
      }
      const std::int64_t times = counted ? count : 1;
      counted = false;
      count = 0;
      if (c == '!') {
        over = true;
        break;
      }
      if (c == '$') {
        y += times;
        x = 0;
      } else if (c == 'b' || c == '.') {
        x += times;
      } else if (c == 'o' || c == 'A') {
        if (times > 0) live.add(x, y, times);
        x += times;
        widest = std::max(widest, x);
      } else {
        all.fail(fmt::format("{} is no cell of a pattern with two states: b, o, $ and ! are", shown(c)));
      }
      if (x > farthest / 4 || y > farthest / 4) all.fail("the pattern is too large");
    }
  }
  if (counted && !over) all.fail("the text ends after a count");
  const std::int64_t height = live.all.empty() ? 0 : live.bottom;
  pattern result = assemble(live, path, most_cells);
  result.law = header.law;
  result.grid = header.grid;
  result.generation = header.generation;
  result.box_left = header.box_left;
  result.box_top = header.box_top;
  result.box_width = std::max(header.box_width, widest);
  result.box_height = std::max(header.box_height, height);
  result.live.left += header.box_left;
  result.live.top += header.box_top;
  return result;
}

pattern parse_plaintext(std::string_view text, const std::string& path,
                        std::optional<std::uint64_t> most_cells) {
  lines all(text, path);
  runs live;
  std::int64_t y = 0, widest = 0;
  for (std::string_view line; all.next(line);) {
    if (line.starts_with('!')) continue;
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    for (std::size_t x = 0; x < line.size();) {
      std::size_t end = x;
      while (end < line.size() && (line[end] == 'O' || line[end] == '*' || line[end] == 'o')) ++end;
      if (end > x) {
        live.add(static_cast<std::int64_t>(x), y, static_cast<std::int64_t>(end - x));
        x = end;
      } else if (line[x] == '.' || line[x] == ' ') {
        ++x;
      } else {
        all.fail(fmt::format("{} is no cell: '.' and 'O' are", shown(line[x])));
      }
    }
    widest = std::max(widest, static_cast<std::int64_t>(line.size()));
    ++y;
  }
  pattern result = assemble(live, path, most_cells);
  result.box_width = widest;
  result.box_height = y;
  return result;
}

pattern parse_life_106(std::string_view text, const std::string& path,
                       std::optional<std::uint64_t> most_cells) {
  lines all(text, path);
  runs live;
  for (std::string_view line; all.next(line);) {
    std::string_view rest = without_blanks(line);
    if (rest.empty() || rest.front() == '#') continue;
    const std::optional<std::int64_t> x = take_integer(rest);
    rest = without_blanks(rest);
    const std::optional<std::int64_t> y = take_integer(rest);
    if (!x || !y || !without_blanks(rest).empty() || std::max({*x, -*x, *y, -*y}) > farthest / 4) {
      all.fail(fmt::format("{} is not the column and the row of a cell", shown(line)));
    }
    live.add(*x, *y, 1);
  }
  pattern result = assemble(live, path, most_cells);
  result.box_left = result.live.left;
  result.box_top = result.live.top;
  result.box_width = static_cast<std::int64_t>(result.live.cells.width());
  result.box_height = static_cast<std::int64_t>(result.live.cells.height());
  return result;
}

/// Text that goes to a file in large pieces.
class text_file {
 public:
  explicit text_file(const std::string& path) : file_(path) {}
  fmt::memory_buffer& buffer() { return buffer_; }
  void flush_when_large() {
    if (buffer_.size() > 1 << 16) flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  atomic_file file_;
  fmt::memory_buffer buffer_;
};

/// Calls f(alive, count) for the runs of a row, without dead cells at its end.
template <class F>
void each_run(const grid& cells, std::size_t y, const F& f) {
  const std::uint64_t* const row = cells.row(y);
  const std::size_t words = cells.words_in_row(), width = cells.width();
  bool alive = false;
  std::size_t began = 0;
  for (std::size_t x = 0; x < width;) {
    const std::uint64_t bits = bits_from(row, words, x);
    const auto same = std::min<std::size_t>(
        width - x, static_cast<std::size_t>(alive ? std::countr_one(bits) : std::countr_zero(bits)));
    x += same;
    if (same == 64) continue;
    if (x > began && (alive || x < width)) f(alive, x - began);
    if (x < width) {
      alive = !alive;
      began = x;
    } else {
      return;
    }
  }
  if (alive && width > began) f(true, width - began);
}

}  // namespace

pattern parse_pattern(std::string_view text, const std::string& path,
                      std::optional<std::uint64_t> most_cells) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.starts_with("#Life 1.06")) return parse_life_106(text, path, most_cells);
  for (const auto& [beginning, format] :
       {std::pair("#Life 1.05", "Life 1.05"), std::pair("[M2]", "macrocell")}) {
    if (text.starts_with(beginning)) {
      fail(fmt::format("{}: line 1: {} is not read: RLE, plaintext and Life 1.06 are", path, format));
    }
  }
  if (path.ends_with(".cells")) return parse_plaintext(text, path, most_cells);
  if (path.ends_with(".rle")) return parse_rle(text, path, most_cells);
  lines all(text, path);
  for (std::string_view line; all.next(line);) {
    const std::string_view content = without_blanks(line);
    if (content.empty() || content.front() == '#') continue;
    if (content.front() == '!' || content.find_first_not_of(".O*") == std::string_view::npos) {
      return parse_plaintext(text, path, most_cells);
    }
    break;
  }
  return parse_rle(text, path, most_cells);
}

pattern read_pattern(const std::string& place, std::optional<std::uint64_t> most_cells) {
  const std::string path = shown_path(place);
  if (std::filesystem::is_directory(place)) fail(path + ": is a folder, where a file is needed");
  const int descriptor = open_for_reading(place);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      descriptor < 0 ? nullptr : ::fdopen(descriptor, "rb"), std::fclose);
  if (!file) fail(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::string text;
  char piece[1 << 16];
  for (std::size_t moved = 1; moved > 0; text.append(piece, moved)) {
    moved = std::fread(piece, 1, sizeof piece, file.get());
  }
  if (std::ferror(file.get()) != 0) fail(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail(path + ": is empty, where a pattern is needed");
  }
  return parse_pattern(text, path, most_cells);
}

placed_grid place_on_bounded_grid(const pattern& from) {
  const auto& [torus, width, height] = *from.grid;
  (void)torus;
  const std::int64_t left = -static_cast<std::int64_t>(width / 2),
                     top = -static_cast<std::int64_t>(height / 2);
  const auto& live = from.live;
  placed_grid result{grid(width, height), left, top};
  if (live.cells.width() == 0) return result;
  const std::int64_t x = live.left - left, y = live.top - top;
  if (x < 0 || y < 0 ||
      x + static_cast<std::int64_t>(live.cells.width()) > static_cast<std::int64_t>(width) ||
      y + static_cast<std::int64_t>(live.cells.height()) > static_cast<std::int64_t>(height)) {
    fail(
        fmt::format("life: the live cells of columns {} to {} and rows {} to {} are not all on the "
                    "{}x{} grid of the pattern's rule, whose columns are {} to {} and rows {} to {}: "
                    "--size {}x{} puts the pattern in the middle",
                    live.left, live.left + static_cast<std::int64_t>(live.cells.width()) - 1, live.top,
                    live.top + static_cast<std::int64_t>(live.cells.height()) - 1, width, height, left,
                    left + static_cast<std::int64_t>(width) - 1, top,
                    top + static_cast<std::int64_t>(height) - 1, width, height));
  }
  result.cells.put(live.cells, static_cast<std::size_t>(x), static_cast<std::size_t>(y));
  return result;
}

placed_grid place_in_the_middle(const pattern& from, std::size_t width, std::size_t height) {
  const auto w = static_cast<std::int64_t>(width), h = static_cast<std::int64_t>(height);
  if (from.box_width > w || from.box_height > h) {
    fail(fmt::format("life: the pattern is {}x{} cells, and --size {}x{} is smaller", from.box_width,
                     from.box_height, width, height));
  }
  placed_grid result{grid(width, height), -(w / 2), -(h / 2)};
  if (from.live.cells.width() == 0) return result;
  result.cells.put(from.live.cells,
                   static_cast<std::size_t>((w - from.box_width) / 2 + from.live.left - from.box_left),
                   static_cast<std::size_t>((h - from.box_height) / 2 + from.live.top - from.box_top));
  return result;
}

void write_rle(const std::string& path, const placed_grid& placed, const rule& law, topology shape,
               std::uint64_t generation) {
  const grid& cells = placed.cells;
  text_file file(path);
  const auto out = std::back_inserter(file.buffer());
  fmt::format_to(out, "#CXRLE Pos={},{} Gen={}\n", placed.left, placed.top, generation);
  fmt::format_to(out, "x = {}, y = {}, rule = {}", cells.width(), cells.height(), law.text());
  if (shape != topology::infinite) {
    fmt::format_to(out, ":{}{},{}", shape == topology::torus ? 'T' : 'P', cells.width(), cells.height());
  }
  fmt::format_to(out, "\n");
  std::size_t column = 0, rows = 0;
  const auto item = [&](std::size_t count, char tag) {
    char text[std::numeric_limits<std::size_t>::digits10 + 1 + 1];  // all digits, and the tag
    const auto end = count > 1 ? fmt::format_to(text, "{}{}", count, tag) : fmt::format_to(text, "{}", tag);
    const auto length = static_cast<std::size_t>(end - text);
    if (column + length > 70) {
      file.buffer().push_back('\n');
      column = 0;
    }
    file.buffer().append(text, end);
    column += length;
    file.flush_when_large();
  };
  for (std::size_t y = 0; y < cells.height(); ++y, ++rows) {
    each_run(cells, y, [&](bool alive, std::size_t count) {
      if (rows > 0) item(rows, '$');
      rows = 0;
      item(count, alive ? 'o' : 'b');
    });
  }
  item(1, '!');
  file.buffer().push_back('\n');
  file.commit();
}

void write_cells(const std::string& path, const placed_grid& placed, const rule& law,
                 std::uint64_t generation) {
  const grid& cells = placed.cells;
  text_file file(path);
  fmt::format_to(std::back_inserter(file.buffer()), "!Generation {} by {}\n", generation, law.text());
  for (std::size_t y = 0; y < cells.height(); ++y) {
    for (std::size_t x = 0; x < cells.width(); ++x) file.buffer().push_back(cells(x, y) ? 'O' : '.');
    file.buffer().push_back('\n');
    file.flush_when_large();
  }
  file.commit();
}

void write_npy(const std::string& path, const grid& cells) {
  atomic_file file(path);
  const std::string header = npy_header(dtype::uint8, {cells.height(), cells.width()});
  file.write(header.data(), header.size());
  std::vector<std::uint8_t> row(cells.width());
  for (std::size_t y = 0; y < cells.height(); ++y) {
    for (std::size_t x = 0; x < cells.width(); ++x) row[x] = cells(x, y);
    file.write(row.data(), row.size());
  }
  file.commit();
}

void write_png(const std::string& path, const grid& cells) {
  const std::size_t width = std::max<std::size_t>(1, cells.width());
  png_writer picture(path, width, std::max<std::size_t>(1, cells.height()), pixel_format::grey);
  std::vector<std::uint8_t> row(width);
  if (cells.height() == 0) picture.append(row.data(), 1);
  for (std::size_t y = 0; y < cells.height(); ++y) {
    for (std::size_t x = 0; x < width; ++x) row[x] = cells(x, y) ? 255 : 0;
    picture.append(row.data(), 1);
  }
  picture.commit();
}

}  // namespace heddle::life
