#include "io/npy_header.hpp"

#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

constexpr bool little_endian = std::endian::native == std::endian::little;

/// Reads the header, a Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class header_parser {
 public:
  header_parser(const std::string& path, std::string_view file) : path_(path), text_(file) {}

  npy_layout parse() {
    npy_layout header;
    const std::size_t begin = parse_preamble();
    header.data_offset = text_.size();
    at_ = begin;
    skip_space();
    expect('{', "the header is not a dictionary");
    bool has_descr = false, has_order = false, has_shape = false;
    for (skip_space(); !accept('}'); skip_space()) {
      const std::size_t key_at = at_;
      const std::string_view key = parse_string("a key");
      skip_space();
      expect(':', "no ':' after the key");
      skip_space();
      if (key == "descr") {
        once(has_descr, key_at, key);
        parse_descr(header);
      } else if (key == "fortran_order") {
        once(has_order, key_at, key);
        header.fortran_order = parse_bool();
      } else if (key == "shape") {
        once(has_shape, key_at, key);
        header.shape_at = shape_at_ = at_;
        header.lengths = parse_shape();
      } else {
        fail(key_at, fmt::format("the key '{}' is unknown (a header has descr, fortran_order and shape)",
                                 excerpt(key)));
      }
      skip_space();
      if (accept(',')) continue;
      if (peek() != '}') fail(at_, fmt::format("{} where ',' or '}}' should be", found()));
    }
    const std::size_t end = at_ - 1;
    if (!has_descr) fail(end, "the header has no 'descr'");
    if (!has_order) fail(end, "the header has no 'fortran_order'");
    if (!has_shape) fail(end, "the header has no 'shape'");
    skip_space();
    if (at_ != text_.size()) fail(at_, fmt::format("{} after the header's dictionary", found()));
    return header;
  }

 private:
  [[noreturn]] void fail(std::size_t byte, const std::string& what) const { fail_at_byte(path_, byte, what); }

  // The magic string, the version and the header's length. Cuts text_ at the header's end and returns its
  // beginning.
  std::size_t parse_preamble() {
    if (text_.empty()) fail(0, "the file is empty");
    const std::size_t known = std::min(text_.size(), npy_magic.size());
    if (text_.substr(0, known) != npy_magic.substr(0, known)) {
      fail(0, text_.starts_with("PK\x03\x04")
                  ? "this is a zip file, as .npz files are: unzip it, and name a .npy file in it"
                  : "this is no .npy file (one begins with \\x93NUMPY)");
    }
    if (text_.size() < npy_magic.size() + 2)
      fail(text_.size(), "the file ends within the magic string and version");
    const int major = byte(6), minor = byte(7);
    if (major < 1 || major > 3 || minor != 0) {
      fail(6, fmt::format("format version {}.{} is unknown (1.0, 2.0 and 3.0 are known)", major, minor));
    }
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t begin = 8 + length_bytes;
    if (text_.size() < begin) fail(text_.size(), "the file ends within the header's length");
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length |= static_cast<std::size_t>(byte(8 + i)) << (8 * i);
    if (length > text_.size() - begin) {
      fail(8, fmt::format("the header's length is {} bytes and the file has {} more: the file is truncated",
                          length, text_.size() - begin));
    }
    text_ = text_.substr(0, begin + length);
    return begin;
  }

  int byte(std::size_t i) const { return static_cast<unsigned char>(text_[i]); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* otherwise) {
    if (!accept(c)) fail(at_, fmt::format("{} ({})", otherwise, found()));
  }
  std::string found() const {
    return at_ < text_.size() ? fmt::format("found '{}'", excerpt(text_.substr(at_, 1))) : "the header ends";
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  void once(bool& seen, std::size_t key_at, std::string_view key) const {
    if (std::exchange(seen, true)) fail(key_at, fmt::format("the key '{}' comes twice", key));
  }

  std::string_view parse_string(const char* what) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(at_, fmt::format("{} should be a string ({})", what, found()));
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find_first_of(quote == '"' ? "\"\n" : "'\n", begin);
    if (end == std::string_view::npos || text_[end] != quote) fail(at_, "the string has no end");
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  bool parse_bool() {
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail(at_, fmt::format("fortran_order should be True or False ({})", found()));
  }

  std::size_t parse_length() {
    const std::size_t begin = at_;
    if (peek() == '-') fail(at_, "a length of the shape is negative");
    std::size_t length = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      if (__builtin_mul_overflow(length, std::size_t{10}, &length) ||
          __builtin_add_overflow(length, static_cast<std::size_t>(peek() - '0'), &length)) {
        fail(begin, "a length of the shape does not fit 64 bits");
      }
    }
    if (at_ == begin) fail(at_, fmt::format("a length of the shape should be an integer ({})", found()));
    accept('L');  // long integers, as NumPy wrote them under Python 2
    return length;
  }

  shape parse_shape() {
    expect('(', "the shape should be a tuple");
    std::vector<std::size_t> lengths;
    bool comma = false;
    for (skip_space(); !accept(')'); skip_space()) {
      if (!lengths.empty() && !comma)
        fail(at_, fmt::format("{} where ',' or ')' should be in the shape", found()));
      lengths.push_back(parse_length());
      skip_space();
      comma = accept(',');
    }
    // In Python (3) is an integer and (3,) is a tuple.
    if (lengths.size() == 1 && !comma)
      fail(shape_at_, "the shape should be a tuple (found an integer in parentheses)");
    return shape(std::move(lengths));
  }

  void parse_descr(npy_layout& header) {
    const std::size_t at = at_;
    if (peek() == '[') fail_type(at, "a structured type");
    if (peek() == '(') fail_type(at, "a type with sub-arrays");
    const std::string_view descr = parse_string("descr");
    const bool has_order =
        !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
    const char order = has_order ? descr[0] : '=';
    const std::string_view code = descr.substr(has_order ? 1 : 0);
    const std::optional<dtype> type = type_of_code(code);
    if (!type) fail_type(at, fmt::format("'{}'{}", excerpt(descr), kind_of_code(code)));
    header.type = *type;
    header.byte_swapped = size_of(*type) > 1 && order == (little_endian ? '>' : '<');
  }

  [[noreturn]] void fail_type(std::size_t byte, const std::string& what) const {
    fail(byte, fmt::format(
                   "the element type is {}, which is not supported (bool, integers of 8 to 64 bits, float32, "
                   "float64, complex64 and complex128 are)",
                   what));
  }

  static std::optional<dtype> type_of_code(std::string_view code) {
    constexpr std::pair<std::string_view, dtype> codes[] = {
        {"?", dtype::boolean},    {"b1", dtype::boolean},    {"i1", dtype::int8},    {"i2", dtype::int16},
        {"i4", dtype::int32},     {"i8", dtype::int64},      {"u1", dtype::uint8},   {"u2", dtype::uint16},
        {"u4", dtype::uint32},    {"u8", dtype::uint64},     {"f4", dtype::float32}, {"f8", dtype::float64},
        {"c8", dtype::complex64}, {"c16", dtype::complex128}};
    for (const auto& [text, type] : codes) {
      if (code == text) return type;
    }
    return std::nullopt;
  }

  // NumPy's names of the types that are not supported.
  static const char* kind_of_code(std::string_view code) {
    switch (code.empty() ? '\0' : code[0]) {
      case 'O':
        return " (Python objects)";
      case 'S':
      case 'a':
        return " (byte strings)";
      case 'U':
        return " (strings)";
      case 'V':
        return " (raw bytes)";
      case 'M':
        return " (dates)";
      case 'm':
        return " (time differences)";
      case 'f':
        return code == "f2" ? " (float16)" : code == "f16" || code == "f12" ? " (long double)" : "";
      case 'c':
        return code == "c32" || code == "c24" ? " (complex long double)" : "";
      default:
        return "";
    }
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t shape_at_ = 0;
};

}  // namespace

std::string excerpt(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 60)) {
    if (c >= ' ' && c <= '~') {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > 60) result += "...";
  return result;
}

void fail_at_byte(const std::string& path, std::size_t byte, const std::string& what) {
  fail(fmt::format("{}: byte {}: {}", path, byte, what));
}

npy_layout read_npy_header(const std::string& path, std::string_view file) {
  return header_parser(path, file).parse();
}

}  // namespace heddle::impl

namespace heddle {

std::string npy_header(dtype type, const shape& lengths) {
  // The code of NumPy: the kind of type and its bytes.
  const char kind = type == dtype::boolean   ? 'b'
                    : type <= dtype::int64   ? 'i'
                    : type <= dtype::uint64  ? 'u'
                    : type <= dtype::float64 ? 'f'
                                             : 'c';
  const char order = size_of(type) == 1 ? '|' : impl::little_endian ? '<' : '>';
  std::string header = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': {}, }}", order,
                                   kind, size_of(type), lengths.text());
  // NumPy leaves room for the first length to grow to 21 digits in place.
  if (lengths.axes() > 0) header.append(21 - std::to_string(lengths[0]).size(), ' ');

  // The header ends in a newline, and the data begins at a multiple of 64 bytes.
  const auto padding = [&](std::size_t before) { return 64 - (before + header.size() + 1) % 64; };
  std::size_t length_bytes = 2;
  if (header.size() + padding(10) + 1 > 0xffff) length_bytes = 4;
  header.append(padding(8 + length_bytes), ' ');
  header += '\n';
  std::string begin(impl::npy_magic);
  begin += static_cast<char>(length_bytes == 2 ? 1 : 2);
  begin += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) begin += static_cast<char>(header.size() >> (8 * i));
  return begin + header;
}

}  // namespace heddle
