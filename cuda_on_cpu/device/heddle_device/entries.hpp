#pragma once

#include "abi.hpp"

#define HEDDLE_DEVICE inline __attribute__((always_inline))

/// Where a kernel leaves its module: each function that what runs it provides is a jump through
/// a slot that it fills. The names are hidden, so that they are found here whatever else the process has
/// loaded, and weak, so that the files of a program share one set of them. A module that is not watched knows
/// by itself where its threads are, and what atomics and fences do.

#ifdef HEDDLE_WATCHED
extern "C" {
heddle_device::index3 heddle_thread_index() __attribute__((const));
heddle_device::index3 heddle_block_index() __attribute__((const));
heddle_device::index3 heddle_block_size() __attribute__((const));
heddle_device::index3 heddle_grid_size() __attribute__((const));
int heddle_in_kernel();
/// A thread calls a function by the address that the host has of it; `at` is where that returns to.
void heddle_function_of_host(const void* at);
void heddle_fence(heddle_device::scope scope);
void heddle_begin_copy(void* to, const void* from, unsigned bytes, unsigned read);
void heddle_commit_copies();
void heddle_arrive_in_group(heddle_device::group_kind group, const char* file, int line);
void heddle_wait_in_group(heddle_device::group_kind group, const char* file, int line);
void heddle_cluster_barrier(const char* file, int line);
/// In blocks.
heddle_device::index3 heddle_cluster_size() __attribute__((const));
/// The same place in the shared memory of another block of the cluster.
void* heddle_map_shared(const void* pointer, unsigned rank);
/// Of the block of the cluster whose shared memory it is in; ~0u for none.
unsigned heddle_shared_rank(const void* pointer);
void heddle_wait_copies(unsigned groups);
void heddle_wide_shift(unsigned by, unsigned bits);
void heddle_texture(const heddle_device::texture_access* what);
void* heddle_allocate(unsigned long long bytes, const void* at);
void heddle_release(void* what, const void* at);
unsigned long long heddle_atomic(const volatile void* address, unsigned long long operand,
                                 unsigned long long expected, heddle_device::atomic_request request);
}
#else
// Nobody has its address, so that stores through pointers are known to leave it as it is.
static thread_local heddle_device::position heddle_position;
static thread_local unsigned heddle_atomics_so_far;

HEDDLE_DEVICE heddle_device::index3 heddle_thread_index() {
  return heddle_position.thread;
}
HEDDLE_DEVICE heddle_device::index3 heddle_block_index() {
  return heddle_position.block;
}
HEDDLE_DEVICE heddle_device::index3 heddle_block_size() {
  return heddle_position.block_size;
}
HEDDLE_DEVICE heddle_device::index3 heddle_grid_size() {
  return heddle_position.grid_size;
}
// Where volatile variables are instrumented, atomics are not: the instrumentation would call for functions.
#define HEDDLE_ATOMICS inline __attribute__((noinline, no_sanitize("thread")))

HEDDLE_DEVICE void heddle_wide_shift(unsigned, unsigned) {}
HEDDLE_DEVICE void heddle_texture(const heddle_device::texture_access*) {}
HEDDLE_ATOMICS void heddle_fence(heddle_device::scope) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
HEDDLE_DEVICE unsigned long long heddle_atomic(const volatile void* address, unsigned long long operand,
                                               unsigned long long expected,
                                               heddle_device::atomic_request request);

extern "C" {
/// Where the calling thread of the machine goes on in the grid: another block, another thread of it.
__attribute__((visibility("default"), used)) inline void heddle_module_enter(
    const heddle_device::position* where) {
  heddle_position = *where;
}
__attribute__((visibility("default"), used)) inline void heddle_module_enter_thread(unsigned x, unsigned y,
                                                                                    unsigned z) {
  heddle_position.thread = {x, y, z};
}
}
#endif

extern "C" {
int heddle_barrier(heddle_device::barrier_kind kind, int predicate, const char* file, int line);
void heddle_barrier_of(unsigned number, unsigned count, const char* file, int line);
void heddle_arrive_at(unsigned number, unsigned count, const char* file, int line);
void heddle_grid_barrier(const char* file, int line);
void heddle_sync_warp(unsigned mask);
unsigned long long heddle_shuffle(heddle_device::shuffle_kind kind, unsigned mask, unsigned long long value,
                                  int argument, int width);
unsigned long long heddle_vote(heddle_device::vote_kind kind, unsigned mask, unsigned long long value,
                               int is_signed);
unsigned heddle_active_mask(int converges);
void* heddle_shared(heddle_device::shared_variable* which);
long long heddle_clock(int nanoseconds);
void heddle_sleep(unsigned nanoseconds);
void heddle_trap() __attribute__((noreturn));
void heddle_misuse(const char* what);
/// A thread comes to what is not supported: the launch cannot be run.
void heddle_refuse(const char* what) __attribute__((noreturn));
}

#if defined(__x86_64__)
#define HEDDLE_JUMP(name)                                                                                \
  ".weak " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n jmp *heddle_slot_" #name \
  "(%rip)\n"
#define HEDDLE_NOTHING "heddle_nothing:\n xor %eax, %eax\n ret\n"
#define HEDDLE_COPY "mov %rdi, %rax\n mov %rdx, %rcx\n rep movsb\n ret\n"
#define HEDDLE_SET "mov %rdi, %r8\n mov %esi, %eax\n mov %rdx, %rcx\n rep stosb\n mov %r8, %rax\n ret\n"
#define HEDDLE_MOVE                                                                            \
  "mov %rdi, %rax\n mov %rdx, %rcx\n cmp %rsi, %rdi\n jbe 1f\n lea -1(%rdi,%rdx), %rdi\n lea " \
  "-1(%rsi,%rdx), %rsi\n std\n rep movsb\n cld\n ret\n1: rep movsb\n ret\n"
#elif defined(__aarch64__)
#define HEDDLE_JUMP(name)                                                   \
  ".globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name \
  ":\n adrp x16, heddle_slot_" #name "\n ldr x16, [x16, :lo12:heddle_slot_" #name "]\n br x16\n"
#define HEDDLE_NOTHING "heddle_nothing:\n mov x0, #0\n ret\n"
#define HEDDLE_COPY \
  "mov x3, x0\n1: cbz x2, 2f\n ldrb w4, [x1], #1\n strb w4, [x3], #1\n sub x2, x2, #1\n b 1b\n2: ret\n"
#define HEDDLE_SET "mov x3, x0\n1: cbz x2, 2f\n strb w1, [x3], #1\n sub x2, x2, #1\n b 1b\n2: ret\n"
#define HEDDLE_MOVE                                                                                         \
  "mov x3, x0\n cmp x0, x1\n b.hi 3f\n1: cbz x2, 2f\n ldrb w4, [x1], #1\n strb w4, [x3], #1\n sub x2, x2, " \
  "#1\n b 1b\n2: ret\n3: cbz x2, 2b\n sub x2, x2, #1\n ldrb w4, [x1, x2]\n strb w4, [x3, x2]\n b 3b\n"
#else
#error "heddle: kernels run on x86-64 and AArch64"
#endif
#define HEDDLE_SLOT(name) "heddle_slot_" #name ":\n .8byte heddle_nothing\n"
#define HEDDLE_COPY_SLOT(name) "heddle_slot_" #name ":\n .8byte heddle_plain_" #name "\n"

#ifdef HEDDLE_WATCHED
asm(".pushsection .text.heddle, \"ax\", %progbits\n" HEDDLE_NOTHING HEDDLE_ACCESS_FUNCTIONS(HEDDLE_JUMP)
        HEDDLE_DEVICE_FUNCTIONS(HEDDLE_JUMP)
    // Copies that the compiler makes of structures are accesses too.
    HEDDLE_COPY_FUNCTIONS(
        HEDDLE_JUMP) "heddle_plain_memcpy:\n" HEDDLE_COPY "heddle_plain_memmove:\n" HEDDLE_MOVE
                     "heddle_plain_memset:\n" HEDDLE_SET
                     ".popsection\n"
                     ".pushsection .data.heddle, \"aw\", %progbits\n.balign 8\n.weak "
                     "heddle_module_slots\nheddle_module_slots:\n" HEDDLE_ACCESS_FUNCTIONS(HEDDLE_SLOT)
                         HEDDLE_DEVICE_FUNCTIONS(HEDDLE_SLOT)
                             HEDDLE_COPY_FUNCTIONS(HEDDLE_COPY_SLOT) ".popsection\n");
#else
asm(".pushsection .text.heddle, \"ax\", %progbits\n" HEDDLE_NOTHING HEDDLE_ACCESS_FUNCTIONS(HEDDLE_JUMP)
        HEDDLE_UNWATCHED_FUNCTIONS(
            HEDDLE_JUMP) ".popsection\n"
                         ".pushsection .data.heddle, \"aw\", %progbits\n.balign 8\n.weak "
                         "heddle_module_slots\nheddle_module_slots:\n" HEDDLE_ACCESS_FUNCTIONS(HEDDLE_SLOT)
                             HEDDLE_UNWATCHED_FUNCTIONS(HEDDLE_SLOT) ".popsection\n");
#endif
