#include <heddle/any_array.hpp>
#include <heddle/impl/core/print.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

// The defaults of numpy.set_printoptions.
constexpr std::size_t threshold = 1000;
constexpr std::size_t edge_items = 3;
constexpr std::size_t line_width = 75;
constexpr int most_fraction_digits = 8;

// ---------------------------------------------------------------------------------------- elements shown

/// The indices along one axis that are written: all of them, or the first and the last three.
struct shown_indices {
  std::size_t length;
  bool is_cut;

  std::size_t count() const { return is_cut ? 2 * edge_items : length; }
  std::size_t operator[](std::size_t k) const {
    return is_cut && k >= edge_items ? length - 2 * edge_items + k : k;
  }
};

/// Copies the elements that are written to the CPU, in C order.
class shown_elements {
 public:
  shown_elements(const void* data, const shape& lengths, std::size_t bytes_of_element, const target& where)
      : data_(static_cast<const std::byte*>(data)), bytes_(bytes_of_element), where_(where) {
    const bool is_cut = lengths.elements() > threshold;
    std::size_t count = 1;
    for (const std::size_t length : lengths) {
      axes.push_back({length, is_cut && length > 2 * edge_items});
      count *= axes.back().count();
    }
    copied_.reserve(count * bytes_);
    if (count > 0) copy_axis(0, 0);
  }

  std::size_t size() const { return copied_.size() / bytes_; }
  const std::byte* operator[](std::size_t k) const { return copied_.data() + k * bytes_; }
  template <class T>
  std::vector<T> as() const {
    std::vector<T> values;
    for (std::size_t k = 0; k < size(); ++k) {
      T value;
      std::copy_n((*this)[k], sizeof(T), reinterpret_cast<std::byte*>(&value));
      values.push_back(value);
    }
    return values;
  }

  std::vector<shown_indices> axes;

 private:
  void copy_axis(std::size_t axis, std::size_t offset) {
    if (axis == axes.size()) return copy_run(offset, 1);
    const shown_indices indices = axes[axis];
    if (axis + 1 < axes.size()) {
      for (std::size_t k = 0; k < indices.count(); ++k)
        copy_axis(axis + 1, (offset + indices[k]) * axes[axis + 1].length);
    } else if (indices.is_cut) {
      copy_run(offset, edge_items);
      copy_run(offset + indices.length - edge_items, edge_items);
    } else {
      copy_run(offset, indices.length);
    }
  }
  void copy_run(std::size_t first, std::size_t count) {
    const std::size_t end = copied_.size();
    copied_.resize(end + count * bytes_);
    copy(copied_.data() + end, target(), data_ + first * bytes_, where_, count * bytes_);
  }

  const std::byte* data_;
  std::size_t bytes_;
  target where_;
  std::vector<std::byte> copied_;
};

// ------------------------------------------------------------------------------------- texts of elements

template <class T>
std::string digits_of(T x, std::chars_format format) {
  char text[400];
  return {text, std::to_chars(std::begin(text), std::end(text), x, format).ptr};
}
template <class T>
std::string digits_of(T x, std::chars_format format, int precision) {
  char text[400];
  return {text, std::to_chars(std::begin(text), std::end(text), x, format, precision).ptr};
}

void pad_left(std::string& text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
}

/// A number in parts: "-1" "25" "e+08".
struct number_parts {
  std::string integer, fraction, exponent;
};

number_parts split(const std::string& text) {
  const std::size_t e = std::min(text.find('e'), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  const std::size_t after_point = std::min(point + 1, e);
  return {text.substr(0, point), text.substr(after_point, e - after_point), text.substr(e)};
}

/// x rounded to `fraction_digits`. Without them the shortest text that reads back as x, or x rounded to 8
/// digits after the point where that is shorter.
template <std::floating_point T>
number_parts parts_of(T x, std::chars_format format, bool has_plus, int fraction_digits = -1) {
  number_parts parts =
      split(fraction_digits < 0 ? digits_of(x, format) : digits_of(x, format, fraction_digits));
  if (fraction_digits < 0 && parts.fraction.size() > most_fraction_digits) {
    parts = split(digits_of(x, format, most_fraction_digits));
    parts.fraction.erase(parts.fraction.find_last_not_of('0') + 1);
  }
  if (has_plus && !std::signbit(x)) parts.integer.insert(0, 1, '+');
  return parts;
}

/// Texts of one width, with the points below one another.
template <std::floating_point T>
std::vector<std::string> texts_of_real(const std::vector<T>& x, bool has_plus = false) {
  T largest = 0, smallest = std::numeric_limits<T>::infinity();
  for (const T value : x) {
    if (!std::isfinite(value) || value == 0) continue;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  const bool has_exponent = largest >= T(1e8) || smallest < T(0.0001) || largest / smallest > 1000;
  const auto format = has_exponent ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<number_parts> parts(x.size());
  std::size_t before = 0, after = 0, exponent = 0, unbounded = 0;
  bool is_any_finite = false;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(x[k])) {
      const bool has_sign = has_plus || (std::isinf(x[k]) && std::signbit(x[k]));
      unbounded = std::max<std::size_t>(unbounded, has_sign ? 4 : 3);
      continue;
    }
    is_any_finite = true;
    parts[k] = parts_of(x[k], format, has_plus);
    before = std::max(before, parts[k].integer.size());
    after = std::max(after, parts[k].fraction.size());
    exponent = std::max(exponent, parts[k].exponent.size());
  }
  const std::size_t width = std::max(is_any_finite ? before + 1 + after + exponent : 0, unbounded);
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::string text;
    if (std::isnan(x[k])) {
      text = has_plus ? "+nan" : "nan";
    } else if (std::isinf(x[k])) {
      text = std::signbit(x[k]) ? "-inf" : has_plus ? "+inf" : "inf";
    } else {
      // With an exponent all have the same number of digits, and zeros do not stand for digits that x has.
      if (has_exponent) parts[k] = parts_of(x[k], format, has_plus, static_cast<int>(after));
      std::string& of_exponent = parts[k].exponent;
      if (has_exponent) of_exponent.insert(2, exponent - of_exponent.size(), '0');
      text = parts[k].integer + '.' + parts[k].fraction;
      text.append(after - parts[k].fraction.size(), ' ');
      text += of_exponent;
    }
    pad_left(text, width);
    texts.push_back(text);
  }
  return texts;
}

template <class T>
std::vector<std::string> texts_of(const std::vector<T>& x) {
  std::vector<std::string> texts;
  if constexpr (std::is_same_v<T, bool>) {
    for (const bool value : x) texts.emplace_back(value ? " True" : "False");
  } else if constexpr (std::integral<T>) {
    std::size_t width = 0;
    for (const T value : x) {
      texts.push_back(fmt::format("{:d}", value));
      width = std::max(width, texts.back().size());
    }
    for (std::string& text : texts) pad_left(text, width);
  } else if constexpr (is_complex<T>) {
    std::vector<typename T::value_type> real, imaginary;
    for (const T& value : x) {
      real.push_back(value.real());
      imaginary.push_back(value.imag());
    }
    texts = texts_of_real(real);
    std::vector<std::string> second = texts_of_real(imaginary, true);
    for (std::size_t k = 0; k < x.size(); ++k)
      texts[k] += second[k].insert(second[k].find_last_not_of(' ') + 1, 1, 'j');
  } else {
    texts = texts_of_real(x);
  }
  return texts;
}

template <std::floating_point T>
std::string text_of_scalar(T x, bool has_point) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  const T size = std::abs(x);
  if (size != 0 && (size < T(1e-4) || size >= T(1e16))) return digits_of(x, std::chars_format::scientific);
  const std::string text = digits_of(x, std::chars_format::fixed);
  if (text.find('.') != text.npos) return text;
  // Zeros follow the shortest digits: 67108870 for the float 67108872.
  std::string digits = digits_of(x, std::chars_format::scientific);
  digits.resize(digits.find('e'));
  if (const std::size_t point = digits.find('.'); point != digits.npos) digits.erase(point, 1);
  digits.resize(text.size(), '0');
  return has_point ? digits + ".0" : digits;
}

/// One number by itself has no padding.
template <class T>
std::string text_of_scalar(const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "True" : "False";
  } else if constexpr (std::integral<T>) {
    return fmt::format("{:d}", x);
  } else if constexpr (is_complex<T>) {
    const std::string imaginary = text_of_scalar(x.imag(), false) + 'j';
    if (x.real() == 0 && !std::signbit(x.real())) return imaginary;
    const bool has_sign = imaginary.front() == '-';
    return '(' + text_of_scalar(x.real(), false) + (has_sign ? "" : "+") + imaginary + ')';
  } else {
    return text_of_scalar(x, true);
  }
}

// ------------------------------------------------------------------------------------------------- rows

/// Puts brackets around the rows, and breaks lines before column 75.
class bracketed {
 public:
  bracketed(const std::vector<shown_indices>& axes, const std::vector<std::string>& texts)
      : axes_(axes), texts_(texts) {}

  std::string text(std::size_t axis = 0) {
    const shown_indices indices = axes_[axis];
    const std::size_t axes_left = axes_.size() - axis;
    const std::string indent(axis + 1, ' ');
    std::string text, line = indent;
    auto append = [&](const std::string& word) {
      if (line.size() + word.size() > line_width - axis - 1 && line.size() > indent.size()) {
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line = indent;
      }
      line += word;
    };
    for (std::size_t k = 0; k < indices.count(); ++k) {
      const bool is_last = k + 1 == indices.count();
      if (axes_left > 1) {
        const std::string between(axes_left - 1, '\n');
        if (indices.is_cut && k == edge_items) text += indent + "..." + between;
        text += indent + this->text(axis + 1) + (is_last ? "" : between);
        continue;
      }
      if (indices.is_cut && k == edge_items) {
        append("...");
        line += ' ';
      }
      append(texts_[next_++]);
      if (!is_last) line += ' ';
    }
    if (axes_left == 1) text += line;
    return '[' + text.substr(indent.size()) + ']';
  }

 private:
  const std::vector<shown_indices>& axes_;
  const std::vector<std::string>& texts_;
  std::size_t next_ = 0;
};

std::string text_of_rows(const shown_elements& shown, const std::vector<std::string>& texts) {
  return texts.empty() ? "[]" : bracketed(shown.axes, texts).text();
}

}  // namespace

std::ostream& print(std::ostream& out, dtype type, const void* data, const shape& lengths,
                    const target& where) {
  const shown_elements shown(data, lengths, size_of(type), where);
  return out << with_type(type, [&]<class T>(T) {
           const std::vector<T> values = shown.as<T>();
           if (lengths.axes() == 0) return text_of_scalar(T(values[0]));
           return text_of_rows(shown, texts_of(values));
         });
}

std::ostream& print(std::ostream& out, element_writer write, std::size_t bytes_of_element, const void* data,
                    const shape& lengths, const target& where) {
  const shown_elements shown(data, lengths, bytes_of_element, where);
  std::vector<std::string> texts;
  std::size_t width = 0;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    std::ostringstream text;
    text.copyfmt(out);
    text.width(0);
    write(text, shown[k]);
    texts.push_back(text.str());
    width = std::max(width, texts.back().size());
  }
  if (lengths.axes() == 0) return out << texts[0];
  for (std::string& text : texts) pad_left(text, width);
  return out << text_of_rows(shown, texts);
}

}  // namespace heddle::impl

namespace heddle {

std::ostream& operator<<(std::ostream& out, const any_const_view& x) {
  return impl::print(out, x.dtype(), x.data(), x.shape(), x.where());
}

std::ostream& operator<<(std::ostream& out, const any_value& x) {
  return impl::print(out, x.dtype(), x.data(), shape{}, target());
}

}  // namespace heddle
