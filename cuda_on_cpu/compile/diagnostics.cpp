#include "cuda_on_cpu/compile/diagnostics.hpp"

#include "cuda_on_cpu/translate/tokens.hpp"
#include "io/contents.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

/// Takes the first line off a text.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// `# 12 "file"` or `#line 12 "file"`: where the next line is from.
struct line_marker {
  std::size_t line;
  std::string_view file;
};
std::optional<line_marker> marker_in(std::string_view line) {
  for (const std::string_view begin : {"#line ", "# "}) {
    if (!line.starts_with(begin)) continue;
    std::size_t number = 0;
    const auto read = std::from_chars(line.data() + begin.size(), line.data() + line.size(), number);
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (read.ec == std::errc() && close != open)
      return line_marker{number, line.substr(open + 1, close - open - 1)};
  }
  return std::nullopt;
}

/// Calls f with each line of a text, the file and the number that markers give it, until it returns true.
template <class F>
void for_lines(std::string_view text, std::string_view name, F f) {
  line_marker at{1, name};
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (const auto marker = marker_in(line)) {
      at = *marker;
    } else if (f(line, at)) {
      return;
    } else {
      ++at.line;
    }
  }
}

/// `file:12:34: error: what`.
struct message {
  std::string_view file, what;
  std::size_t line, column;
};
std::optional<message> message_in(std::string_view text) {
  constexpr std::string_view kinds[] = {": error: ", ": fatal error: ", ": warning: ", ": note: "};
  for (const std::string_view kind : kinds) {
    const std::size_t end = text.find(kind);
    if (end == std::string_view::npos) continue;
    message m{{}, text.substr(end), 0, 0};
    std::size_t begin = end;
    for (std::size_t* const number : {&m.column, &m.line}) {
      const std::size_t colon = text.rfind(':', begin - 1);
      if (colon == std::string_view::npos || colon == 0) return std::nullopt;
      const auto read = std::from_chars(text.data() + colon + 1, text.data() + begin, *number);
      if (read.ec != std::errc() || read.ptr != text.data() + begin) return std::nullopt;
      begin = colon;
    }
    m.file = text.substr(0, begin);
    return m;
  }
  return std::nullopt;
}

/// For each of the tokens `from` the one of `to` that it is: of those that stand in both in one order as many
/// as there are; nothing for the others. Quadratic in the tokens between what both begin and end with;
/// nothing at all where these are too many.
std::optional<std::vector<std::optional<std::size_t>>> aligned(const std::vector<token>& from,
                                                               const std::vector<token>& to) {
  const std::size_t shorter = std::min(from.size(), to.size());
  std::size_t begin = 0, end = 0;
  while (begin < shorter && from[begin].text == to[begin].text) ++begin;
  while (end < shorter - begin && from[from.size() - 1 - end].text == to[to.size() - 1 - end].text) ++end;
  std::vector<std::optional<std::size_t>> result(from.size());
  for (std::size_t i = 0; i < begin; ++i) result[i] = i;
  for (std::size_t i = 1; i <= end; ++i) result[from.size() - i] = to.size() - i;

  constexpr std::size_t most_cells = 1'000'000;
  const std::size_t rows = from.size() - begin - end, columns = to.size() - begin - end;
  if (columns > 0 && rows > most_cells / columns) return std::nullopt;
  const auto is_same = [&](std::size_t i, std::size_t j) {
    return from[begin + i].text == to[begin + j].text;
  };
  // most(i, j): of the tokens from i and from j on.
  std::vector<std::size_t> cells((rows + 1) * (columns + 1));
  const auto most = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return cells[i * (columns + 1) + j];
  };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;)
      most(i, j) = is_same(i, j) ? 1 + most(i + 1, j + 1) : std::max(most(i + 1, j), most(i, j + 1));
  }
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    if (is_same(i, j)) {
      result[begin + i++] = begin + j++;
    } else if (most(i + 1, j) >= most(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

class columns_of_source {
 public:
  columns_of_source(std::string_view preprocessed, const translation& translated, std::string_view source,
                    std::string_view name)
      : translated_(translated), source_(source), name_(name), read_(preprocessed) {}

  /// The message with an excerpt of the source below it; as it is where its place is not in the source.
  std::string operator()(std::string_view line) const {
    const auto m = message_in(line);
    const auto at = m ? offset_of(*m) : std::nullopt;
    const auto own_line = at ? line_of(m->file, m->line) : std::nullopt;
    if (!own_line) return std::string(line);
    const auto column = column_at(*at, *m, *own_line);
    if (!column) return std::string(line);
    std::string below(own_line->substr(0, *column));
    // A character has one place, however many bytes it has.
    std::erase_if(below, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
    std::replace_if(below.begin(), below.end(), [](char c) { return c != '\t'; }, ' ');
    return fmt::format("{}:{}:{}{}\n{:>5} | {}\n{:>5} | {}^", m->file, m->line, *column + 1, m->what, m->line,
                       *own_line, "", below);
  }

 private:
  /// Where the compiler's place is in the preprocessed text.
  std::optional<std::size_t> offset_of(const message& m) const {
    std::optional<std::size_t> in_text;
    for_lines(translated_.text, "", [&](std::string_view line, const line_marker& at) {
      if (at.line != m.line || at.file != m.file || m.column > line.size() + 1) return false;
      in_text = static_cast<std::size_t>(line.data() - translated_.text.data()) + m.column - 1;
      return true;
    });
    if (!in_text) return std::nullopt;
    const auto& kept = translated_.kept;
    const auto part = std::prev(std::upper_bound(
        kept.begin(), kept.end(), *in_text, [](std::size_t t, const kept_part& k) { return t < k.in_text; }));
    return std::min(part->begin + (*in_text - part->in_text), part->end);
  }

  /// A line of the source, or of another file.
  std::optional<std::string> line_of(std::string_view file, std::size_t number) const {
    std::optional<std::string> found;
    const auto look = [&](std::string_view text, std::string_view name) {
      for_lines(text, name, [&](std::string_view line, const line_marker& at) {
        if (at.line == number && at.file == file) found = line;
        return found.has_value();
      });
    };
    look(source_, name_);
    if (!found) {
      if (const auto text = impl::contents(std::string(file))) look(*text, file);
    }
    return found;
  }

  /// The column in the source's own line, from 0, of what is at an offset of the preprocessed text.
  std::optional<std::size_t> column_at(std::size_t offset, const message& m,
                                       std::string_view own_line) const {
    std::vector<token> on_line;
    for (const token& t : read_.tokens()) {
      if (t.line == m.line && *t.file == m.file) on_line.push_back(t);
    }
    const lexer own(own_line);
    const std::vector<token>& own_tokens = own.tokens();
    if (on_line.empty() || own_tokens.empty()) return std::nullopt;
    const auto after =
        std::find_if(on_line.begin(), on_line.end(), [&](const token& t) { return t.begin > offset; });
    const auto index = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - on_line.begin() - 1, 0));
    const token& t = on_line[index];
    const auto alignment = aligned(on_line, own_tokens);
    if (!alignment) return std::nullopt;
    const auto& same = *alignment;
    if (same[index]) {
      const std::size_t inside = offset > t.begin ? std::min(offset - t.begin, t.text.size()) : 0;
      return own_tokens[*same[index]].begin + inside;
    }
    // Of a macro's text, which the source has nowhere: the macro's name is the last that is left over before
    // it.
    std::vector<bool> is_left(own_tokens.size(), true);
    std::size_t next = 0;
    for (std::size_t i = 0; i < same.size(); ++i) {
      if (!same[i]) continue;
      is_left[*same[i]] = false;
      if (i < index) next = *same[i] + 1;
    }
    for (std::size_t i = next; i-- > 0;) {
      if (is_left[i] && own_tokens[i].kind == token_kind::identifier) return own_tokens[i].begin;
    }
    return own_tokens[std::min(next, own_tokens.size() - 1)].begin;
  }

  const translation& translated_;
  std::string_view source_, name_;
  lexer read_;
};

}  // namespace

std::string with_columns_of_source(std::string_view messages, std::string_view preprocessed,
                                   const translation& translated, std::string_view source,
                                   std::string_view name) {
  const columns_of_source own(preprocessed, translated, source, name);
  std::string result;
  while (!messages.empty()) result += own(next_line(messages)) + "\n";
  return result;
}

std::optional<mended_text> as_nvcc_takes_it(std::string_view messages, const std::string& text) {
  std::set<std::tuple<std::string_view, std::size_t, std::size_t>> lacks_typename;
  mended_text result;
  bool has_others = false;
  while (!messages.empty()) {
    const auto m = message_in(next_line(messages));
    if (!m || !(m->what.starts_with(": error: ") || m->what.starts_with(": fatal error: "))) continue;
    if (m->what.starts_with(": error: need 'typename' before ")) {
      lacks_typename.emplace(m->file, m->line, m->column);
    } else if (m->what.find("may not have default arguments") != std::string_view::npos) {
      result.is_permissive = true;
    } else {
      has_others = true;
    }
  }
  // Other errors may follow from the names that were taken for values.
  if (lacks_typename.empty() && (has_others || !result.is_permissive)) return std::nullopt;
  std::set<std::size_t> offsets;
  for_lines(text, "", [&](std::string_view line, const line_marker& at) {
    for (auto lack = lacks_typename.lower_bound({at.file, at.line, 0});
         lack != lacks_typename.end() && std::get<0>(*lack) == at.file && std::get<1>(*lack) == at.line;
         ++lack) {
      const std::size_t column = std::get<2>(*lack);
      if (column <= line.size())
        offsets.insert(static_cast<std::size_t>(line.data() - text.data()) + column - 1);
    }
    return false;
  });
  std::size_t from = 0;
  for (const std::size_t offset : offsets) {
    result.text += text.substr(from, offset - from) + "typename ";
    from = offset;
  }
  result.text += text.substr(from);
  return result;
}

}  // namespace heddle::cuda_on_cpu
