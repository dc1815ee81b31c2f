#pragma once

/// The interface between a compiled kernel and the process that runs it. Both read this file, so it includes
/// nothing.

namespace heddle_device {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

/// What a bare number is: the element of an array, a parameter, an operand of an atomic.
enum class scalar : u8 { other, boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };

/// What an array, a variable or an allocation consists of.
struct element_type {
  scalar type;          ///< the number that it is or consists of: float4 of f32
  u32 size;             ///< bytes; 0 where it is not known
  const char* spelled;  ///< by the compiler, behind "T = "; null where it is not known
  const u32* lengths;   ///< of an array along all axes but the first, ends with 0; null for one axis
};

enum class parameter_kind : u8 { value, pointer, reference };

/// A parameter of a kernel. `element` and `components` describe the value, or what the pointer points to, or
/// what the reference is to:
/// float4 is four f32.
struct parameter {
  parameter_kind kind;
  u8 components;
  bool is_const;
  u32 size;  ///< bytes of the value, or of what the pointer points to; 0 for void
  element_type element;
};

struct index3 {
  u32 x, y, z;
};

/// What a kernel's declaration says of its launches. In a word each part has bits of its own, and 0 says
/// nothing.
struct kernel_bounds {
  u64 most_threads;  ///< of a block, by __launch_bounds__; 0 when it is not there
  index3 cluster;    ///< blocks of one along each axis, by __cluster_dims__; zeros when it is not there

  constexpr u64 packed() const {
    return most_threads | u64{cluster.x} << 32 | u64{cluster.y} << 40 | u64{cluster.z} << 48;
  }
  static constexpr kernel_bounds of(u64 word) {
    return {static_cast<u32>(word),
            {static_cast<u32>(word >> 32) & 255, static_cast<u32>(word >> 40) & 255,
             static_cast<u32>(word >> 48) & 255}};
  }
};
/// Of what is written in __launch_bounds__ and __cluster_dims__.
constexpr u64 bounds_word(u64 most_threads) {
  return kernel_bounds{most_threads, {}}.packed();
}
constexpr u64 bounds_word(u64 most_threads, u64 x, u64 y = 1, u64 z = 1) {
  const auto length = [](u64 n) { return static_cast<u32>(n < 255 ? n : 255); };
  return kernel_bounds{most_threads, {length(x), length(y), length(z)}}.packed();
}

/// A kernel that can be called with a pointer to each of its arguments.
struct kernel {
  void (*call)(void* const* arguments);
  const parameter* parameters;
  u32 parameter_count;
  /// All threads of a block, one after another; null in a module that is watched.
  void (*run_block)(void* const* arguments);
  u64 bounds;  ///< what kernel_bounds has, in a word
};

struct kernel_entry {
  const char* name;
  const heddle_device::kernel* kernel;
  const void* function;  ///< its address
};

/// A variable that lives as long as the module: __device__, __constant__ or __managed__. The linker puts the
/// descriptions of all of them in a row, which a compiler that aligns them more than asked would have gaps
/// in.
struct alignas(64) variable {
  const char* name;
  void* address;
  u64 size;
  element_type element;
  bool is_constant;   ///< the kernel cannot write to it: __constant__, or const
  bool is_read_only;  ///< nobody can: const
  bool is_managed;    ///< the host can, too
};

/// A member of a structure of the source, `type` spelled as element_type has it. They lie in a row, too.
struct alignas(64) member {
  const char* type;
  const char* name;
  u64 offset, size;
};

/// A shared variable. The runtime gives it a place when a block first comes by.
struct shared_variable {
  static constexpr u64 dynamic = ~u64{0};
  const char* name;
  u64 size;  ///< `dynamic` for one that is as large as the launch says
  u32 alignment;
  element_type element;
};

/// Where a thread is in its grid.
struct position {
  index3 thread, block, block_size, grid_size;
};

/// Barriers of a block that have a number: 0 to 15 (PTX ISA, bar).
constexpr u32 numbered_barriers = 16;

enum class barrier_kind : u32 { plain, count, all, any };

/// What barriers with halves, barrier_arrive and barrier_wait, are for (cooperative groups).
enum class group_kind : u8 { block, cluster, grid };
constexpr u32 group_kinds = 3;

/// Of several barriers on one line the second and those that follow have their number above the line's.
constexpr int barriers_on_a_line = 1 << 24;
/// Of a kernel's own that no `return` stands before: a thread that has ended went around it.
constexpr int no_return_before = 1 << 23;
constexpr int line_of(int line) {
  return line % no_return_before;
}

enum class atomic_operation : u8 {
  load,
  store,
  exchange,
  compare_exchange,
  add,
  subtract,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,
  increment,
  decrement
};
enum class scope : u8 { thread, block, device, system };
enum class order : u8 { relaxed, acquire, release, acquire_release };

struct atomic_request {
  atomic_operation operation;
  scalar type;
  heddle_device::scope scope;
  heddle_device::order order;
  /// 2 for __half2.
  u8 components;
  /// 1 for the functions of CUDA's first days, atomicAdd and its like, whose result is taken for an acquire.
  u8 is_classic;
};

enum class shuffle_kind : u8 { indexed, up, down, exclusive_or };
enum class vote_kind : u8 {
  all,
  any,
  uniform,
  ballot,
  match_any,
  match_all,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor
};

/// Why a texture or a surface cannot be read or written to as asked.
enum class texture_problem : u8 {
  none,
  no_object,   ///< the number is of none, or of one that was destroyed
  wrong_kind,  ///< the function is not for what the object has
  wrong_type,  ///< nor for its elements
  outside,     ///< a fetch, which gives 0 then
  trap,        ///< of a surface: the launch stops
  misaligned   ///< of a surface, too
};

/// What a function of textures or surfaces does.
struct texture_access {
  static constexpr u32 most = 16;  ///< two levels of 2 x 2 x 2 elements
  const char* function;
  const char* detail;  ///< of a problem: what the object is
  long long at[3];     ///< of one outside: where, and beyond what
  long long extent[3];
  u32 axes;
  texture_problem problem;
  bool writes, is_surface;
  u32 count, bytes;           ///< how many elements, of how many bytes
  const char* address[most];  ///< null for those of the border
};

}  // namespace heddle_device

// clang-format off
// The functions that a module calls, in the order of its slots. Those of the first list are the compiler's
// instrumentation of memory accesses, and do nothing until the module is bound.
#define HEDDLE_ACCESS_FUNCTIONS(X)                                                                          \
  X(__tsan_init)                                                                                            \
  X(__tsan_func_entry)                                                                                      \
  X(__tsan_func_exit)                                                                                       \
  X(__tsan_read1)                                                                                           \
  X(__tsan_read2)                                                                                           \
  X(__tsan_read4)                                                                                           \
  X(__tsan_read8) X(__tsan_read16) X(__tsan_write1) X(__tsan_write2) X(__tsan_write4) X(__tsan_write8)      \
      X(__tsan_write16) X(__tsan_unaligned_read2) X(__tsan_unaligned_read4) X(__tsan_unaligned_read8)       \
          X(__tsan_unaligned_read16) X(__tsan_unaligned_write2) X(__tsan_unaligned_write4)                  \
              X(__tsan_unaligned_write8) X(__tsan_unaligned_write16) X(__tsan_read1_pc) X(__tsan_read2_pc)  \
                  X(__tsan_read4_pc) X(__tsan_read8_pc) X(__tsan_read16_pc) X(__tsan_write1_pc)             \
                      X(__tsan_write2_pc) X(__tsan_write4_pc) X(__tsan_write8_pc) X(__tsan_write16_pc)      \
                          X(__tsan_volatile_read1) X(__tsan_volatile_read2) X(__tsan_volatile_read4) X(     \
                              __tsan_volatile_read8) X(__tsan_volatile_read16) X(__tsan_volatile_write1)    \
                              X(__tsan_volatile_write2) X(__tsan_volatile_write4) X(__tsan_volatile_write8) \
                                  X(__tsan_volatile_write16) X(__tsan_unaligned_volatile_read2)             \
                                      X(__tsan_unaligned_volatile_read4) X(__tsan_unaligned_volatile_read8) \
                                          X(__tsan_unaligned_volatile_read16)                               \
                                              X(__tsan_unaligned_volatile_write2)                           \
                                                  X(__tsan_unaligned_volatile_write4)                       \
                                                      X(__tsan_unaligned_volatile_write8)                   \
                                                          X(__tsan_unaligned_volatile_write16)              \
                                                              X(__tsan_read_range) X(__tsan_write_range)    \
                                                                  X(__tsan_vptr_update) X(__tsan_vptr_read) \
                                                                      X(__sanitizer_cov_trace_pc)           \
                                                                      X(__ubsan_handle_out_of_bounds)       \
                                                                          X(__ubsan_handle_type_mismatch_v1)

#define HEDDLE_DEVICE_FUNCTIONS(X)                                                                           \
  X(heddle_thread_index)                                                                                     \
  X(heddle_block_index)                                                                                      \
  X(heddle_block_size)                                                                                       \
  X(heddle_grid_size) X(heddle_barrier) X(heddle_barrier_of) X(heddle_grid_barrier) X(heddle_arrive_in_group) X(heddle_wait_in_group) X(heddle_cluster_barrier) X(heddle_cluster_size) X(heddle_map_shared) X(heddle_shared_rank) X(heddle_sync_warp) X(heddle_shuffle)         \
      X(heddle_vote) X(heddle_active_mask) X(heddle_fence) X(heddle_atomic) X(heddle_shared) X(heddle_clock) \
          X(heddle_sleep) X(heddle_trap) X(heddle_wide_shift) X(heddle_arrive_at) X(heddle_begin_copy) X(heddle_commit_copies) X(heddle_wait_copies) X(heddle_misuse) X(heddle_refuse) X(heddle_texture) X(heddle_allocate) X(heddle_release) X(heddle_in_kernel) X(heddle_function_of_host) X(__assert_fail) X(clock) X(printf) X(puts) X(putchar)

// And those that a module calls which is not watched.
#define HEDDLE_UNWATCHED_FUNCTIONS(X)                                                                  \
  X(heddle_barrier)                                                                                    \
  X(heddle_barrier_of) X(heddle_grid_barrier) X(heddle_sync_warp) X(heddle_shuffle) X(heddle_vote) X(heddle_active_mask)    \
      X(heddle_arrive_at) X(heddle_misuse) X(heddle_refuse) X(heddle_shared) X(heddle_clock) X(heddle_sleep) X(heddle_trap) X(__assert_fail)

// Until the module is bound these do what their names say.
#define HEDDLE_COPY_FUNCTIONS(X) X(memcpy) X(memmove) X(memset)
// clang-format on
