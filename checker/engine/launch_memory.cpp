#include "checker/engine/launch_memory.hpp"

#include "array/counted.hpp"
#include "kernels/module_state.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace heddle::checker {

using heddle_device::scalar;

namespace {

/// "f32", "3 of f32", "particle (20 bytes)", "void".
std::string wanted_text(const impl::parameter_description& p) {
  const auto type = static_cast<scalar>(p.type);
  if (p.is_void) return "void";
  if (type != scalar::other)
    return p.components > 1 ? fmt::format("{} of {}", p.components, short_name(type)) : short_name(type);
  const std::string name = p.type_name.empty() ? short_name(type) : p.type_name;
  return p.size == 0 ? name : fmt::format("{} ({})", name, counted(p.size, "byte"));
}

std::string given_text(const argument& a) {
  if (a.elements == 1) return fmt::format("{} was", short_name(a.type));
  return fmt::format("{} numbers of {} bytes were", a.elements, a.bytes.size());
}

/// What is wrong with it; empty when nothing is.
std::string mismatch(const impl::parameter_description& p, const argument& a) {
  const auto type = static_cast<scalar>(p.type);
  if (!p.is_known) {
    const std::size_t bytes = a.is_array ? sizeof(void*) : a.bytes.size();
    return p.size == 0 || p.size == bytes
               ? ""
               : fmt::format("the kernel takes {} bytes, and {} were given", p.size, bytes);
  }
  const std::string wanted = wanted_text(p);
  if (!p.is_pointer) {
    if (a.is_array) return fmt::format("the kernel takes a number, {}, and an array was given", wanted);
    // A structure is known by its size, a vector by its components, too.
    if (type == scalar::other ? p.size == 0 || p.size == a.bytes.size()
                              : type == a.type && p.components == a.elements)
      return "";
    const bool is_one = type != scalar::other && p.components == 1;
    return fmt::format("the kernel takes {}, and {} given{}", wanted, given_text(a),
                       is_one ? "" : " (TYPE:VALUE,TYPE:VALUE,... gives its members)");
  }
  if (!a.is_array) return fmt::format("the kernel takes a pointer to {}, and a number was given", wanted);
  // Structures and void may be made of anything.
  if (type != scalar::other && type != a.type)
    return fmt::format("the kernel takes a pointer to {}, and an array of {} was given", wanted,
                       short_name(a.type));
  if (p.size != 0 && a.bytes.size() % p.size != 0)
    return fmt::format("{} bytes are no whole number of elements of {} bytes", a.bytes.size(), p.size);
  return "";
}

}  // namespace

void check_arguments(const std::string& kernel, const std::vector<impl::parameter_description>& parameters,
                     const std::vector<argument>& arguments) {
  if (parameters.size() != arguments.size()) {
    throw argument_error(
        fmt::format("{} {}", kernel, impl::wrong_number_of_arguments(parameters.size(), arguments.size())));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string wrong = mismatch(parameters[i], arguments[i]);
    if (wrong.empty()) continue;
    const std::string& name = parameters[i].name;
    throw argument_error(
        fmt::format("argument {}{}: {}", i + 1, name.empty() ? "" : " (" + name + ")", wrong));
  }
}

launch_memory::launch_memory(const module& compiled, const std::vector<argument>& arguments) {
  const auto parameters = compiled.parameters();
  std::vector<heddle::impl::parameter_description> described;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    described.push_back(heddle::impl::described(parameters[i], compiled.parameter_name(i)));
  check_arguments(compiled.declaration().name, described, arguments);
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
    const auto bytes = static_cast<std::uint32_t>(bytes_of(a.type));
    // A pointer to void is to what the argument says.
    const heddle_device::element_type& wanted = parameters[i].element;
    placed_.push_back(
        {begin, low, low + m.bytes(), a.bytes.size(),
         wanted.size != 0 ? wanted : heddle_device::element_type{a.type, bytes, nullptr, nullptr},
         compiled.parameter_name(i), word_shift(bytes), "global"});
    std::vector<std::byte> pointer(sizeof begin);
    std::memcpy(pointer.data(), &begin, sizeof begin);
    values_.push_back(std::move(pointer));
    arrays_.push_back(&a);
    mappings_.push_back(std::move(m));
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    void* of = values_[i].data();
    // A reference is handed over as what it is to.
    if (parameters[i].kind == heddle_device::parameter_kind::reference && arguments[i].is_array)
      std::memcpy(&of, values_[i].data(), sizeof of);
    pointers_.push_back(of);
  }
  for (const heddle_device::variable& v : compiled.variables()) {
    const auto begin = reinterpret_cast<std::uintptr_t>(v.address);
    // The history of a word that two variables share would be of neither.
    const unsigned shift = word_shift(v.element);
    const bool is_aligned = (begin & ((std::uintptr_t{1} << shift) - 1)) == 0;
    placed_.push_back({begin, begin, begin + bytes_about(v), v.size, v.element, v.name,
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
    r->consist_of(p.element);
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
