#include "checker/engine/engine.hpp"

#include <cstring>

#include <fmt/format.h>

/// Copies that a thread begins and waits for later. They are made when it has to wait, as late as a GPU may
/// make them: so what does not wait for them finds what was there before, or races with them.
namespace heddle::checker {

void engine::begin_copy(thread_state& t, const asynchronous_copy& c) {
  const auto to = reinterpret_cast<std::uintptr_t>(c.to), from = reinterpret_cast<std::uintptr_t>(c.from);
  const bool is_size = c.bytes == 4 || c.bytes == 8 || c.bytes == 16;
  if (!is_size || c.read > c.bytes)
    misuse(t, fmt::format("an asynchronous copy has 4, 8 or 16 bytes, not {} of {}", c.read, c.bytes), c.pc);
  if (is_size && (to % c.bytes != 0 || from % c.bytes != 0)) {
    const std::uintptr_t wrong = to % c.bytes != 0 ? to : from;
    const region* const r = find(t, wrong);
    if (finding* const f =
            report(finding_kind::misaligned_access, c.pc, 1, r == nullptr ? nullptr : r->identity())) {
      f->places.push_back(place_of(t, wrong == to ? "copies to" : "copies from", c.pc));
      if (r != nullptr) name_element(*f, *r, wrong);
      f->detail = fmt::format(
          "an asynchronous copy of {} bytes needs an address that {} bytes divide: this is {} past one",
          c.bytes, c.bytes, wrong % c.bytes);
    }
    stop(t);
  }
  t.copies.begin(c);
}

void engine::finish_copies(thread_state& t, const std::vector<asynchronous_copy>& copies) {
  for (const asynchronous_copy& c : copies) {
    if (t.is_watched) {
      access(t, reinterpret_cast<std::uintptr_t>(c.from), c.read, 0, c.pc);
      access(t, reinterpret_cast<std::uintptr_t>(c.to), c.bytes, record::write, c.pc);
    }
    std::memcpy(c.to, c.from, c.read);
    std::memset(static_cast<std::byte*>(c.to) + c.read, 0, c.bytes - c.read);
  }
}

void engine::misuse(thread_state& t, const std::string& what, std::uintptr_t pc) {
  if (finding* const f = report(finding_kind::misuse, pc, std::hash<std::string>()(what), nullptr)) {
    f->places.push_back(place_of(t, "calls it", pc));
    f->detail = what;
  }
  stop(t);
}

void engine::function_of_host(thread_state& t, std::uintptr_t pc) {
  if (finding* const f = report(finding_kind::foreign_address, pc, 0, nullptr)) {
    f->places.push_back(place_of(t, "calls a function", pc));
    f->detail =
        "the pointer is the host's, and a function has another address on the device: let a __device__ "
        "variable "
        "hold it, which cudaMemcpyFromSymbol copies to the host";
  }
  stop(t);
}

void engine::virtual_function_of_host(thread_state& t, const region& r, std::uintptr_t address,
                                      std::uintptr_t pc) {
  if (finding* const f = report(finding_kind::foreign_address, pc, 1, r.identity())) {
    f->places.push_back(place_of(t, "calls a virtual function", pc));
    name_element(*f, r, address);
    f->detail =
        "the host has made the object, which has the host's table of virtual functions: a kernel makes such "
        "objects in place, by new (address) type(...)";
  }
  stop(t);
}

void engine::refuse(thread_state& t, const char* why) {
  failure_ = why;
  stop(t);
}

}  // namespace heddle::checker
