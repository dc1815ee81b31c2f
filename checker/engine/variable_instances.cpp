#include "checker/engine/variable_instances.hpp"

#include "checker/engine/allocations.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace heddle::checker {
namespace {

std::byte* data_of(const allocation& a) {
  return reinterpret_cast<std::byte*>(a.memory.begin);
}

/// The last one that begins at the address or before it; the end for none.
template <class Map>
auto at_or_before(Map& map, std::uintptr_t address) {
  const auto after = map.upper_bound(address);
  return after == map.begin() ? map.end() : std::prev(after);
}

}  // namespace

void variable_instances::add(allocation& variable, std::vector<allocation*> all) {
  for (const allocation* const a : all) variables_of_instances_[a->memory.begin] = variable.memory.begin;
  by_variable_[variable.memory.begin] = {&variable, std::move(all), {}};
}

allocation* variable_instances::find(const allocation& variable, int device) const {
  const auto found = by_variable_.find(variable.memory.begin);
  return found == by_variable_.end() ? nullptr : found->second.all[static_cast<std::size_t>(device)];
}

std::uintptr_t variable_instances::between_launches(std::uintptr_t address, int device) const {
  const auto found = at_or_before(by_variable_, address);
  if (found == by_variable_.end() || !found->second.variable->memory.has(address, 1)) return address;
  return found->second.all[static_cast<std::size_t>(device)]->memory.begin + (address - found->first);
}

std::uintptr_t variable_instances::in_code(std::uintptr_t address, int device) const {
  const auto found = at_or_before(variables_of_instances_, address);
  if (found == variables_of_instances_.end()) return address;
  const allocation& own = *by_variable_.at(found->second).all[static_cast<std::size_t>(device)];
  return own.memory.has(address, 1) ? found->second + (address - found->first) : address;
}

void variable_instances::begin(int device) {
  for (auto& [address, v] : by_variable_) {
    allocation& own = *v.all[static_cast<std::size_t>(device)];
    region& in_code = v.variable->memory;
    v.before.assign(data_of(own), data_of(own) + own.memory.bytes);
    std::memcpy(data_of(*v.variable), v.before.data(), v.before.size());
    // Two places of one variable have one history.
    own.memory.watch();
    in_code.last = own.memory.last;
    in_code.earlier = own.memory.earlier;
  }
}

void variable_instances::end(int device) {
  constexpr std::size_t part = 64;
  for (auto& [address, v] : by_variable_) {
    const std::byte* const now = data_of(*v.variable);
    std::byte* const own = data_of(*v.all[static_cast<std::size_t>(device)]);
    // What was written to by its address there stays.
    for (std::size_t i = 0; i < v.before.size(); i += part) {
      const std::size_t last = std::min(i + part, v.before.size());
      if (std::memcmp(now + i, &v.before[i], last - i) == 0) continue;
      for (std::size_t k = i; k < last; ++k) {
        if (now[k] != v.before[k]) own[k] = now[k];
      }
    }
    v.variable->memory.last = nullptr;
    v.variable->memory.earlier = nullptr;
  }
}

}  // namespace heddle::checker
