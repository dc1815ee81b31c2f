#pragma once

#include <heddle/dtype.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// The bytes of .npy files, put together without the library.
namespace heddle::tests {

/// A bool. std::vector<bool> has no elements to point to.
struct flag {
  bool value;
};

template <class T>
using element_type = std::conditional_t<std::is_same_v<T, flag>, bool, T>;

inline std::string with_header(int major, const std::string& header, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

inline std::string shape_text(const std::vector<std::size_t>& lengths) {
  std::string text = "(";
  for (const std::size_t length : lengths) text += std::to_string(length) + ", ";
  return text + ")";
}

inline std::string padded(std::string header, std::size_t before) {
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  return header + '\n';
}

template <class T>
std::string code() {
  if (std::is_same_v<T, flag>) return "b1";
  const char kind = !std::numeric_limits<T>::is_specialized ? 'c'
                    : !std::is_integral_v<T>                ? 'f'
                    : std::is_signed_v<T>                   ? 'i'
                                                            : 'u';
  return kind + std::to_string(sizeof(T));
}

template <class T>
constexpr std::size_t part_bytes = dtype_of<element_type<T>> >= dtype::complex64 ? sizeof(T) / 2 : sizeof(T);

/// The bytes of `x` in the other order, each part of a complex number by itself.
template <class T>
std::string turned(const T& x) {
  std::string bytes(reinterpret_cast<const char*>(&x), sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); i += part_bytes<T>) {
    std::reverse(bytes.begin() + i, bytes.begin() + i + part_bytes<T>);
  }
  return bytes;
}

/// A file that holds `values`, which are given in C order.
template <class T>
std::string npy(const std::vector<T>& values, const std::vector<std::size_t>& lengths, char order,
                bool fortran, int version) {
  const char native = std::endian::native == std::endian::little ? '<' : '>';
  std::string data(values.size() * sizeof(T), '\0');
  std::vector<std::size_t> at(lengths.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t place = i;
    if (fortran) {
      place = 0;
      for (std::size_t axis = lengths.size(); axis-- > 0;) place = place * lengths[axis] + at[axis];
    }
    const std::string bytes = order == native || order == '|'
                                  ? std::string(reinterpret_cast<const char*>(&values[i]), sizeof(T))
                                  : turned(values[i]);
    std::memcpy(&data[place * sizeof(T)], bytes.data(), sizeof(T));
    for (std::size_t axis = lengths.size(); axis-- > 0;) {
      if (++at[axis] < lengths[axis]) break;
      at[axis] = 0;
    }
  }
  const std::string header = std::string("{'descr': '") + order + code<T>() +
                             "', 'fortran_order': " + (fortran ? "True" : "False") +
                             ", 'shape': " + shape_text(lengths) + ", }";
  return with_header(version, padded(header, version == 1 ? 10 : 12), data);
}

}  // namespace heddle::tests
