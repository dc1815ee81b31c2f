#include "checker/engine/engine.hpp"
#include "checker/engine/module.hpp"
#include "checker/program/program_runtime.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>

#include <fmt/format.h>

// What assert() calls; the C library's header declares it only where asserts are compiled.
extern "C" [[noreturn]] void __assert_fail(  // NOLINT(bugprone-reserved-identifier): its name
    const char* expression, const char* file, unsigned line, const char* function) noexcept;

/// What a kernel's module calls, by the names that its slots have. Nothing is done for threads that no engine
/// runs: what initialises a module's variables calls these, too.

namespace heddle::checker {

// What a thread may wait in a loop for is called by way of a few instructions that put the callee-saved
// registers on the stack, beside the module's own: together they are all that a thread knows by itself. What
// is called finds them where its frame ends.
#if defined(__x86_64__)
#define HEDDLE_KEEPING(NAME)                                             \
  asm(".pushsection .text\n.type entry" #NAME ", @function\nentry" #NAME \
      ":\n push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n"  \
      " push %r15\n push $0\n call kept" #NAME                           \
      "\n add $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n"    \
      " pop %rbx\n pop %rbp\n ret\n.popsection");
constexpr std::size_t words_kept = 7;   // below the address that is returned to
constexpr std::size_t bytes_kept = 64;  // with it
#elif defined(__aarch64__)
#define HEDDLE_KEEPING(NAME)                                                              \
  asm(".pushsection .text\n.type entry" #NAME ", %function\nentry" #NAME                  \
      ":\n stp x30, x29, [sp, -160]!\n stp x19, x20, [sp, 16]\n stp x21, x22, [sp, 32]\n" \
      " stp x23, x24, [sp, 48]\n stp x25, x26, [sp, 64]\n stp x27, x28, [sp, 80]\n"       \
      " stp d8, d9, [sp, 96]\n stp d10, d11, [sp, 112]\n stp d12, d13, [sp, 128]\n"       \
      " stp d14, d15, [sp, 144]\n bl kept" #NAME                                          \
      "\n ldp x30, x29, [sp], 160\n ret\n"                                                \
      ".popsection");
constexpr std::size_t words_kept = 0, bytes_kept = 160;
#else
#define HEDDLE_KEEPING(NAME)
#endif
#if defined(__x86_64__) || defined(__aarch64__)
#define HEDDLE_KEPT(NAME) kept##NAME
#define HEDDLE_STATE reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa())
#define HEDDLE_KEPT_PC (reinterpret_cast<const std::uintptr_t*>(HEDDLE_STATE)[words_kept])
#define HEDDLE_KEPT_FRAME (HEDDLE_STATE + bytes_kept)
#else
#define HEDDLE_KEPT(NAME) entry##NAME
#define HEDDLE_STATE 0
#define HEDDLE_KEPT_PC HEDDLE_PC
#define HEDDLE_KEPT_FRAME HEDDLE_FRAME
#endif
// Where the module's part of the stack ends.
#define HEDDLE_FRAME reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa())
#define HEDDLE_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define HEDDLE_HIDDEN extern "C" __attribute__((visibility("hidden"), used))

namespace {
engine& running_engine(std::uintptr_t pc);
void accessed_by_host(const void* address, std::size_t bytes, std::uint8_t flags, std::uintptr_t pc);
void accessed_volatile(void* address, std::size_t bytes, bool writes, std::uintptr_t pc, std::uintptr_t frame,
                       std::uintptr_t state);
}  // namespace

#define HEDDLE_LOOK(NAME, BYTES)                                                         \
  extern "C" __attribute__((visibility("hidden"))) void entry##NAME(void* p);            \
  HEDDLE_KEEPING(NAME)                                                                   \
  HEDDLE_HIDDEN void HEDDLE_KEPT(NAME)(void* p) {                                        \
    accessed_volatile(p, BYTES, false, HEDDLE_KEPT_PC, HEDDLE_KEPT_FRAME, HEDDLE_STATE); \
  }
HEDDLE_LOOK(__tsan_volatile_read1, 1)
HEDDLE_LOOK(__tsan_volatile_read2, 2)
HEDDLE_LOOK(__tsan_volatile_read4, 4)
HEDDLE_LOOK(__tsan_volatile_read8, 8)
HEDDLE_LOOK(__tsan_volatile_read16, 16)
HEDDLE_LOOK(__tsan_unaligned_volatile_read2, 2)
HEDDLE_LOOK(__tsan_unaligned_volatile_read4, 4)
HEDDLE_LOOK(__tsan_unaligned_volatile_read8, 8)
HEDDLE_LOOK(__tsan_unaligned_volatile_read16, 16)
#undef HEDDLE_LOOK

extern "C" __attribute__((visibility("hidden"))) unsigned long long entry_heddle_atomic(
    void* address, unsigned long long operand, unsigned long long expected,
    heddle_device::atomic_request request);
HEDDLE_KEEPING(_heddle_atomic)
HEDDLE_HIDDEN unsigned long long HEDDLE_KEPT(_heddle_atomic)(void* address, unsigned long long operand,
                                                             unsigned long long expected,
                                                             heddle_device::atomic_request request) {
  // cuda::atomic is for the host, too.
  if (now.thread == nullptr && request.is_classic == 0) {
    accessed_by_host(address, bytes_of(request.type) * request.components,
                     static_cast<std::uint8_t>(
                         record::is_volatile |
                         (request.operation == heddle_device::atomic_operation::load ? 0 : record::write)),
                     HEDDLE_KEPT_PC);
    return atomic_on_host(address, operand, expected, request);
  }
  engine& by = running_engine(HEDDLE_KEPT_PC);
  now.thread->frame = HEDDLE_KEPT_FRAME;
  return by.atomic(*now.thread, address, operand, expected, request, HEDDLE_KEPT_PC, HEDDLE_STATE);
}
extern "C" __attribute__((visibility("hidden"))) void entry_heddle_sleep(unsigned);
HEDDLE_KEEPING(_heddle_sleep)
HEDDLE_HIDDEN void HEDDLE_KEPT(_heddle_sleep)(unsigned) {
  // A thread that polls an atomic variable sleeps between two looks.
  if (now.thread == nullptr) return std::this_thread::yield();
  running_engine(HEDDLE_KEPT_PC).sleep(*now.thread, HEDDLE_KEPT_PC, HEDDLE_STATE);
}

namespace {

using heddle_device::index3;

void watched_by_host(std::uintptr_t a, std::size_t bytes, std::uint8_t flags, std::uintptr_t pc) {
  const bool writes = (flags & record::write) != 0;
  if (!running_program->heap_access(a, bytes, writes, pc) && running_program->watches(a))
    running_program->host_access(a, bytes, flags, pc);
}

/// The code of a program's host part.
void accessed_by_host(const void* address, std::size_t bytes, std::uint8_t flags, std::uintptr_t pc) {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  if (running_program == nullptr || now.by != nullptr || bytes == 0) return;
  const bool writes = (flags & record::write) != 0;
  if (running_program->copies().may_have(a)) running_program->access_copy(a, bytes, writes, pc);
  watched_by_host(a, bytes, flags, pc);
}
void copied_by_host(void* to, const void* from, std::size_t bytes, std::uintptr_t pc) {
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  if (running_program == nullptr || now.by != nullptr || bytes == 0) return;
  unwritten_copies& copies = running_program->copies();
  if (copies.may_have(target) || copies.may_have(source)) copies.move(target, source, bytes);
  watched_by_host(source, bytes, 0, pc);
  watched_by_host(target, bytes, record::write, pc);
}

void accessed(void* address, std::size_t bytes, std::uint8_t flags, std::uintptr_t pc, std::uintptr_t frame) {
  if (now.thread == nullptr) return accessed_by_host(address, bytes, flags, pc);
  if (now.thread->is_watched) {
    now.thread->frame = frame;
    now.by->access(*now.thread, reinterpret_cast<std::uintptr_t>(address), bytes, flags, pc);
  }
}
void accessed_volatile(void* address, std::size_t bytes, bool writes, std::uintptr_t pc, std::uintptr_t frame,
                       std::uintptr_t state) {
  if (now.thread == nullptr)
    return accessed_by_host(address, bytes, record::is_volatile | (writes ? record::write : 0), pc);
  now.thread->frame = frame;
  now.by->volatile_access(*now.thread, reinterpret_cast<std::uintptr_t>(address), bytes, writes, pc, state);
}

/// The thread that calls a function of the device. The host's code has none.
thread_state& calling(std::uintptr_t pc) {
  if (now.thread == nullptr && running_program != nullptr) running_program->device_function_on_host(pc);
  return *now.thread;
}
engine& running_engine(std::uintptr_t pc) {
  calling(pc);
  return *now.by;
}

#define HEDDLE_ACCESS(BYTES)                                                   \
  [[maybe_unused]] void entry__tsan_read##BYTES(void* p) {                     \
    accessed(p, BYTES, 0, HEDDLE_PC, HEDDLE_FRAME);                            \
  }                                                                            \
  [[maybe_unused]] void entry__tsan_write##BYTES(void* p) {                    \
    accessed(p, BYTES, record::write, HEDDLE_PC, HEDDLE_FRAME);                \
  }                                                                            \
  [[maybe_unused]] void entry__tsan_unaligned_read##BYTES(void* p) {           \
    accessed(p, BYTES, 0, HEDDLE_PC, HEDDLE_FRAME);                            \
  }                                                                            \
  [[maybe_unused]] void entry__tsan_unaligned_write##BYTES(void* p) {          \
    accessed(p, BYTES, record::write, HEDDLE_PC, HEDDLE_FRAME);                \
  }                                                                            \
  [[maybe_unused]] void entry__tsan_read##BYTES##_pc(void* p, void*) {         \
    accessed(p, BYTES, 0, HEDDLE_PC, HEDDLE_FRAME);                            \
  }                                                                            \
  [[maybe_unused]] void entry__tsan_write##BYTES##_pc(void* p, void*) {        \
    accessed(p, BYTES, record::write, HEDDLE_PC, HEDDLE_FRAME);                \
  }                                                                            \
  [[maybe_unused]] void entry__tsan_volatile_write##BYTES(void* p) {           \
    accessed_volatile(p, BYTES, true, HEDDLE_PC, HEDDLE_FRAME, 0);             \
  }                                                                            \
  [[maybe_unused]] void entry__tsan_unaligned_volatile_write##BYTES(void* p) { \
    accessed_volatile(p, BYTES, true, HEDDLE_PC, HEDDLE_FRAME, 0);             \
  }
HEDDLE_ACCESS(1)
HEDDLE_ACCESS(2)
HEDDLE_ACCESS(4)
HEDDLE_ACCESS(8)
HEDDLE_ACCESS(16)
#undef HEDDLE_ACCESS

void entry__tsan_init() {}
void entry__tsan_func_entry(void*) {}
void entry__tsan_func_exit() {}
void entry__tsan_read_range(void* p, std::size_t bytes) {
  accessed(p, bytes, 0, HEDDLE_PC, HEDDLE_FRAME);
}
void entry__tsan_write_range(void* p, std::size_t bytes) {
  accessed(p, bytes, record::write, HEDDLE_PC, HEDDLE_FRAME);
}
void entry__sanitizer_cov_trace_pc() {
  if (now.thread == nullptr) return;
  now.thread->frame = HEDDLE_FRAME;
  now.by->note_code(*now.thread, HEDDLE_PC);
}
// Called in place of what other accesses call: clang's for both, g++'s for writes.
void entry__tsan_vptr_update(void** p, void*) {
  accessed(p, sizeof *p, record::write, HEDDLE_PC, HEDDLE_FRAME);
}
void entry__tsan_vptr_read(void** p) {
  accessed(p, sizeof *p, 0, HEDDLE_PC, HEDDLE_FRAME);
}

void copied(void* to, const void* from, std::size_t bytes, std::uintptr_t pc, std::uintptr_t frame) {
  if (now.thread == nullptr) {
    copied_by_host(to, from, bytes, pc);
  } else if (now.thread->is_watched) {
    now.thread->frame = frame;
    now.by->copy(*now.thread, to, from, bytes, pc);
  }
}
void* entry_memcpy(void* to, const void* from, std::size_t bytes) {
  copied(to, from, bytes, HEDDLE_PC, HEDDLE_FRAME);
  return std::memcpy(to, from, bytes);
}
void* entry_memmove(void* to, const void* from, std::size_t bytes) {
  copied(to, from, bytes, HEDDLE_PC, HEDDLE_FRAME);
  return std::memmove(to, from, bytes);
}
void* entry_memset(void* to, int value, std::size_t bytes) {
  if (now.thread == nullptr) {
    accessed_by_host(to, bytes, record::write, HEDDLE_PC);
  } else if (now.thread->is_watched) {
    now.thread->frame = HEDDLE_FRAME;
    now.by->set(*now.thread, to, value, bytes, HEDDLE_PC);
  }
  return std::memset(to, value, bytes);
}

// As the compiler describes what it checks: https://clang.llvm.org/docs/UndefinedBehaviorSanitizer.html and
// the headers of libubsan give the layout.
struct source_location {
  const char* file;
  std::uint32_t line, column;
};
struct type_descriptor {
  std::uint16_t kind, information;
  char name[1];
};
struct bounds_check {
  source_location at;
  const type_descriptor* array;
  const type_descriptor* index;
};
struct type_check {
  source_location at;
  const type_descriptor* type;
  unsigned char alignment_log2, kind;
};

std::string_view unquoted(const char* name) {
  std::string_view text = name;
  if (text.size() >= 2 && text.front() == '\'') text = text.substr(1, text.find('\'', 1) - 1);
  return text;
}

void entry__ubsan_handle_out_of_bounds(const bounds_check* what, std::uintptr_t index) {
  if (now.thread == nullptr) return;
  // The type of the index: its sign is the lowest bit of what is said of it, the logarithm of its width the
  // rest.
  const unsigned bits = 1u << (what->index->information >> 1);
  auto value = static_cast<std::int64_t>(index);
  if ((what->index->information & 1) != 0 && bits < 64)
    value = static_cast<std::int64_t>(index << (64 - bits)) >> (64 - bits);
  now.by->index_out_of_bounds(*now.thread, {what->at.file, what->at.line, what->at.column, HEDDLE_PC}, value,
                              unquoted(what->array->name));
}

void entry__ubsan_handle_type_mismatch_v1(const type_check* what, void* address) {
  if (now.thread == nullptr || address == nullptr) return;
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t alignment = std::size_t{1} << what->alignment_log2;
  if (a % alignment == 0) return;
  // Loads and stores; the others name a place, and use it or do not.
  const bool is_access = what->kind <= 1;
  now.by->misaligned(*now.thread, a, {what->at.file, what->at.line, what->at.column, HEDDLE_PC}, alignment,
                     unquoted(what->type->name), is_access);
}

index3 entry_heddle_thread_index() {
  return calling(HEDDLE_PC).at;
}
index3 entry_heddle_block_index() {
  return calling(HEDDLE_PC).block->at;
}
index3 entry_heddle_block_size() {
  calling(HEDDLE_PC);
  return now.by->options().block;
}
index3 entry_heddle_grid_size() {
  calling(HEDDLE_PC);
  return now.by->options().grid;
}

int entry_heddle_barrier(heddle_device::barrier_kind kind, int predicate, const char* file, int line) {
  return running_engine(HEDDLE_PC).barrier(*now.thread, kind, predicate, file, line);
}
void entry_heddle_barrier_of(unsigned number, unsigned count, const char* file, int line) {
  running_engine(HEDDLE_PC).barrier_of(*now.thread, number, count, file, line);
}
void entry_heddle_arrive_at(unsigned number, unsigned count, const char* file, int line) {
  running_engine(HEDDLE_PC).arrive_at(*now.thread, number, count, file, line);
}
void entry_heddle_begin_copy(void* to, const void* from, unsigned bytes, unsigned read) {
  engine& by = running_engine(HEDDLE_PC);
  now.thread->frame = HEDDLE_FRAME;
  by.begin_copy(*now.thread, {to, from, bytes, read, HEDDLE_PC});
}
void entry_heddle_commit_copies() {
  calling(HEDDLE_PC).copies.commit();
}
void entry_heddle_wait_copies(unsigned groups) {
  engine& by = running_engine(HEDDLE_PC);
  now.thread->frame = HEDDLE_FRAME;
  const bool is_all = groups == ~0u;
  by.finish_copies(*now.thread,
                   is_all ? now.thread->copies.take_all() : now.thread->copies.take_all_but(groups));
}
void entry_heddle_misuse(const char* what) {
  running_engine(HEDDLE_PC).misuse(*now.thread, what, HEDDLE_PC);
}
void entry_heddle_refuse(const char* what) {
  if (now.thread == nullptr && running_program != nullptr) running_program->refuse(what);
  running_engine(HEDDLE_PC).refuse(*now.thread, what);
}
void entry_heddle_grid_barrier(const char* file, int line) {
  running_engine(HEDDLE_PC).grid_barrier(*now.thread, file, line);
}
void entry_heddle_arrive_in_group(heddle_device::group_kind group, const char* file, int line) {
  running_engine(HEDDLE_PC).arrive_in_group(*now.thread, group, file, line);
}
void entry_heddle_wait_in_group(heddle_device::group_kind group, const char* file, int line) {
  running_engine(HEDDLE_PC).wait_in_group(*now.thread, group, file, line);
}
void entry_heddle_cluster_barrier(const char* file, int line) {
  running_engine(HEDDLE_PC).cluster_barrier(*now.thread, file, line);
}
index3 entry_heddle_cluster_size() {
  calling(HEDDLE_PC);
  return now.by->options().cluster;
}
void* entry_heddle_map_shared(const void* pointer, unsigned rank) {
  return running_engine(HEDDLE_PC).map_shared(*now.thread, pointer, rank, HEDDLE_PC);
}
unsigned entry_heddle_shared_rank(const void* pointer) {
  return engine::shared_rank(calling(HEDDLE_PC), pointer);
}
void entry_heddle_sync_warp(unsigned mask) {
  running_engine(HEDDLE_PC).warp(*now.thread, {warp_operation::sync, 0, false, mask, 0, 0, 32, HEDDLE_PC, 0});
}
unsigned long long entry_heddle_shuffle(heddle_device::shuffle_kind kind, unsigned mask,
                                        unsigned long long value, int argument, int width) {
  return running_engine(HEDDLE_PC).warp(
      *now.thread, {warp_operation::shuffle, static_cast<std::uint8_t>(kind), false, mask, value, argument,
                    width, HEDDLE_PC, 0});
}
unsigned long long entry_heddle_vote(heddle_device::vote_kind kind, unsigned mask, unsigned long long value,
                                     int is_signed) {
  return running_engine(HEDDLE_PC).warp(*now.thread, {warp_operation::vote, static_cast<std::uint8_t>(kind),
                                                      is_signed != 0, mask, value, 0, 32, HEDDLE_PC, 0});
}
unsigned entry_heddle_active_mask(int) {
  return running_engine(HEDDLE_PC).converge(*now.thread, HEDDLE_PC);
}
void entry_heddle_fence(heddle_device::scope scope) {
  if (now.thread == nullptr) return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  running_engine(HEDDLE_PC).fence(*now.thread, scope);
}
void* entry_heddle_shared(heddle_device::shared_variable* which) {
  return running_engine(HEDDLE_PC).shared(*which);
}
long long entry_heddle_clock(int) {
  return running_engine(HEDDLE_PC).ticks();
}
int entry_heddle_in_kernel() {
  return now.thread != nullptr ? 1 : 0;
}
void entry_heddle_function_of_host(const void* at) {
  const auto pc = reinterpret_cast<std::uintptr_t>(at);
  running_engine(pc).function_of_host(*now.thread, pc);
}
void entry_heddle_wide_shift(unsigned by, unsigned bits) {
  if (now.thread == nullptr || !now.thread->is_watched) return;
  now.thread->frame = HEDDLE_FRAME;
  now.by->wide_shift(*now.thread, by, bits, HEDDLE_PC);
}
void entry_heddle_texture(const heddle_device::texture_access* what) {
  thread_state& t = calling(HEDDLE_PC);
  t.frame = HEDDLE_FRAME;
  now.by->texture(t, *what, HEDDLE_PC);
}
void* entry_heddle_allocate(unsigned long long bytes, const void* at) {
  const auto pc = reinterpret_cast<std::uintptr_t>(at);
  return running_engine(pc).allocate(*now.thread, bytes, pc);
}
void entry_heddle_release(void* what, const void* at) {
  const auto pc = reinterpret_cast<std::uintptr_t>(at);
  running_engine(pc).release(*now.thread, what, pc);
}
void entry_heddle_trap() {
  running_engine(HEDDLE_PC).trap(*now.thread, HEDDLE_PC);
}
void entry___assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (now.thread == nullptr) __assert_fail(expression, file, line, function);
  running_engine(HEDDLE_PC).failed_assertion(*now.thread, expression, file, line);
}
long entry_clock() {
  if (now.thread == nullptr) return std::clock();
  return static_cast<long>(now.by->ticks());
}

int entry_printf(const char* format, ...) {
  char few[4096];
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const bool is_host = now.by == nullptr;
  const int count = is_host && running_program != nullptr
                        ? std::vprintf(format, arguments)
                        : std::vsnprintf(few, sizeof few, format, arguments);
  if (!is_host && count >= 0) {
    const auto length = static_cast<std::size_t>(count);
    std::string text(few, std::min(length, sizeof few - 1));
    if (length >= sizeof few) {
      text.resize(length);
      std::vsnprintf(text.data(), length + 1, format, again);
    }
    now.by->print(text);
  }
  va_end(again);
  va_end(arguments);
  return count;
}
int entry_puts(const char* text) {
  if (now.by != nullptr) now.by->print(std::string(text) + "\n");
  return now.by == nullptr && running_program != nullptr ? std::puts(text) : 1;
}
int entry_putchar(int c) {
  if (now.by != nullptr) now.by->print(std::string(1, static_cast<char>(c)));
  return now.by == nullptr && running_program != nullptr ? std::putchar(c) : c;
}

}  // namespace

std::span<void* const> module_functions() {
#define HEDDLE_FUNCTION(NAME) reinterpret_cast<void*>(&entry_##NAME),
#define HEDDLE_UNDERLINED(NAME) reinterpret_cast<void*>(&entry##NAME),
  static void* const functions[] = {HEDDLE_ACCESS_FUNCTIONS(HEDDLE_UNDERLINED) HEDDLE_DEVICE_FUNCTIONS(
      HEDDLE_FUNCTION) HEDDLE_COPY_FUNCTIONS(HEDDLE_FUNCTION)};
#undef HEDDLE_FUNCTION
#undef HEDDLE_UNDERLINED
  return functions;
}

}  // namespace heddle::checker
