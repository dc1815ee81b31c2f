#pragma once

#include "checker/engine/launch.hpp"
#include "checker/engine/regions.hpp"
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace heddle::checker {

/// An argument that is not understood, or that a kernel does not take.
class argument_error : public error {
 public:
  using error::error;
};

/// Throws argument_error unless the arguments fit the parameters of the kernel, as far as those are known: a
/// number has the very type, an array the type of what the pointer points to, and what is no number is known
/// by its size.
void check_arguments(const std::string& kernel, const std::vector<impl::parameter_description>& parameters,
                     const std::vector<argument>& arguments);

/// The memory of a kernel's launch: its arrays, with room around each that is nobody's, its numbers, and the
/// module's variables as they are before.
class launch_memory {
 public:
  /// Throws argument_error when the arguments do not fit the kernel's parameters.
  launch_memory(const module& compiled, const std::vector<argument>& arguments);

  /// Puts all of it back to what it is before a launch.
  void reset();

  /// A pointer to each argument.
  void* const* arguments() const { return pointers_.data(); }

  /// Where arrays and variables are, without a history; arrays come first.
  std::vector<std::unique_ptr<region>> regions() const;

  /// What the arrays hold now.
  std::vector<std::vector<std::byte>> contents() const;

 private:
  struct placed {
    std::uintptr_t begin, low, high;
    std::uint64_t bytes;
    heddle_device::element_type element;
    std::string name;
    unsigned shift;
    const char* space;
  };
  std::vector<placed> placed_;
  std::vector<const argument*> arrays_;
  std::vector<mapping> mappings_;
  std::vector<void*> pointers_;
  std::vector<std::vector<std::byte>> values_, variables_at_first_;
};

}  // namespace heddle::checker
