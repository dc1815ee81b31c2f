#include "checker/build/arguments.hpp"

#include "array/counted.hpp"
#include "cuda_on_cpu/device/heddle_device/half_bits.hpp"
#include "kernels/module_state.hpp"
#include "target/process_limits.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/philox.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include <fmt/format.h>

namespace heddle::checker {

using heddle_device::scalar;

namespace {

struct type_name {
  const char* text;
  scalar type;
  std::size_t bytes;
};
constexpr type_name types[] = {
    {"bool", scalar::boolean, 1}, {"i8", scalar::i8, 1},   {"i16", scalar::i16, 2}, {"i32", scalar::i32, 4},
    {"i64", scalar::i64, 8},      {"u8", scalar::u8, 1},   {"u16", scalar::u16, 2}, {"u32", scalar::u32, 4},
    {"u64", scalar::u64, 8},      {"f16", scalar::f16, 2}, {"f32", scalar::f32, 4}, {"f64", scalar::f64, 8},
};

const type_name& find_type(std::string_view text, const std::string& whole) {
  for (const type_name& t : types) {
    if (text == t.text) return t;
  }
  throw argument_error(fmt::format(
      "argument '{}': '{}' is no type (bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32 and f64 are)",
      whole, text));
}

/// Bits of a binary16 number.
struct half_number {
  std::uint16_t bits;
};

/// Calls f with a value of the C++ type.
template <class F>
void with_scalar(scalar type, F&& f) {
  switch (type) {
    case scalar::boolean:
      return f(bool{});
    case scalar::i8:
      return f(std::int8_t{});
    case scalar::i16:
      return f(std::int16_t{});
    case scalar::i32:
      return f(std::int32_t{});
    case scalar::i64:
      return f(std::int64_t{});
    case scalar::u8:
      return f(std::uint8_t{});
    case scalar::u16:
      return f(std::uint16_t{});
    case scalar::u32:
      return f(std::uint32_t{});
    case scalar::u64:
      return f(std::uint64_t{});
    case scalar::f16:
      return f(half_number{});
    case scalar::f32:
      return f(float{});
    case scalar::f64:
      return f(double{});
    case scalar::other:
      break;
  }
}

template <class T>
T from_double(double d) {
  if constexpr (std::is_same_v<T, half_number>) {
    return half_number{heddle_device::float_to_half(heddle_device::float_to_odd(d))};
  } else {
    return static_cast<T>(d);
  }
}

template <class T>
T parse_number(std::string_view text, const std::string& whole) {
  const auto check = [&](std::from_chars_result r) {
    if (r.ec == std::errc::result_out_of_range)
      throw argument_error(fmt::format("argument '{}': {} is beyond its type", whole, text));
    if (r.ec != std::errc() || r.ptr != text.data() + text.size())
      throw argument_error(fmt::format("argument '{}': '{}' is no number of its type", whole, text));
  };
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    throw argument_error(
        fmt::format("argument '{}': '{}' is no truth value (true and false are)", whole, text));
  } else if constexpr (std::is_integral_v<T>) {
    T value{};
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    check(std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10));
    return value;
  } else {
    double value{};
    check(std::from_chars(text.data(), text.data() + text.size(), value));
    return from_double<T>(value);
  }
}

/// Philox of the element's number: the same values wherever they are made.
template <class T>
void fill_randomly(T* out, std::size_t count, std::uint64_t seed) {
  for (std::size_t i = 0; i < count; ++i) {
    const philox_block bits =
        philox4x32({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 0, 0}},
                   static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    const std::uint64_t word = (std::uint64_t{bits.word[1]} << 32) | bits.word[0];
    if constexpr (std::is_same_v<T, bool>) {
      out[i] = (word & 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      out[i] = static_cast<T>(word);
    } else if constexpr (std::is_same_v<T, float>) {
      out[i] = static_cast<float>(bits.word[0] >> 8) * 0x1p-24f;
    } else if constexpr (std::is_same_v<T, half_number>) {
      out[i] = half_number{heddle_device::float_to_half(static_cast<float>(bits.word[0] >> 21) * 0x1p-11f)};
    } else {
      out[i] = static_cast<double>(word >> 11) * 0x1p-53;
    }
  }
}

/// What files hold the elements as: half, which no .npy file has here, as float.
dtype dtype_of_scalar(scalar type) {
  switch (type) {
    case scalar::boolean:
      return dtype::boolean;
    case scalar::i8:
      return dtype::int8;
    case scalar::i16:
      return dtype::int16;
    case scalar::i32:
      return dtype::int32;
    case scalar::i64:
      return dtype::int64;
    case scalar::u8:
      return dtype::uint8;
    case scalar::u16:
      return dtype::uint16;
    case scalar::u32:
      return dtype::uint32;
    case scalar::u64:
      return dtype::uint64;
    case scalar::f32:
      return dtype::float32;
    case scalar::f64:
      return dtype::float64;
    case scalar::f16:
    case scalar::other:
      break;
  }
  return dtype::float32;
}

/// Room for all elements, zero.
void allocate(argument& a, std::size_t element_bytes, const std::string& whole) {
  const std::size_t bytes = a.elements * element_bytes;
  const std::string what = fmt::format("argument '{}': ", whole);
  require_memory(bytes, what);
  try {
    a.bytes.resize(bytes);
  } catch (const std::bad_alloc&) {
    throw error(what + out_of_memory_text(bytes));
  }
}

/// The elements of a file, converted; as many as the argument says, when it says so.
void read_file(argument& a, const std::string& path, bool has_count, const std::string& whole) {
  const npy_file file(path);
  if (has_count && file.size() != a.elements)
    throw argument_error(fmt::format("argument '{}': {} has {} elements", whole, file.path(), file.size()));
  a.elements = file.size();
  allocate(a, bytes_of(a.type), whole);
  if (a.type != scalar::f16) {
    file.read(0, a.elements, dtype_of_scalar(a.type), a.bytes.data());
    return;
  }
  std::vector<double> values(a.elements);
  file.read(0, a.elements, dtype::float64, values.data());
  std::transform(values.begin(), values.end(), reinterpret_cast<half_number*>(a.bytes.data()),
                 from_double<half_number>);
}

/// TYPE:VALUE, or several with commas between them, where the type before stands for one that is left out.
/// Each lies at the next multiple of its size, and all of them have a multiple of the largest.
void read_members(argument& a, std::string_view text, const std::string& whole) {
  a.elements = 0;
  std::size_t largest = 1;
  const type_name* type = nullptr;
  const auto align = [&](std::size_t bytes) { a.bytes.resize((a.bytes.size() + bytes - 1) / bytes * bytes); };
  for (bool is_last = false; !is_last; ++a.elements) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view member = text.substr(0, end);
    is_last = end == text.size();
    text.remove_prefix(is_last ? end : end + 1);
    if (const std::size_t colon = member.find(':'); colon != std::string_view::npos) {
      type = &find_type(member.substr(0, colon), whole);
      member.remove_prefix(colon + 1);
    }
    if (a.elements > 0 && type->type != a.type) a.type = scalar::other;
    align(type->bytes);
    largest = std::max(largest, type->bytes);
    with_scalar(type->type, [&](auto zero) {
      const auto value = parse_number<decltype(zero)>(member, whole);
      const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
      a.bytes.insert(a.bytes.end(), bytes, bytes + sizeof value);
    });
  }
  align(largest);
}

}  // namespace

std::size_t bytes_of(scalar type) noexcept {
  for (const type_name& t : types) {
    if (t.type == type) return t.bytes;
  }
  return 0;
}

const char* short_name(scalar type) noexcept {
  for (const type_name& t : types) {
    if (t.type == type) return t.text;
  }
  return "a structure";
}

argument parse_argument(const std::string& whole) {
  std::string_view text = whole;
  const std::size_t type_end = text.find_first_of(":[=");
  argument a;
  const type_name& type = find_type(text.substr(0, type_end), whole);
  a.type = type.type;
  if (type_end == std::string_view::npos)
    throw argument_error(fmt::format("argument '{}': a number is '{}:VALUE', an array '{}[COUNT]=zeros'",
                                     whole, type.text, type.text));
  if (text[type_end] == ':') {
    read_members(a, text, whole);
    return a;
  }

  a.is_array = true;
  text.remove_prefix(type_end);
  bool has_count = false;
  if (text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos)
      throw argument_error(fmt::format("argument '{}': the count's ']' is missing", whole));
    const std::string_view count = text.substr(1, close - 1);
    has_count = !count.empty();
    if (has_count) {
      a.elements = parse_number<std::uint64_t>(count, whole);
      if (a.elements > std::numeric_limits<std::size_t>::max() / 16)
        throw argument_error(fmt::format("argument '{}': {} elements are too many", whole, count));
    }
    text.remove_prefix(close + 1);
  }
  if (const std::size_t out = text.rfind(":out="); out != std::string_view::npos) {
    a.output = text.substr(out + 5);
    text = text.substr(0, out);
    if (a.output.empty()) throw argument_error(fmt::format("argument '{}': ':out=' names no file", whole));
  }
  if (!text.empty() && text.front() != '=')
    throw argument_error(
        fmt::format("argument '{}': '{}' is not understood (=zeros, =arange, =random:SEED, =FILE.npy and "
                    ":out=FILE.npy are)",
                    whole, text));
  const std::string values(text.empty() ? text : text.substr(1));
  const bool named = values == "zeros" || values == "arange" || values.starts_with("random:");
  if (!text.empty() && !named) {
    if (!values.ends_with(".npy") && !descriptor_in(values))
      throw argument_error(fmt::format(
          "argument '{}': '{}' is neither zeros, arange, random:SEED nor a FILE.npy", whole, values));
    read_file(a, values, has_count, whole);
    return a;
  }
  if (!has_count)
    throw argument_error(
        fmt::format("argument '{}': the number of elements is missing: {}[COUNT]", whole, type.text));
  a.is_written = named;
  allocate(a, type.bytes, whole);
  with_scalar(a.type, [&](auto zero) {
    using T = decltype(zero);
    auto* const out = reinterpret_cast<T*>(a.bytes.data());
    if (values == "arange") {
      for (std::size_t i = 0; i < a.elements; ++i) out[i] = from_double<T>(static_cast<double>(i));
    } else if (values.starts_with("random:")) {
      fill_randomly(out, a.elements, parse_number<std::uint64_t>(std::string_view(values).substr(7), whole));
    }
  });
  return a;
}

void check_arguments(const kernel_function& kernel, const std::vector<argument>& arguments) {
  const impl::function_state& known = impl::state_of(kernel);
  if (known.has_parameters) check_arguments(known.name, known.parameters, arguments);
}

void write_outputs(const std::vector<argument>& arguments) {
  for (const argument& a : arguments) {
    if (!a.is_array || a.output.empty()) continue;
    const shape elements{a.bytes.size() / bytes_of(a.type)};
    if (a.type != scalar::f16) {
      impl::write_npy(a.output, dtype_of_scalar(a.type), elements, a.bytes.data());
      continue;
    }
    const auto* const halves = reinterpret_cast<const half_number*>(a.bytes.data());
    std::vector<float> values(elements[0]);
    std::transform(halves, halves + values.size(), values.begin(),
                   [](half_number h) { return heddle_device::half_to_float(h.bits); });
    impl::write_npy(a.output, dtype::float32, elements, values.data());
  }
}

}  // namespace heddle::checker
