#pragma once

/// Addresses that code of the host takes of what is the device's: they are the host's own, and not the
/// device's.

#include "host.hpp"

#if defined(HEDDLE_PROGRAM) && defined(HEDDLE_WATCHED)

namespace heddle_device {

__attribute__((noinline, no_sanitize("thread"))) inline void* address_of_host(void* variable) {
  return program_runtime() != nullptr ? program_runtime()->host_address(variable) : variable;
}

/// The host's address of a device variable; other values are returned unchanged.
template <class T>
constexpr T&& of_host(T&& x) {
  if (__builtin_is_constant_evaluated()) return static_cast<T&&>(x);
  using value = std::remove_reference_t<T>;
  return static_cast<T&&>(
      *(value*)address_of_host(const_cast<void*>((const volatile void*)__builtin_addressof(x))));
}

/// A function as the host has it, which a kernel cannot call.
template <auto Function>
struct function_of_host;
#define HEDDLE_FUNCTION_OF_HOST(NOEXCEPT)                                                     \
  template <class R, class... A, R (*Function)(A...) NOEXCEPT>                                \
  struct function_of_host<Function> {                                                         \
    __attribute__((noinline, no_sanitize("thread"))) static R call(A... arguments) NOEXCEPT { \
      if (heddle_in_kernel() != 0) heddle_function_of_host(__builtin_return_address(0));      \
      return Function(static_cast<A&&>(arguments)...);                                        \
    }                                                                                         \
  };
HEDDLE_FUNCTION_OF_HOST()
HEDDLE_FUNCTION_OF_HOST(noexcept)
#undef HEDDLE_FUNCTION_OF_HOST

template <auto Function>
constexpr auto host_function() {
  return &function_of_host<Function>::call;
}

}  // namespace heddle_device

#endif
