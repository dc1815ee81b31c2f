#pragma once

#include "checker/engine/module.hpp"
#include "checker/engine/regions.hpp"
#include "checker/engine/variable_instances.hpp"
#include "cuda_on_cpu/device/heddle_device/runtime.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace heddle::checker {

using heddle_device::allocation_name;
using heddle_device::memory_kind;

/// Memory that a program has from the CUDA runtime, or a variable of the device.
struct allocation {
  region memory;
  memory_kind kind = memory_kind::device;
  static constexpr int all_devices = -1;
  /// That it is of, or that was present when it was made; all of what code has of a variable with instances.
  int device = 0;
  bool is_freed = false;
  bool is_of_pool = false;  ///< or of a graph: devices reach it by its readers beside its own
  bool is_mapped = false;   ///< to reserved addresses: they reach it by its readers alone
  std::set<int> readers;
  /// Of mapped memory: from each of these addresses on it is of that device.
  std::map<std::uintptr_t, int> devices_from;
  std::vector<std::uintptr_t> made_at, freed_at;  ///< calls, innermost first

  bool host_can_reach() const { return kind != memory_kind::device; }
  std::uint64_t bytes() const { return is_freed ? memory.freed_bytes : memory.bytes; }
  int device_at(std::uintptr_t address) const {
    const auto after = devices_from.upper_bound(address);
    return after == devices_from.begin() ? device : std::prev(after)->second;
  }
  /// Those that any of these bytes is of.
  std::set<int> devices_of(std::uintptr_t begin, std::uint64_t bytes) const;
};

/// All memory of a program that kernels reach. Allocations lie far apart in two halves of a reserved range of
/// addresses: what only the device reaches is closed to the host unless it is opened, and what both reach is
/// open.
class allocations {
 public:
  /// With the variables of the module's device code, of which each device has its own.
  allocations(const module& compiled, int devices);
  ~allocations();
  allocations(const allocations&) = delete;
  allocations& operator=(const allocations&) = delete;

  /// Null when there is no room. Nothing is written in it, whatever it holds.
  allocation* make(memory_kind kind, std::uint64_t bytes, const allocation_name& name, int device);
  /// Memory that the host has of its own.
  allocation& add_registered(void* begin, std::uint64_t bytes, const allocation_name& name, int device);
  /// A variable of the module's device code, unless it is known.
  void add_variable(const heddle_device::variable& v);
  /// Its address is not given to another allocation for as long as there are others.
  void free(allocation& a);
  /// One that was freed is there again, at its address, with nothing written in it.
  void revive(allocation& a);

  /// The one that the address is in or next to, freed ones among them; null for none.
  allocation* find(std::uintptr_t address);
  /// The variables of this name as a device has them, with its namespaces or without.
  std::vector<const allocation*> variables_named(const std::string& name, int device) const;
  /// The variable that code has at this address, as a device has it; null for none.
  allocation* find_variable(std::uintptr_t address, int device);
  const variable_instances& instances() const { return instances_; }

  /// What kernels reach, by what `reaches` says of an allocation, and what was freed last.
  std::vector<region*> regions(const std::function<bool(const allocation&)>& reaches);
  /// Those that were not freed and are no variables.
  std::vector<allocation*> live() const;
  /// Of all devices.
  std::uint64_t device_bytes() const;
  std::uint64_t device_bytes_left(int device) const {
    return heddle_device::device_facts::memory - device_bytes_[static_cast<std::size_t>(device)];
  }

  /// Addresses for memory that is mapped there; 0 when there are none.
  std::uintptr_t reserve(std::uint64_t bytes, std::uint64_t alignment);
  void give_back_addresses(std::uintptr_t begin) { reserved_.erase(begin); }
  /// Memory at reserved addresses, in which nothing is written. Adding it makes it there.
  static std::unique_ptr<allocation> make_mapped(std::uintptr_t begin, std::uint64_t bytes,
                                                 const allocation_name& name,
                                                 std::map<std::uintptr_t, int> devices_from);
  allocation* add_mapped(std::unique_ptr<allocation> a);
  /// What it holds stays there until that is forgotten.
  void remove_mapped(const allocation& a);
  static void forget_contents(std::uintptr_t begin, std::uint64_t bytes);
  /// False when a device has no more so many.
  bool take_device_bytes(int device, std::uint64_t bytes);
  void give_back_device_bytes(int device, std::uint64_t bytes) {
    device_bytes_[static_cast<std::size_t>(device)] -= bytes;
  }

  /// Forgets the histories of all.
  void forget_histories();

  bool is_in_device_half(std::uintptr_t address) const {
    return address - device_.begin < device_.end - device_.begin;
  }
  bool is_in_host_half(std::uintptr_t address) const {
    return address - host_.begin < host_.end - host_.begin;
  }
  bool is_in_variables(std::uintptr_t address) const {
    return address >= first_variable_ && address < last_variable_;
  }

  /// While it lives, the process may use what only the device reaches.
  class opening {
   public:
    explicit opening(allocations& of) : of_(of) { of_.open(1); }
    ~opening() { of_.open(-1); }
    opening(const opening&) = delete;
    opening& operator=(const opening&) = delete;

   private:
    allocations& of_;
  };

  /// While it lives, a launch of this device runs: code has its variables.
  class launch_on_device {
   public:
    launch_on_device(allocations& of, int device) : opened_(of), of_(of), device_(device) {
      of_.instances_.begin(device_);
    }
    ~launch_on_device() { of_.instances_.end(device_); }
    launch_on_device(const launch_on_device&) = delete;
    launch_on_device& operator=(const launch_on_device&) = delete;

   private:
    opening opened_;
    allocations& of_;
    int device_;
  };

 private:
  struct half {
    std::uintptr_t begin = 0, end = 0, next = 0;
  };
  void open(int by);
  /// Where so many bytes are free; 0 for nowhere.
  std::uintptr_t place(half& of, std::uint64_t bytes);
  /// Null when there are no addresses.
  std::unique_ptr<allocation> make_memory(memory_kind kind, std::uint64_t bytes, const allocation_name& name,
                                          int device);
  void add_instances(allocation& variable, const allocation_name& name);

  half device_, host_;
  int opened_ = 0;
  std::vector<std::uint64_t> device_bytes_;  // by devices
  std::uintptr_t first_variable_ = 0, last_variable_ = 0;
  std::map<std::uintptr_t, std::unique_ptr<allocation>> all_;  // by the lowest address
  std::deque<allocation*> freed_;                              // the last of them
  struct addresses {
    std::uintptr_t low, high;
  };
  std::map<std::uintptr_t, addresses> reserved_;  // for mappings, with what lies around them
  variable_instances instances_;                  // none of a single device
};

}  // namespace heddle::checker
