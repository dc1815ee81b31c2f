#include "cuda_on_cpu/run/fiber.hpp"

#include <heddle/error.hpp>

#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::cuda_on_cpu {
namespace {

constexpr std::size_t stacks_a_chunk = 64;

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Where a stack begins. Stacks lie so far apart that their upper ends would share few lines of a cache: they
/// begin at different distances from the end.
[[maybe_unused]] void** top_of(std::byte* stack) {
  constexpr std::size_t distances = 61, apart = 192;
  static_assert(distances * apart <= stack_pool::stack_bytes / 16);
  const std::size_t number =
      reinterpret_cast<std::uintptr_t>(stack) / (stack_pool::stack_bytes + page_bytes());
  return reinterpret_cast<void**>(stack + stack_pool::stack_bytes - number % distances * apart);
}

}  // namespace

signal_stack::signal_stack() {
  constexpr std::size_t bytes = 65536;
  bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  stack_t stack{};
  stack.ss_sp = bytes_.get();
  stack.ss_size = bytes;
  if (sigaltstack(&stack, &before_) != 0)
    throw error(fmt::format("no stack of {} bytes for handlers of signals: {}", bytes, std::strerror(errno)));
}

signal_stack::~signal_stack() {
  sigaltstack(&before_, nullptr);
}

stack_pool::~stack_pool() {
  for (const chunk& c : chunks_) munmap(c.begin, c.bytes);
}

std::byte* stack_pool::take() {
  if (free_.empty()) grow();
  std::byte* const stack = free_.back();
  free_.pop_back();
  return stack;
}

void stack_pool::grow() {
  const std::size_t each = stack_bytes + page_bytes(), bytes = each * stacks_a_chunk;
  void* const begin =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) {
    throw error(
        fmt::format("no memory for the stacks of {} threads: {}", stacks_a_chunk, std::strerror(errno)));
  }
  chunks_.push_back({begin, bytes});
  // The system allows a process so many mappings; each page that is cut out makes one. Stacks beyond the
  // first thousands do without.
  constexpr std::size_t most_guarded = 16384;
  for (std::size_t i = stacks_a_chunk; i-- > 0;) {
    std::byte* const guard = static_cast<std::byte*>(begin) + i * each;
    if (chunks_.size() * stacks_a_chunk <= most_guarded) mprotect(guard, page_bytes(), PROT_NONE);
    free_.push_back(guard + page_bytes());
  }
}

#if defined(__x86_64__)

extern "C" void heddle_change_stack(void** from, void* to);
extern "C" void heddle_begin_on_stack();
asm(R"(
.pushsection .text
.type heddle_change_stack, @function
heddle_change_stack:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.type heddle_begin_on_stack, @function
heddle_begin_on_stack:
  mov %r12, %rdi
  call *%rbx
  ud2
.popsection
)");

void fiber::begin(std::byte* stack, void (*function)(void*), void* argument) {
  // r15 r14 r13 r12 rbx rbp, and where to return to: there the stack is aligned as before a call.
  void** const top = top_of(stack) - 9;
  top[0] = top[1] = top[2] = top[5] = top[7] = nullptr;
  top[3] = argument;
  top[4] = reinterpret_cast<void*>(function);
  top[6] = reinterpret_cast<void*>(&heddle_begin_on_stack);
  stack_pointer_ = top;
}

void fiber::change(fiber& from, fiber& to) {
  heddle_change_stack(&from.stack_pointer_, to.stack_pointer_);
}

#elif defined(__aarch64__)

extern "C" void heddle_change_stack(void** from, void* to);
extern "C" void heddle_begin_on_stack();
asm(R"(
.pushsection .text
.type heddle_change_stack, %function
heddle_change_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.type heddle_begin_on_stack, %function
heddle_begin_on_stack:
  mov x0, x20
  blr x19
  brk #1
.popsection
)");

void fiber::begin(std::byte* stack, void (*function)(void*), void* argument) {
  void** const top = top_of(stack) - 20;
  for (int i = 0; i < 20; ++i) top[i] = nullptr;
  top[0] = reinterpret_cast<void*>(function);
  top[1] = argument;
  top[11] = reinterpret_cast<void*>(&heddle_begin_on_stack);
  stack_pointer_ = top;
}

void fiber::change(fiber& from, fiber& to) {
  heddle_change_stack(&from.stack_pointer_, to.stack_pointer_);
}

#else

namespace {

void begin_with_halves(unsigned f0, unsigned f1, unsigned a0, unsigned a1) {
  const auto whole = [](unsigned low, unsigned high) {
    return (static_cast<std::uintptr_t>(high) << 16 << 16) | low;
  };
  reinterpret_cast<void (*)(void*)>(whole(f0, f1))(reinterpret_cast<void*>(whole(a0, a1)));
}

}  // namespace

void fiber::begin(std::byte* stack, void (*function)(void*), void* argument) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = stack_pool::stack_bytes;
  context_.uc_link = nullptr;
  const auto low = [](std::uintptr_t x) { return static_cast<unsigned>(x); };
  const auto high = [](std::uintptr_t x) { return static_cast<unsigned>(x >> 16 >> 16); };
  const auto f = reinterpret_cast<std::uintptr_t>(function), a = reinterpret_cast<std::uintptr_t>(argument);
  makecontext(&context_, reinterpret_cast<void (*)()>(&begin_with_halves), 4, low(f), high(f), low(a),
              high(a));
}

void fiber::change(fiber& from, fiber& to) {
  swapcontext(&from.context_, &to.context_);
}

#endif

}  // namespace heddle::cuda_on_cpu
