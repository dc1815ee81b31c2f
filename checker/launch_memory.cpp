#include "launch_memory.hpp"

#include "counted.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace heddle::checker {

using heddle_device::parameter_kind;
using heddle_device::scalar;

void launch_memory::check(const module& compiled, const std::vector<argument>& arguments) const {
  const auto parameters = compiled.parameters();
  if (parameters.size() != arguments.size()) {
    throw error(fmt::format("{} {}", compiled.declaration().name,
                            detail::wrong_number_of_arguments(parameters.size(), arguments.size())));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const heddle_device::parameter& p = parameters[i];
    const argument& a = arguments[i];
    const std::string named = fmt::format("argument {} ({})", i + 1, compiled.parameter_name(i));
    const std::string wanted = p.type == scalar::other
                                   ? (p.size == 0 ? "void" : fmt::format("a structure of {} bytes", p.size))
                               : p.components > 1 ? fmt::format("{} of {}", p.components, short_name(p.type))
                                                  : short_name(p.type);
    if (p.kind == parameter_kind::value) {
      if (a.is_array)
        throw error(fmt::format("{}: the kernel takes a number, {}, and an array was given", named, wanted));
      // A structure is known by its size, a vector by its components, too.
      const bool fits =
          p.type == scalar::other ? p.size == a.bytes.size() : p.type == a.type && p.components == a.elements;
      if (fits) continue;
      const std::string given = a.elements == 1
                                    ? fmt::format("{} was", short_name(a.type))
                                    : fmt::format("{} numbers of {} bytes were", a.elements, a.bytes.size());
      const bool is_one = p.type != scalar::other && p.components == 1;
      throw error(fmt::format("{}: the kernel takes {}, and {} given{}", named, wanted, given,
                              is_one ? "" : " (TYPE:VALUE,TYPE:VALUE,... gives its members)"));
    }
    if (!a.is_array)
      throw error(fmt::format("{}: the kernel takes a pointer to {}, and a number was given", named, wanted));
    // Bytes, structures and void may be made of anything.
    if (p.type != scalar::other && p.type != a.type) {
      throw error(fmt::format("{}: the kernel takes a pointer to {}, and an array of {} was given", named,
                              wanted, short_name(a.type)));
    }
    if (p.size != 0 && a.bytes.size() % p.size != 0) {
      throw error(fmt::format("{}: {} bytes are no whole number of elements of {} bytes", named,
                              a.bytes.size(), p.size));
    }
  }
}

launch_memory::launch_memory(const module& compiled, const std::vector<argument>& arguments) {
  check(compiled, arguments);
  const auto parameters = compiled.parameters();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const argument& a = arguments[i];
    if (!a.is_array) {
      values_.push_back(a.bytes);
      continue;
    }
    // What lies around an array is large enough for the usual mistakes to stay in it.
    const std::size_t around =
        std::clamp<std::size_t>(a.bytes.size(), std::size_t{1} << 20, std::size_t{1} << 28) / 4096 * 4096;
    mapping m(a.bytes.size() + 2 * around + 4096);
    const auto low = reinterpret_cast<std::uintptr_t>(m.data()), begin = low + around;
    const std::size_t element = a.elements == 0 ? 1 : std::max<std::size_t>(a.bytes.size() / a.elements, 1);
    placed_.push_back({begin, low, low + m.bytes(), a.bytes.size(),
                       parameters[i].size != 0 ? parameters[i].size : static_cast<std::uint32_t>(element),
                       a.type, compiled.parameter_name(i), word_shift(element), "global"});
    std::vector<std::byte> pointer(sizeof begin);
    std::memcpy(pointer.data(), &begin, sizeof begin);
    values_.push_back(std::move(pointer));
    arrays_.push_back(&a);
    mappings_.push_back(std::move(m));
  }
  for (auto& value : values_) pointers_.push_back(value.data());
  for (const heddle_device::variable& v : compiled.variables()) {
    const auto begin = reinterpret_cast<std::uintptr_t>(v.address);
    // The history of a word that two variables share would be of neither.
    const unsigned shift = word_shift(v.element_size);
    const bool is_aligned = (begin & ((std::uintptr_t{1} << shift) - 1)) == 0;
    placed_.push_back({begin, begin, begin + v.size, v.size, std::max(v.element_size, 1u), v.type, v.name,
                       is_aligned ? shift : 0, v.is_constant ? "constant" : "device"});
    // What is const lies where the system lets nobody write.
    const auto* const bytes = static_cast<const std::byte*>(v.address);
    variables_at_first_.emplace_back(bytes, bytes + (v.is_read_only ? 0 : v.size));
  }
}

std::vector<std::unique_ptr<region>> launch_memory::regions() const {
  std::vector<std::unique_ptr<region>> result;
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const placed& p = placed_[i];
    auto r = std::make_unique<region>();
    r->begin = p.begin;
    r->low = p.low;
    r->high = p.high;
    r->bytes = p.bytes;
    r->element_bytes = p.element_bytes;
    r->type = p.type;
    r->name = p.name;
    r->shift = p.shift;
    r->space = p.space;
    r->is_constant = std::string_view(p.space) == "constant";
    r->is_variable = i >= arrays_.size();
    r->starts_written = i >= arrays_.size() || arrays_[i]->is_written;
    result.push_back(std::move(r));
  }
  return result;
}

void launch_memory::reset() {
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const std::vector<std::byte>& from =
        i < arrays_.size() ? arrays_[i]->bytes : variables_at_first_[i - arrays_.size()];
    if (!from.empty()) std::memcpy(reinterpret_cast<void*>(placed_[i].begin), from.data(), from.size());
  }
}

std::vector<std::vector<std::byte>> launch_memory::contents() const {
  std::vector<std::vector<std::byte>> result;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const auto* const data = reinterpret_cast<const std::byte*>(placed_[i].begin);
    result.emplace_back(data, data + placed_[i].bytes);
  }
  return result;
}

}  // namespace heddle::checker
