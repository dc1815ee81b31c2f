#include <heddle/io/atomic_file.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/operators.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {
namespace {

// Text from a file, made fit for one line of an error message.
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

std::string array_text(const shape& lengths, dtype type) {
  return fmt::format("shape {}, {}", excerpt(lengths.text()), name(type));
}

// ------------------------------------------------------------------------------------------------ the header

constexpr std::string_view magic = "\x93NUMPY";
constexpr bool little_endian = std::endian::native == std::endian::little;

struct npy_header {
  dtype type = dtype::boolean;
  bool byte_swapped = false;
  bool fortran_order = false;
  shape lengths;
  std::size_t data_offset = 0;
};

/// Reads the header, a Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class header_parser {
 public:
  header_parser(const std::string& path, std::string_view file) : path_(path), text_(file) {}

  npy_header parse() {
    npy_header header;
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
        shape_at_ = at_;
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

  /// Where the shape is in the file.
  std::size_t shape_at() const { return shape_at_; }

  [[noreturn]] void fail(std::size_t byte, const std::string& what) const {
    detail::fail(fmt::format("{}: byte {}: {}", path_, byte, what));
  }

 private:
  // The magic string, the version and the header's length. Cuts text_ at the header's end and returns its
  // beginning.
  std::size_t parse_preamble() {
    if (text_.empty()) fail(0, "the file is empty");
    const std::size_t known = std::min(text_.size(), magic.size());
    if (text_.substr(0, known) != magic.substr(0, known)) {
      fail(0, text_.starts_with("PK\x03\x04")
                  ? "this is a zip file, as .npz files are: unzip it, and name a .npy file in it"
                  : "this is no .npy file (one begins with \\x93NUMPY)");
    }
    if (text_.size() < magic.size() + 2)
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

  void parse_descr(npy_header& header) {
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

  // What NumPy calls the types that are not supported.
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

// ------------------------------------------------------------------------------------------------ the bytes

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() { ::close(number_); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_system(const std::string& path, const char* action) {
  detail::fail(fmt::format("{}: cannot {}: {}", path, action, std::generic_category().message(errno)));
}

// ------------------------------------------------------------------------------------------------ conversion

/// A bool in a file is a byte that may have any value.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// x without its fraction, or the nearest number that I holds; NaN gives 0. Selections only, so that it
/// vectorises.
template <class I, class F>
I saturated(F x) {
  constexpr F lowest = static_cast<F>(std::numeric_limits<I>::min());
  constexpr F beyond = static_cast<F>(std::numeric_limits<I>::max() / 2 + 1) * 2;
  F inside = x > lowest ? x : lowest;
  inside = inside < beyond ? inside : F(0);
  I result = static_cast<I>(inside);
  result = x >= beyond ? std::numeric_limits<I>::max() : result;
  return x == x ? result : I(0);
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (detail::is_complex<From> && detail::is_complex<To>) {
    using part = typename To::value_type;
    return To(static_cast<part>(x.real()), static_cast<part>(x.imag()));
  } else if constexpr (detail::is_complex<From>) {
    return converted<To>(x.real());
  } else if constexpr (detail::is_complex<To>) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return saturated<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void convert(const void* from, void* to, std::size_t count) {
  if constexpr (std::is_same_v<From, To> && !std::is_same_v<From, bool>) {
    std::memcpy(to, from, count * sizeof(To));
  } else {
    const auto* in = static_cast<const stored<From>*>(from);
    auto* out = static_cast<To*>(to);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<From, bool>) {
        out[i] = converted<To>(in[i] != 0);
      } else {
        out[i] = converted<To>(in[i]);
      }
    }
  }
}

using converter = void (*)(const void* from, void* to, std::size_t count);

converter converter_between(dtype from, dtype to) {
  return with_type(from, [to]<class From>(From) {
    return with_type(to, []<class To>(To) -> converter { return convert<From, To>; });
  });
}

template <class U>
void swap_bytes(unsigned char* data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    U value;
    std::memcpy(&value, data + i * sizeof(U), sizeof(U));
    if constexpr (sizeof(U) == 2) {
      value = __builtin_bswap16(value);
    } else if constexpr (sizeof(U) == 4) {
      value = __builtin_bswap32(value);
    } else {
      value = __builtin_bswap64(value);
    }
    std::memcpy(data + i * sizeof(U), &value, sizeof(U));
  }
}

/// Turns the byte order of elements round; of complex elements, of each part.
void swap_bytes(unsigned char* data, std::size_t count, dtype type) {
  const std::size_t parts = type >= dtype::complex64 ? 2 : 1;
  switch (size_of(type) / parts) {
    case 2:
      return swap_bytes<std::uint16_t>(data, count * parts);
    case 4:
      return swap_bytes<std::uint32_t>(data, count * parts);
    case 8:
      return swap_bytes<std::uint64_t>(data, count * parts);
    default:
      return;
  }
}

std::size_t alignment_of(dtype type) {
  return with_type(type, []<class T>(T) { return alignof(T); });
}

bool is_aligned(const void* data, dtype type) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment_of(type) == 0;
}

/// Elements pass through a buffer of this many, which the first-level cache holds, when they cannot be
/// converted from where they are.
constexpr std::size_t staged_elements = 2048;

/// How elements of the file become elements of the caller.
struct conversion {
  dtype from;
  bool byte_swapped;
  converter convert;
  std::size_t from_bytes, to_bytes;
  unsigned char* out;

  /// Elements that are aligned and may be changed become elements first … of the output.
  void deliver(unsigned char* elements, std::size_t first, std::size_t count) const {
    if (byte_swapped) swap_bytes(elements, count, from);
    convert(elements, out + first * to_bytes, count);
  }
};

// ------------------------------------------------------------------------------------------------ Fortran
// order

/// 64-bit sizes leave room for 63 axes longer than 1.
constexpr std::size_t most_axes = 64;
using indices = std::array<std::size_t, most_axes>;

/// Reads an array in Fortran order out in C order. Either the reads or the writes of a plain loop would touch
/// a cache line for each element, so the array is halved along its longest axis until a piece fits the cache,
/// and each piece is transposed there.
///
/// E is an unsigned integer, or a pair of them, as wide as an element.
template <class E>
class fortran_reader {
 public:
  fortran_reader(const shape& lengths, const void* data, const conversion& to)
      : data_(static_cast<const unsigned char*>(data)), to_(to) {
    for (const std::size_t length : lengths) {
      if (length != 1) extent_[axes_++] = length;
    }
    std::size_t stride = 1;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      file_stride_[axis] = stride;
      stride *= extent_[axis];
    }
    stride = 1;
    for (std::size_t axis = axes_; axis-- > 0;) {
      c_stride_[axis] = stride;
      stride *= extent_[axis];
    }
  }

  /// Elements first … last−1 of C order.
  void read(std::size_t first, std::size_t last) {
    first_ = first;
    read(0, first, last, 0, 0);
  }

 private:
  // Elements first … last−1 of the sub-array of axes `axis` and on that begins at `file` in the file and at
  // `c` in C order: the rest of a first entry, whole entries, and the beginning of a last one.
  void read(std::size_t axis, std::size_t first, std::size_t last, std::size_t file, std::size_t c) {
    const std::size_t entry = c_stride_[axis];
    std::size_t i = first / entry;
    if (first % entry != 0) {
      const std::size_t end = std::min(last - i * entry, entry);
      read(axis + 1, first % entry, end, file + i * file_stride_[axis], c + i * entry);
      ++i;
    }
    const std::size_t whole_end = last / entry;
    if (i < whole_end) {
      indices box;
      box.fill(1);
      box[axis] = whole_end - i;
      for (std::size_t inner = axis + 1; inner < axes_; ++inner) box[inner] = extent_[inner];
      split(box, file + i * file_stride_[axis], c + i * entry);
    }
    if (i <= whole_end && last % entry != 0) {
      read(axis + 1, 0, last % entry, file + whole_end * file_stride_[axis], c + whole_end * entry);
    }
  }

  void split(indices box, std::size_t file, std::size_t c) {
    const auto longest = std::max_element(box.begin(), box.begin() + axes_) - box.begin();
    std::size_t elements = 1;
    for (std::size_t axis = 0; axis < axes_; ++axis) elements *= box[axis];
    if (elements <= staged_elements) return transpose(box, file, c);
    const std::size_t half = box[longest] / 2;
    const std::size_t rest = box[longest] - half;
    box[longest] = half;
    split(box, file, c);
    box[longest] = rest;
    split(box, file + half * file_stride_[longest], c + half * c_stride_[longest]);
  }

  void transpose(const indices& box, std::size_t file, std::size_t c) {
    indices stage_stride;
    std::size_t elements = 1;
    for (std::size_t axis = axes_; axis-- > 0;) {
      stage_stride[axis] = elements;
      elements *= box[axis];
    }

    // In, along the file's contiguous axis.
    indices at{};
    for (std::size_t stage = 0;;) {
      for (std::size_t i = 0; i < box[0]; ++i) {
        std::memcpy(stage_ + (stage + i * stage_stride[0]) * sizeof(E), data_ + (file + i) * sizeof(E),
                    sizeof(E));
      }
      std::size_t axis = 1;
      for (; axis < axes_; ++axis) {
        file += file_stride_[axis];
        stage += stage_stride[axis];
        if (++at[axis] < box[axis]) break;
        file -= file_stride_[axis] * box[axis];
        stage -= stage_stride[axis] * box[axis];
        at[axis] = 0;
      }
      if (axis == axes_) break;
    }

    // Out, in runs that are contiguous in C order: the last axes that the piece spans whole, and one more.
    std::size_t outer = axes_ - 1;
    while (outer > 0 && box[outer] == extent_[outer]) --outer;
    const std::size_t run = stage_stride[outer] * box[outer];
    at = {};
    for (std::size_t stage = 0; stage < elements; stage += run) {
      to_.deliver(stage_ + stage * sizeof(E), c - first_, run);
      for (std::size_t axis = outer; axis-- > 0;) {
        c += c_stride_[axis];
        if (++at[axis] < box[axis]) break;
        c -= c_stride_[axis] * box[axis];
        at[axis] = 0;
      }
    }
  }

  const unsigned char* data_;
  const conversion& to_;
  std::size_t axes_ = 0;
  std::size_t first_ = 0;
  indices extent_{}, file_stride_{}, c_stride_{};
  alignas(16) unsigned char stage_[staged_elements * sizeof(E)];
};

template <class E>
void read_fortran(const npy_file& file, std::size_t first, std::size_t count, const conversion& to) {
  fortran_reader<E>(file.shape(), file.data(), to).read(first, first + count);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ npy_file

void npy_file::unmap::operator()(const unsigned char* begin) const noexcept {
  ::munmap(const_cast<unsigned char*>(begin), bytes);
}

npy_file::npy_file(std::string path) : path_(std::move(path)) {
  const descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (file < 0) fail_system(path_, "open");
  if (::fstat(file, &status) != 0) fail_system(path_, "read");
  std::size_t bytes = 0;
  if (S_ISREG(status.st_mode)) {
    bytes = static_cast<std::size_t>(status.st_size);
    if (bytes > 0) {
      void* begin = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
      if (begin == MAP_FAILED) fail_system(path_, "map");
      file_ = {static_cast<const unsigned char*>(begin), unmap{bytes}};
    }
  } else {
    // A mapping that grows as the bytes come, so that it is freed as the mapping of a file is.
    for (std::size_t room = std::size_t{1} << 20;; room *= 2) {
      const unsigned char* old = file_.get();
      void* begin = old == nullptr
                        ? ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                        : ::mremap(const_cast<unsigned char*>(old), room / 2, room, MREMAP_MAYMOVE);
      if (begin == MAP_FAILED) fail_system(path_, "read");
      file_.release();
      file_ = {static_cast<const unsigned char*>(begin), unmap{room}};
      ssize_t moved = 1;
      while (bytes < room && moved != 0) {
        moved = ::read(file, static_cast<unsigned char*>(begin) + bytes, room - bytes);
        if (moved < 0 && errno != EINTR) fail_system(path_, "read");
        if (moved > 0) bytes += static_cast<std::size_t>(moved);
      }
      const std::string_view beginning(static_cast<const char*>(begin), std::min(bytes, magic.size()));
      if (moved == 0 || beginning != magic.substr(0, beginning.size())) break;
    }
  }

  header_parser parser(path_, {reinterpret_cast<const char*>(file_.get()), bytes});
  npy_header header = parser.parse();
  data_offset_ = header.data_offset;
  dtype_ = header.type;
  shape_ = std::move(header.lengths);
  fortran_order_ = header.fortran_order;
  byte_swapped_ = header.byte_swapped;

  const std::string what = array_text(shape_, dtype_);
  std::size_t data_bytes = 0;
  bool too_large = false;
  size_ = std::find(shape_.begin(), shape_.end(), std::size_t{0}) == shape_.end() ? 1 : 0;
  for (const std::size_t length : shape_) {
    if (size_ > 0) too_large |= __builtin_mul_overflow(size_, length, &size_);
  }
  if (too_large || __builtin_mul_overflow(size_, size_of(dtype_), &data_bytes)) {
    parser.fail(parser.shape_at(), fmt::format("the size of the array ({}) does not fit 64 bits", what));
  }
  const std::size_t present = bytes - data_offset_;
  if (present < data_bytes) {
    parser.fail(data_offset_, fmt::format("the data ends after {} of {} bytes ({}): the file is truncated",
                                          present, data_bytes, what));
  }
  const std::string_view after(reinterpret_cast<const char*>(file_.get()) + data_offset_ + data_bytes,
                               present - data_bytes);
  if (!after.empty() && !after.starts_with(magic)) {
    parser.fail(
        data_offset_ + data_bytes,
        fmt::format("{} the {} of the array ({}): the header does not describe the data",
                    after.size() == 1 ? "1 byte follows" : fmt::format("{} bytes follow", after.size()),
                    data_bytes, what));
  }

  const auto long_axes =
      std::count_if(shape_.begin(), shape_.end(), [](std::size_t length) { return length != 1; });
  c_contiguous_ = !fortran_order_ || long_axes <= 1 || size_ == 0;
  // Only advice: a kernel that refuses it reads all the same.
  if (c_contiguous_)
    ::madvise(const_cast<unsigned char*>(file_.get()), file_.get_deleter().bytes, MADV_SEQUENTIAL);
}

bool npy_file::is_native() const noexcept {
  return dtype_ != heddle::dtype::boolean && c_contiguous_ && !byte_swapped_ && is_aligned(data(), dtype_);
}

void npy_file::read(std::size_t first, std::size_t count, heddle::dtype as, void* out) const {
  if (first > size_ || count > size_ - first) {
    detail::fail(fmt::format("{}: cannot read {} elements from element {} on: there are {}", path_, count,
                             first, size_));
  }
  if (count == 0) return;
  const conversion to{dtype_,          byte_swapped_, converter_between(dtype_, as),
                      size_of(dtype_), size_of(as),   static_cast<unsigned char*>(out)};
  if (!c_contiguous_) {
    switch (to.from_bytes) {
      case 1:
        return read_fortran<std::uint8_t>(*this, first, count, to);
      case 2:
        return read_fortran<std::uint16_t>(*this, first, count, to);
      case 4:
        return read_fortran<std::uint32_t>(*this, first, count, to);
      case 8:
        return read_fortran<std::uint64_t>(*this, first, count, to);
      default:
        return read_fortran<std::array<std::uint64_t, 2>>(*this, first, count, to);
    }
  }
  const auto* from = static_cast<const unsigned char*>(data()) + first * to.from_bytes;
  if (!byte_swapped_ && is_aligned(from, dtype_)) return to.convert(from, out, count);
  alignas(16) unsigned char stage[staged_elements * sizeof(std::complex<double>)];
  for (std::size_t done = 0; done < count; done += staged_elements) {
    const std::size_t now = std::min(count - done, staged_elements);
    std::memcpy(stage, from + done * to.from_bytes, now * to.from_bytes);
    to.deliver(stage, done, now);
  }
}

// ------------------------------------------------------------------------------------------------ writing

void detail::fail_npy_type(const npy_file& file, dtype wanted) {
  fail(fmt::format("{}: holds {}, not {} (npy_file(path).read_as<T>() converts)", file.path(),
                   name(file.dtype()), name(wanted)));
}

std::string detail::npy_header(dtype type, const shape& lengths) {
  // The code of NumPy: the kind of type and its bytes.
  const char kind = type == dtype::boolean   ? 'b'
                    : type <= dtype::int64   ? 'i'
                    : type <= dtype::uint64  ? 'u'
                    : type <= dtype::float64 ? 'f'
                                             : 'c';
  const char order = size_of(type) == 1 ? '|' : little_endian ? '<' : '>';
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
  std::string begin(magic);
  begin += static_cast<char>(length_bytes == 2 ? 1 : 2);
  begin += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) begin += static_cast<char>(header.size() >> (8 * i));
  return begin + header;
}

void detail::write_npy(const std::string& path, dtype type, const shape& lengths, const void* data) {
  const std::string header = npy_header(type, lengths);
  atomic_file file(path);
  file.require_room(static_cast<double>(header.size() + lengths.elements() * size_of(type)));
  file.write(header.data(), header.size());
  file.write(data, lengths.elements() * size_of(type));
  file.commit();
}

}  // namespace heddle
