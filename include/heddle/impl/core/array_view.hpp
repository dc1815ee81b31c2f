#pragma once

#include <heddle/array_like.hpp>
#include <heddle/impl/core/conversion.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace heddle {

template <element T>
class array;
template <class T>
class array_view;

}  // namespace heddle

namespace heddle::impl {

[[noreturn]] void fail_not_on_cpu(const char* what, const target& where);
[[noreturn]] void fail_index(const char* what, std::size_t index, std::size_t size);
[[noreturn]] void fail_range(const char* what, std::size_t first, std::size_t last);
[[noreturn]] void fail_axes(const char* what, std::size_t wanted, const shape& have);
[[noreturn]] void fail_sizes(const char* what, std::size_t a, std::size_t b);

/// How many elements are between two iterators; throws where the last comes before the first.
std::size_t distance(const char* what, std::ptrdiff_t between);

template <class T>
T read_element(const T* at, const target& where) {
  alignas(T) std::array<std::byte, sizeof(T)> bytes;
  copy(&bytes, target(), at, where, sizeof(T));
  return std::bit_cast<T>(bytes);
}

template <class X>
inline constexpr bool is_array_or_view = false;
template <class T>
inline constexpr bool is_array_or_view<array<T>> = true;
template <class T>
inline constexpr bool is_array_or_view<array_view<T>> = true;

/// The base of element_reference. A number is read when the reference is used; an element of a class type
/// when it is made, so that its members can be read too.
template <class T>
class element_reader {
 public:
  element_reader(T* at, const target& where) : heddle_at_(at), heddle_where_(where) {}
  operator T() const { return read_element(heddle_at_, heddle_where_); }

 protected:
  T* heddle_at_;  // so named that members of a user's type are not hidden
  target heddle_where_;
};
template <class T>
  requires(std::is_class_v<T> && !std::is_final_v<T>)
class element_reader<T> : public T {
 public:
  element_reader(T* at, const target& where)
      : T(read_element(at, where)), heddle_at_(at), heddle_where_(where) {}

 protected:
  T* heddle_at_;
  target heddle_where_;
};

/// The right operand of a compound assignment: a number is converted to T with checks; for a class, whatever
/// its operator takes.
template <class T, class V>
using right_operand = std::conditional_t<std::is_arithmetic_v<T>, given<T>, const V&>;
template <class T, class V>
using converted_operand = std::conditional_t<std::is_arithmetic_v<T>, T, V>;

}  // namespace heddle::impl
