#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace heddle::checker {

struct allocation;

/// The module's variables where there are several devices, each of which has an instance of its own. The code
/// of kernels has one address for all of them, the variable's: there is the instance of the device whose
/// kernel runs, and all instances are in memory of their own between launches.
class variable_instances {
 public:
  /// Of each device one, with what the variable holds at first.
  void add(allocation& variable, std::vector<allocation*> instances);
  /// The device's own; null for what has none.
  allocation* find(const allocation& variable, int device) const;
  /// Where it is between launches what code has at an address; other addresses are as they are.
  std::uintptr_t between_launches(std::uintptr_t address, int device) const;
  /// Where code has it, of an address in the device's own instances.
  std::uintptr_t in_code(std::uintptr_t address, int device) const;

  /// Before a launch on a device, and after it. The host may use the device's memory meanwhile.
  void begin(int device);
  void end(int device);

 private:
  struct instances {
    allocation* variable;
    std::vector<allocation*> all;  // by devices
    std::vector<std::byte> before;
  };
  std::map<std::uintptr_t, instances> by_variable_;                  // by their addresses
  std::map<std::uintptr_t, std::uintptr_t> variables_of_instances_;  // by addresses, too
};

}  // namespace heddle::checker
