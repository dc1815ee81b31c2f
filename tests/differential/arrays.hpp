#pragma once

#include "choices.hpp"
#include <heddle/any_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

/// What cases are made of: types, shapes, elements, and arrays between red zones.
namespace heddle::tests::differential {

inline constexpr dtype every_dtype[] = {dtype::int32,     dtype::boolean, dtype::int8,    dtype::int16,
                                        dtype::int64,     dtype::uint8,   dtype::uint16,  dtype::uint32,
                                        dtype::uint64,    dtype::float32, dtype::float64, dtype::complex64,
                                        dtype::complex128};
inline constexpr runtime_op every_monoid[] = {
    runtime_op::plus,        runtime_op::multiplies, runtime_op::minimum,     runtime_op::maximum,
    runtime_op::logical_and, runtime_op::logical_or, runtime_op::logical_xor, runtime_op::bit_and,
    runtime_op::bit_or,      runtime_op::bit_xor};

inline dtype draw_dtype(choices& from, bool ordered = false) {
  const dtype type = every_dtype[from.between(0, std::size(every_dtype) - (ordered ? 3 : 1))];
  from.note(name(type));
  return type;
}
/// An operator that is defined on the type.
inline runtime_op draw_op(choices& from, dtype type) {
  std::vector<runtime_op> defined;
  for (const runtime_op op : every_monoid) {
    if (is_defined(op, type)) defined.push_back(op);
  }
  const runtime_op op = from.of(defined);
  from.note(name(op));
  return op;
}

inline target draw_target(choices& from, const limits& most) {
  std::vector<const char*> all{"serial", "parallel:2", "parallel:3", "parallel:8"};
  if (most.has_gpu) all.insert(all.end(), 3, "gpu:0");
  const char* const text = from.of(all);
  from.note(text);
  return target::parse(text);
}

/// A number of elements of `bytes` bytes each: few, at the edge of a threshold, or any.
inline std::size_t draw_length(choices& from, std::size_t most, std::size_t bytes = 1) {
  return from.pick(0, most, [&](auto& random) -> std::uint64_t {
    const auto upto = [&](std::uint64_t n) { return random() % (n + 1); };
    switch (upto(3)) {
      case 0:
        return std::min<std::uint64_t>(upto(40), most);
      case 1: {
        constexpr auto edges =
            std::bit_cast<std::array<std::size_t, sizeof(impl::thresholds) / sizeof(std::size_t)>>(
                impl::threshold);
        std::uint64_t edge = edges[upto(edges.size() - 1)] / (upto(1) == 0 ? bytes : 1) * (1 + upto(2));
        edge += upto(2);
        return std::min<std::uint64_t>(edge == 0 ? 0 : edge - 1, most);
      }
      default:
        return std::min<std::uint64_t>(
            static_cast<std::uint64_t>(std::exp2(std::log2(static_cast<double>(most) + 1) *
                                                 std::uniform_real_distribution<double>(0, 1)(random))),
            most);
    }
  });
}

/// A shape of `fewest` to 5 axes, of which one may be long.
inline shape draw_shape(choices& from, const limits& most, std::size_t fewest_axes = 0,
                        std::size_t bytes = 1) {
  const std::size_t axes = from.between(fewest_axes, 5), longest = axes == 0 ? 0 : from.between(0, axes - 1);
  std::vector<std::size_t> lengths(axes, 1);
  std::size_t left = most.elements;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (axis == longest) continue;
    lengths[axis] = draw_length(from, std::min<std::size_t>(axes == 2 ? left : 70, left), bytes);
    if (lengths[axis] > 1) left /= lengths[axis];
  }
  if (axes > 0) lengths[longest] = draw_length(from, left, bytes);
  const shape drawn{std::span<const std::size_t>(lengths)};
  from.note(drawn.text());
  return drawn;
}

/// How elements are chosen.
enum class content {
  exact,    ///< small integers, whose sums are exact in every type
  any_bits  ///< all values of integers; real numbers with infinities, NaN and zeros of both signs
};

inline std::uint64_t hashed(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T>
T element(content of, runtime_op op, std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) {
    return bits % 2 != 0;
  } else if constexpr (is_complex<T>) {
    using part = typename T::value_type;
    if (op == runtime_op::multiplies) {
      const T units[] = {T(1), T(-1), T(0, 1), T(0, -1)};
      return units[bits % 4];
    }
    return T(element<part>(content::exact, op, bits), element<part>(content::exact, op, bits >> 32));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (op == runtime_op::multiplies) return bits % 2 == 0 ? T(1) : T(-1);
    const T small = static_cast<T>(static_cast<int>(bits % 7) - 3);
    if (of == content::exact) return small == 0 ? T(0) : small;
    using limit = std::numeric_limits<T>;
    const T special[] = {limit::quiet_NaN(), limit::infinity(),   -limit::infinity(), T(0), -T(0),
                         limit::max(),       limit::denorm_min(), limit::lowest()};
    return bits >> 32 & 1 ? special[bits >> 33 & 7] : small * T(1.37);
  } else {
    if (of == content::any_bits && (bits >> 60) != 0) return static_cast<T>(bits);
    return static_cast<T>(bits % 7);
  }
}

/// An array of its own memory, between red zones or at the end of its block, which AddressSanitizer guards.
class guarded {
 public:
  guarded(choices& from, dtype type, shape lengths, const target& where)
      : type_(type), shape_(std::move(lengths)), where_(where) {
    const std::size_t size = size_of(type), bytes = shape_.elements() * size;
    before_ = zone + from.between(0, 9) * size;
    after_ = from.one_in(2) ? 0 : zone;
    if (before_ > zone) from.note(fmt::format("+{}", (before_ - zone) / size));
    block_ = memory(before_ + bytes + after_, where);
    std::vector<std::byte> filled(before_ + bytes + after_, pattern);
    copy(block_.data(), where, filled.data(), target(), filled.size());
  }

  any_view view() { return {static_cast<std::byte*>(block_.data()) + before_, type_, shape_, where_}; }
  any_const_view view() const {
    return {static_cast<const std::byte*>(block_.data()) + before_, type_, shape_, where_};
  }
  template <class T>
  array_view<T> as() {
    return view().as<T>();
  }
  std::size_t size() const { return shape_.elements(); }
  const shape& lengths() const { return shape_; }

  void copy_elements(void* to) const { copy(to, target(), view().data(), where_, size() * size_of(type_)); }
  template <class T>
  void set(const T* values) {
    copy(view().data(), where_, values, target(), size() * sizeof(T));
  }

  /// Throws where the bytes around the elements have changed.
  void check_zones(const char* what) const {
    const std::size_t bytes = size() * size_of(type_);
    std::vector<std::byte> all(before_ + bytes + after_);
    copy(all.data(), target(), block_.data(), where_, all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == before_) i += bytes;
      if (i >= all.size()) break;
      if (all[i] == pattern) continue;
      const auto at = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(before_);
      throw std::runtime_error(fmt::format("byte {} of {} ({} bytes) was written", at, what, bytes));
    }
  }

 private:
  static constexpr std::size_t zone = 256;
  static constexpr std::byte pattern{0xa5};

  dtype type_;
  shape shape_;
  target where_;
  memory block_;
  std::size_t before_, after_;
};

/// bool as a byte, as std::vector<bool> has no elements.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// An input: its elements, which a call must not change.
template <class T>
class input {
 public:
  input(choices& from, shape lengths, const target& where, content of, runtime_op op = runtime_op::plus)
      : array_(from, dtype_of<T>, std::move(lengths), where), values_(array_.size()) {
    const std::uint64_t seed = from.between(0, 1000);
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = element<T>(of, op, hashed(seed, i));
    array_.set(values_.data());
  }
  /// Of elements that are given.
  input(choices& from, shape lengths, const target& where, std::vector<stored<T>> values)
      : array_(from, dtype_of<T>, std::move(lengths), where), values_(std::move(values)) {
    array_.set(values_.data());
  }

  any_const_view view() const { return array_.view(); }
  array_view<const T> typed() const { return array_.view().template as<T>(); }
  any_view writable() { return array_.view(); }
  T operator[](std::size_t i) const { return static_cast<T>(values_[i]); }
  std::size_t size() const { return values_.size(); }
  const shape& lengths() const { return array_.lengths(); }
  const std::vector<stored<T>>& values() const { return values_; }

  /// Throws where an element or a byte beside them has changed.
  void check_unchanged() const {
    array_.check_zones("the input");
    std::vector<stored<T>> now(values_.size());
    array_.copy_elements(now.data());
    if (!values_.empty() && std::memcmp(now.data(), values_.data(), values_.size() * sizeof(T)) != 0)
      throw std::runtime_error("an input has changed");
  }

 private:
  guarded array_;
  std::vector<stored<T>> values_;
};

/// Whether two numbers are the same value: NaN is NaN.
template <class T>
bool same_value(const T& a, const T& b) {
  if constexpr (is_complex<T>) {
    return same_value(a.real(), b.real()) && same_value(a.imag(), b.imag());
  } else {
    return a == b || (a != a && b != b);
  }
}

template <class T>
std::string shown(const T& x) {
  if constexpr (is_complex<T>) {
    return fmt::format("{}{:+}i", x.real(), x.imag());
  } else {
    return fmt::format("{}", x);
  }
}

/// Throws unless the values are the same.
template <class T>
void check_values(const char* what, const std::vector<T>& have,
                  const std::vector<std::type_identity_t<T>>& want) {
  if (have.size() != want.size())
    throw std::runtime_error(fmt::format("{}: {} elements instead of {}", what, have.size(), want.size()));
  for (std::size_t i = 0; i < have.size(); ++i) {
    if (same_value(have[i], want[i])) continue;
    throw std::runtime_error(fmt::format("{}: element {} of {} is {} instead of {}", what, i, have.size(),
                                         shown(have[i]), shown(want[i])));
  }
}
/// Throws unless the bits are the same.
template <class T>
void check_bits(const char* what, const std::vector<T>& have,
                const std::vector<std::type_identity_t<T>>& want) {
  check_values(what, have, want);
  if (!have.empty() && std::memcmp(have.data(), want.data(), have.size() * sizeof(T)) != 0)
    throw std::runtime_error(fmt::format("{}: the values are the same, and their bits differ", what));
}

/// Throws unless on_one_core(target) has the same bits.
template <class T, class F>
void check_same_bits(const target& where, const std::vector<T>& have, const F& on_one_core) {
  if (where == target::serial()) return;
  check_bits("beside one core", have, on_one_core(target::serial()));
}
/// The elements of an array on the CPU.
template <class T>
std::vector<stored<T>> elements_of(const any_const_view& x) {
  std::vector<stored<T>> all(x.size());
  if (x.dtype() != dtype_of<T>)
    throw std::runtime_error(
        fmt::format("the result is of {} instead of {}", name(x.dtype()), name(dtype_of<T>)));
  copy(all.data(), target(), x.data(), x.where(), x.bytes());
  return all;
}
template <class T>
std::vector<T> elements_of(const array<T>& x) {
  std::vector<T> all(x.size());
  copy(all.data(), target(), x.data(), x.where(), x.size() * sizeof(T));
  return all;
}

/// op(a, b): integers modulo 2^bits, real numbers in their own arithmetic.
template <class T>
T combined(runtime_op op, T a, T b) {
  constexpr bool is_bool = std::is_same_v<T, bool>;
  if constexpr (is_complex<T>) {
    return op == runtime_op::plus
               ? a + b
               : T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    switch (op) {
      case runtime_op::plus:
        if constexpr (std::is_floating_point_v<T>) return a + b;
        if constexpr (is_bool) return a || b;
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      case runtime_op::multiplies:
        if constexpr (std::is_floating_point_v<T>) return a * b;
        if constexpr (is_bool) return a && b;
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      case runtime_op::minimum:
        return a != a ? a : b != b ? b : std::min(a, b);
      case runtime_op::maximum:
        return a != a ? a : b != b ? b : std::max(a, b);
      case runtime_op::logical_and:
        return T(a != T(0) && b != T(0));
      case runtime_op::logical_or:
        return T(a != T(0) || b != T(0));
      case runtime_op::logical_xor:
        return T((a != T(0)) != (b != T(0)));
      default:
        break;
    }
    if constexpr (std::is_integral_v<T>) {
      if (op == runtime_op::bit_and) return static_cast<T>(a & b);
      if (op == runtime_op::bit_or) return static_cast<T>(a | b);
      if (op == runtime_op::bit_xor) return static_cast<T>(a ^ b);
    }
    throw std::logic_error("an operator that is not defined on the type");
  }
}

/// The first operand of a reduction: logical operators see whether it is 0.
template <class T>
T lifted(runtime_op op, T a) {
  const bool is_logical =
      op == runtime_op::logical_and || op == runtime_op::logical_or || op == runtime_op::logical_xor;
  return is_logical ? T(a != T(0)) : a;
}

}  // namespace heddle::tests::differential
