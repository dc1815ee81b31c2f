#include "array/converter.hpp"
#include <heddle/any_array.hpp>
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/core.h>

namespace heddle {

void impl::fail_dtype(dtype have, dtype wanted) {
  fail(fmt::format("the elements are {}, not {}", name(have), name(wanted)));
}

// ------------------------------------------------------------------------------------------------ one
// element

namespace {

template <class T>
std::string text_of(T x) {
  if constexpr (is_complex<T>) {
    return fmt::format("{}{:+}i", x.real(), x.imag());
  } else {
    return fmt::format("{}", x);
  }
}

/// Whether a real number of type To is x but for rounding.
template <class To, class From>
bool holds_real(From x) {
  constexpr auto most = static_cast<double>(std::numeric_limits<To>::max());
  const auto wide = static_cast<double>(x);
  return !std::isfinite(wide) || std::abs(wide) <= most;
}

/// Whether x, an integer or a real number without a fraction, is an integer of type To.
template <class To, class From>
bool holds_integer(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x == From(0) || x == From(1);
  } else if constexpr (std::is_integral_v<From>) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an integer of 8 bits, not a character
    const To to = static_cast<To>(x);
    return static_cast<From>(to) == x && impl::is_negative(to) == impl::is_negative(x);
  } else {
    // Both bounds are powers of two, or 0, which a real number holds.
    const auto lowest = static_cast<double>(std::numeric_limits<To>::min());
    // NOLINTNEXTLINE(bugprone-integer-division): a power of two, of which nothing is lost
    const double beyond = (static_cast<double>(std::numeric_limits<To>::max() / 2) + 1) * 2;
    const auto wide = static_cast<double>(x);
    return wide >= lowest && wide < beyond && std::trunc(wide) == wide;
  }
}

/// Whether x is a number of type To, but for the rounding of real numbers.
template <class To, class From>
bool holds(From x) {
  if constexpr (is_complex<From> && is_complex<To>) {
    using part = typename To::value_type;
    return holds_real<part>(x.real()) && holds_real<part>(x.imag());
  } else if constexpr (is_complex<From>) {
    return x.imag() == 0 && holds<To>(x.real());
  } else if constexpr (is_complex<To>) {
    return holds_real<typename To::value_type>(x);
  } else if constexpr (std::is_floating_point_v<To>) {
    return holds_real<To>(x);
  } else {
    return holds_integer<To>(x);
  }
}

}  // namespace

any_value any_value::converted(heddle::dtype type) const {
  if (type == dtype_) return *this;
  with_type(dtype_, [&]<class From>(From) {
    const From x = as<From>();
    const bool fits = with_type(type, [&]<class To>(To) { return holds<To>(x); });
    if (!fits) {
      fail(fmt::format("{} is no {}: give a value that the elements can hold", text_of(x), name(type)));
    }
  });
  alignas(largest_element_bytes) std::byte result[largest_element_bytes];
  impl::converter_between(dtype_, type)(data(), result, 1);
  return {type, result};
}

// ------------------------------------------------------------------------------------------------ views

template <class Void>
static Void* advanced(Void* data, std::size_t bytes) {
  using byte = std::conditional_t<std::is_const_v<Void>, const std::byte, std::byte>;
  return data == nullptr ? nullptr : static_cast<byte*>(data) + bytes;
}

template <class Void>
basic_any_view<Void>::basic_any_view(Void* data, heddle::dtype type, heddle::shape lengths,
                                     const target& where)
    : data_(data), size_(lengths.elements()), shape_(std::move(lengths)), where_(where), dtype_(type) {}

template <class Void>
basic_any_view<Void> basic_any_view<Void>::slice(std::size_t first, std::size_t last) const {
  if (shape_.axes() == 0) impl::fail_axes("slice", 1, shape_);
  if (last > shape_[0]) impl::fail_index("slice", last, shape_[0]);
  if (first > last) impl::fail_range("slice", first, last);
  const std::size_t entry = shape_[0] == 0 ? 0 : bytes() / shape_[0];
  return {advanced(data_, first * entry), dtype_, shape_.with_length(0, last - first), where_};
}

template <class Void>
basic_any_view<Void> basic_any_view<Void>::row(std::size_t index) const {
  if (shape_.axes() == 0) impl::fail_axes("row", 1, shape_);
  if (index >= shape_[0]) impl::fail_index("row", index, shape_[0]);
  return {advanced(data_, index * (bytes() / shape_[0])), dtype_, shape_.without_axis(0), where_};
}

template <class Void>
basic_any_view<Void> basic_any_view<Void>::reshaped(heddle::shape lengths) const {
  if (lengths.elements() != size_) impl::fail_sizes("reshaped", lengths.elements(), size_);
  return {data_, dtype_, std::move(lengths), where_};
}

template <class Void>
any_value basic_any_view<Void>::operator[](std::size_t index) const {
  if (index >= size_) impl::fail_index("element", index, size_);
  alignas(largest_element_bytes) std::byte element[largest_element_bytes];
  heddle::copy(element, target(), advanced(data_, index * size_of(dtype_)), where_, size_of(dtype_));
  return {dtype_, element};
}

void impl::set_element(const any_view& x, const any_value& value, std::size_t index) {
  if (index >= x.size()) fail_index("element", index, x.size());
  const any_value element = value.converted(x.dtype());
  const std::size_t bytes = size_of(x.dtype());
  copy(advanced(x.data(), index * bytes), x.where(), element.data(), target(), bytes);
}

void impl::fill_elements(const any_view& x, const any_value& value) {
  const any_value element = value.converted(x.dtype());
  fill(x.data(), x.where(), x.size(), element.data(), size_of(x.dtype()));
}

void impl::copy_elements(const any_view& x, const any_const_view& values) {
  if (values.dtype() != x.dtype()) fail_dtype(values.dtype(), x.dtype());
  if (values.size() != x.size()) fail_sizes("copy_from", values.size(), x.size());
  copy(x.data(), x.where(), values.data(), values.where(), x.bytes());
}

template <class Void>
any_array basic_any_view<Void>::on(const target& where) const {
  any_array copy(dtype_, shape_, where);
  heddle::copy(copy.data(), copy.where(), data_, where_, bytes());
  return copy;
}

template <class Void>
any_array basic_any_view<Void>::converted(heddle::dtype type) const {
  if (type == dtype_) return on(where_);
  if (where_.is_gpu()) return on(target()).converted(type).on(where_);
  any_array result(type, shape_, where_);
  impl::converter_between(dtype_, type)(data_, result.data(), size_);
  return result;
}

template class basic_any_view<void>;
template class basic_any_view<const void>;

// ------------------------------------------------------------------------------------------------ arrays

any_array::any_array(heddle::dtype type, heddle::shape lengths, const target& where)
    : shape_(std::move(lengths)), size_(shape_.elements()), dtype_(type) {
  operation running("any_array", size_, name(type));
  running.runs_on(where);
  std::size_t bytes;
  if (__builtin_mul_overflow(size_, size_of(type), &bytes)) fail("more bytes than 64 bits can count");
  memory_ = memory(bytes, where);
}

any_array::any_array(const any_const_view& x) : any_array(x.on(x.where())) {}

any_array any_array::reshaped(heddle::shape lengths) && {
  if (lengths.elements() != size_) impl::fail_sizes("reshaped", lengths.elements(), size_);
  shape_ = std::move(lengths);
  return std::move(*this);
}

// ------------------------------------------------------------------------------------------------ .npy files

any_array npy_file::read_as(heddle::dtype as, const target& where) const {
  const operation naming("read_npy", size_, name(as));
  any_array result(as, shape_, where.is_gpu() ? target() : where);
  read(0, size_, as, result.data());
  return where.is_gpu() ? result.on(where) : std::move(result);
}

any_array read_npy(const std::string& path, const target& where) {
  const npy_file file(path);
  return file.read_as(file.dtype(), where);
}

void write_npy(const std::string& path, const any_const_view& x) {
  const any_array copy = x.where().is_gpu() ? x.on(target()) : any_array();
  impl::write_npy(path, x.dtype(), x.shape(), x.where().is_gpu() ? copy.data() : x.data());
}

}  // namespace heddle
