#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/conversion.hpp>

#include <string>

#include <fmt/core.h>

namespace heddle {

const char* name(dtype type) noexcept {
  return with_type(type, []<class T>(T) { return impl::type_name<T>(); });
}

std::size_t size_of(dtype type) noexcept {
  return with_type(type, []<class T>(T) {
    static_assert(sizeof(T) <= largest_element_bytes && largest_element_bytes % alignof(T) == 0);
    return sizeof(T);
  });
}

dtype parse_dtype(std::string_view text) {
  std::string names;
  for (int i = 0; i <= static_cast<int>(dtype::complex128); ++i) {
    const auto type = static_cast<dtype>(i);
    if (text == name(type)) return type;
    if (!names.empty()) names += ", ";
    names += name(type);
  }
  fail(fmt::format("there is no element type '{}' (the types are {})", text, names));
}

namespace {

template <class V>
[[noreturn]] void refuse(V value, dtype type) {
  fail(fmt::format("{} is no {}: give a value that the elements can hold", value, name(type)));
}

}  // namespace

void impl::fail_value(std::int64_t value, dtype type) {
  refuse(value, type);
}
void impl::fail_value(std::uint64_t value, dtype type) {
  refuse(value, type);
}
void impl::fail_value(double value, dtype type) {
  refuse(value, type);
}

}  // namespace heddle
