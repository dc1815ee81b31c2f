#include "value_text.hpp"

#include <heddle/error.hpp>
#include <heddle/operators.hpp>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>

#include <fmt/core.h>

namespace heddle::cli {
namespace {

template <class T>
std::string text_of(T x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "True" : "False";
  } else if constexpr (heddle::is_complex<T>) {
    // The imaginary part needs a sign, and a NaN has none to show.
    const std::string imaginary = text_of(x.imag());
    return text_of(x.real()) + (imaginary[0] == '-' ? "" : "+") + imaginary + "j";
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return "nan";
    }
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
  }
}

/// Reads a number as std::from_chars does, with an optional + before it and nothing after it.
template <class T>
std::errc read_real(std::string_view text, T& x) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (end != text.data() + text.size()) return std::errc::invalid_argument;
  if constexpr (std::is_floating_point_v<T>) {
    // A number that is nearer to 0 than any number of the type is 0, or the least number.
    if (status == std::errc::result_out_of_range) {
      const long double wide = std::strtold(std::string(text).c_str(), nullptr);
      if (std::abs(wide) < 1) {
        x = static_cast<T>(wide);
        return std::errc();
      }
    }
  }
  return status;
}

/// "1+2j", "2j", "1", and as NumPy prints it "(1+2j)".
template <class P>
std::errc read_complex(std::string_view text, std::complex<P>& z) {
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  P re = 0, im = 0;
  if (!text.ends_with('j')) {
    const std::errc status = read_real(text, re);
    z = re;
    return status;
  }
  text.remove_suffix(1);
  std::size_t sign = text.size();
  while (sign > 0) {
    --sign;
    const bool in_exponent = sign > 0 && (text[sign - 1] == 'e' || text[sign - 1] == 'E');
    if ((text[sign] == '+' || text[sign] == '-') && !in_exponent) break;
  }
  std::errc status = read_real(text.substr(sign), im);
  if (status == std::errc() && sign > 0) status = read_real(text.substr(0, sign), re);
  z = {re, im};
  return status;
}

template <class T>
std::errc read(std::string_view text, T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    x = text == "True" || text == "true" || text == "1";
    return x || text == "False" || text == "false" || text == "0" ? std::errc() : std::errc::invalid_argument;
  } else if constexpr (heddle::is_complex<T>) {
    return read_complex(text, x);
  } else if constexpr (std::is_unsigned_v<T>) {
    // from_chars takes no sign here; a negative integer is out of range rather than no integer.
    std::int64_t negative;
    if (!text.starts_with('-')) return read_real(text, x);
    const std::errc status = read_real(text, negative);
    x = 0;
    return status == std::errc() && negative < 0 ? std::errc::result_out_of_range : status;
  } else {
    return read_real(text, x);
  }
}

template <class T>
std::string kind_and_range() {
  if constexpr (std::is_same_v<T, bool>) {
    return "True or False";
  } else if constexpr (heddle::is_complex<T>) {
    return "a number such as 1.5-2j";
  } else if constexpr (std::is_floating_point_v<T>) {
    return fmt::format("a real number from {} to {}", text_of(std::numeric_limits<T>::lowest()),
                       text_of(std::numeric_limits<T>::max()));
  } else {
    return fmt::format("an integer from {} to {}", text_of(std::numeric_limits<T>::min()),
                       text_of(std::numeric_limits<T>::max()));
  }
}

}  // namespace

std::string value_text(dtype type, const void* value) {
  return with_type(type, [value]<class T>(T x) {
    std::memcpy(&x, value, sizeof x);
    return text_of(x);
  });
}

bool is_value_text(std::string_view text) {
  bool truth;
  std::complex<double> number;
  return read(text, truth) == std::errc() || read(text, number) != std::errc::invalid_argument;
}

void parse_value(std::string_view text, dtype type, void* value) {
  with_type(type, [&]<class T>(T x) {
    const std::errc status = read(text, x);
    if (status == std::errc::result_out_of_range) {
      fail(fmt::format("{} does not fit {} ({} does)", text, name(type), kind_and_range<T>()));
    }
    if (status != std::errc()) {
      fail(fmt::format("{} is no {} ({} is)", text, name(type), kind_and_range<T>()));
    }
    std::memcpy(value, &x, sizeof x);
  });
}

}  // namespace heddle::cli
