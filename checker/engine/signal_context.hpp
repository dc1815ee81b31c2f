#pragma once

#include <csignal>
#include <cstdint>

#include <ucontext.h>

namespace heddle::checker {

/// What a kernel has done that gets this signal: SIGSEGV, SIGBUS, SIGFPE or SIGILL.
inline const char* fault_text(int signal) {
  return signal == SIGFPE   ? "an integer was divided by 0"
         : signal == SIGILL ? "the compiler found that what is done here has no meaning"
                            : "memory was accessed that belongs to nobody";
}

/// The instruction that a signal interrupted; 0 where that is not known.
inline std::uintptr_t instruction_of([[maybe_unused]] const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return 0;
#endif
}

/// Where the stack ended then; 0 where that is not known.
inline std::uintptr_t stack_of([[maybe_unused]] const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.sp;
#else
  return 0;
#endif
}

/// Goes on in `function` once the signal is handled, on a stack that ends at `top`; false where that is not
/// known.
inline bool go_on_in([[maybe_unused]] ucontext_t& context, [[maybe_unused]] void (*function)(),
                     [[maybe_unused]] std::uintptr_t top) {
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top - 8);
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(function);
  return true;
#elif defined(__aarch64__)
  context.uc_mcontext.sp = top;
  context.uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(function);
  return true;
#else
  return false;
#endif
}

}  // namespace heddle::checker
