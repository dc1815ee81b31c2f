#pragma once

/// The CUDA runtime, as the interface between the host's part of a program and the process that runs it. Both
/// read this file, so it includes only the interface of kernels. Numbers of errors, of kinds of copies and of
/// attributes are CUDA's.

#include "abi.hpp"

namespace heddle_device {

/// Those of CUDA's errors that what runs a program names.
namespace cuda_error {
constexpr int invalid_value = 1, memory_allocation = 2, invalid_configuration = 9, invalid_pitch = 12,
              invalid_symbol = 13, invalid_device_function = 98, invalid_device = 101, invalid_context = 201,
              invalid_resource_handle = 400, illegal_state = 401, not_ready = 600, illegal_address = 700,
              launch_out_of_resources = 701, launch_timeout = 702, peer_access_already_enabled = 704,
              peer_access_not_enabled = 705, assertion = 710, host_memory_already_registered = 712,
              host_memory_not_registered = 713, misaligned_address = 716, launch_failure = 719,
              cooperative_launch_too_large = 720, capture_unsupported = 900, capture_invalidated = 901,
              capture_merge = 902, capture_unmatched = 903, capture_unjoined = 904, capture_isolation = 905,
              capture_implicit = 906, captured_event = 907, capture_wrong_thread = 908,
              graph_update_failure = 910, invalid_cluster_size = 912;
}

/// Where memory is, and who made it.
enum class memory_kind : u8 { device, managed, pinned, registered };

/// What memory is called that a replacement of a library has for a while.
constexpr const char memory_of_libraries[] = "a library's memory";

/// What an allocation is called in reports, and what it consists of where that is known.
struct allocation_name {
  const char* name;  ///< the variable that gets it; null for none
  element_type element;
};

/// `depth` slices of `height` rows of `width` bytes each; the pitches are from row to row, and from slice to
/// slice.
struct copy_request {
  const char* function;  ///< as the program calls it
  void* to;
  const void* from;
  u64 width, height, depth;
  u64 to_pitch, to_slice, from_pitch, from_slice;
  int direction;  ///< cudaMemcpyKind
  void* stream;
  bool is_async;
  bool names_devices;  ///< where both sides are, as the program has it
  int to_device, from_device;
};

struct fill_request {
  const char* function;
  void* to;
  int value;
  u64 width, height, depth, pitch, slice;
  void* stream;
  bool is_async;
  u32 value_bytes;  ///< 1, 2 or 4 of `value` are repeated; 0 for 1
};

/// A kernel that can be launched by its address.
struct known_kernel {
  const void* address;
  void (*call)(const void* function, void* const* arguments);
  const parameter* parameters;
  u32 parameter_count;
  u64 bounds;  ///< what kernel_bounds has, in a word
};

/// What a launch is given beside its sizes.
struct launch_attributes {
  bool is_cooperative;
  bool has_cluster;
  index3 cluster;  ///< blocks of one along each axis
};

struct launch_request {
  const char* name;        ///< as the program writes it; null where only the address is known
  const void* function;    ///< what `call` is given: the kernel's address, or something of the launch's own
  bool is_address;         ///< the former
  known_kernel kernel;     ///< its `call` is null where it is to be found by its address
  void* const* arguments;  ///< a pointer to each
  index3 grid, block;
  u64 shared_bytes;
  void* stream;
  launch_attributes attributes;
  u64 function_bytes;  ///< of what `function` points to where that is of the launch's own
};

struct pointer_facts {
  memory_kind kind;
  bool is_known;
  void *device, *host;
  int number;  ///< of the device that was present when it was made
};

struct kernel_facts {
  u64 most_threads, shared_limit;
  index3 cluster;  ///< by __cluster_dims__; zeros for none
  bool has_large_clusters;
};

}  // namespace heddle_device

#include "requests/device.hpp"
#include "requests/graph.hpp"
#include "requests/library.hpp"
#include "requests/mapping.hpp"
#include "requests/module.hpp"
#include "requests/pool.hpp"

namespace heddle_device {

/// Functions return an error of CUDA's, which is the last one then; 0 for none.
class runtime {
 public:
  virtual int allocate(memory_kind kind, void** where, u64 bytes, allocation_name name) = 0;
  virtual int release(const char* function, memory_kind kind, void* what) = 0;
  /// The host compares and swaps there, which finds out what its reads before have missed.
  virtual void exchange_by_host(const volatile void* where) noexcept = 0;
  /// Whether what the C or the C++ library is to free is not its own: that is told, and it must not.
  virtual bool is_not_the_hosts(const char* function, void* what, const void* at) = 0;
  /// Memory of the host's that is watched, from the code at `at`; null where it is the C library's to give.
  virtual void* allocate_host(u64 bytes, bool is_written, const void* at) = 0;
  virtual bool is_watched_host(const void* what) = 0;
  virtual void* reallocate_host(void* what, u64 bytes, const void* at) = 0;
  virtual int register_host(void* what, u64 bytes, allocation_name name) = 0;
  virtual int unregister_host(void* what) = 0;
  virtual int copy(const copy_request& what) = 0;
  /// Tells of a copy of rows, columns or slices that the array with this memory does not have.
  virtual int refuse_copy(const char* function, const void* memory) = 0;
  virtual int fill(const fill_request& what) = 0;
  virtual int describe(const void* pointer, pointer_facts* facts) = 0;
  /// Of the present device.
  virtual void memory_left(u64* free, u64* total) = 0;
  /// How many bytes its kernels may allocate.
  virtual int limit_heap(u64 bytes) = 0;
  virtual int describe_heap(u64* bytes) = 0;
  virtual int find_variable(const void* variable, void** where, u64* bytes) = 0;
  /// The host's address for a device variable's address in code; other addresses are returned
  /// unchanged.
  virtual void* host_address(void* variable) = 0;

  virtual void know_variable(const variable& v) = 0;

  virtual int launch(const launch_request& what) = 0;
  virtual void know(const known_kernel& kernel) = 0;
  virtual int describe_kernel(const void* address, kernel_facts* facts) = 0;
  virtual int limit_shared(const void* address, u64 bytes) = 0;
  /// Whether clusters may have more blocks than every device with clusters has.
  virtual int allow_large_clusters(const void* address, bool are_allowed) = 0;
  virtual int call_host(void* stream, void (*function)(void*), void* data) = 0;

  virtual int make_stream(void** stream, bool is_blocking) = 0;
  virtual int end_stream(void* stream) = 0;
  virtual int wait_for_stream(void* stream) = 0;
  /// The same where that is at once, and cuda_error::not_ready where a launch still waits for something.
  virtual int ask_stream(void* stream) = 0;
  /// External: as a node of its own of a graph that is captured.
  virtual int make_stream_wait(void* stream, void* event, bool is_external) = 0;
  virtual int make_event(void** event, bool is_timed) = 0;
  virtual int end_event(void* event) = 0;
  virtual int record(void* event, void* stream, bool is_external) = 0;
  virtual int wait_for_event(void* event) = 0;
  virtual int ask_event(void* event) = 0;
  virtual int elapsed(float* milliseconds, void* from, void* to) = 0;
  /// The present one.
  virtual int wait_for_device() = 0;
  virtual int reset_device() = 0;
  virtual device_runtime& devices() = 0;
  virtual graph_runtime& graphs() = 0;
  virtual pool_runtime& pools() = 0;
  virtual mapping_runtime& mappings() = 0;
  virtual module_runtime& modules() = 0;
  virtual library_runtime& libraries() = 0;

  /// The last error, which is forgotten then unless it is one that stays.
  virtual int last_error(bool forgets) = 0;
  /// Makes it the last error, and returns it.
  virtual int fail(int error) = 0;

 protected:
  ~runtime() = default;
};

/// A device that a program finds; all of them are alike. Its numbers are those of an H100 where a block meets
/// them, and small where programs take as many blocks as it has multiprocessors.
struct device_facts {
  static constexpr int multiprocessors = 8, threads_a_multiprocessor = 2048, blocks_a_multiprocessor = 32;
  static constexpr u64 shared_a_block = 48 * 1024, most_shared_a_block = 227 * 1024,
                       shared_a_multiprocessor = 228 * 1024, reserved_shared_a_block = 1024;
  static constexpr u64 memory = u64{16} << 30;
  static constexpr int blocks_a_cluster = 8, most_blocks_a_cluster = 16;
};

/// How many blocks of a kernel a multiprocessor has at once.
constexpr int resident_blocks(u64 threads, u64 shared_bytes) {
  if (threads == 0 || threads > 1024) return 0;
  const u64 by_threads = device_facts::threads_a_multiprocessor / ((threads + 31) / 32 * 32);
  const u64 by_shared =
      device_facts::shared_a_multiprocessor / (shared_bytes + device_facts::reserved_shared_a_block);
  u64 result = device_facts::blocks_a_multiprocessor;
  if (by_threads < result) result = by_threads;
  if (by_shared < result) result = by_shared;
  return static_cast<int>(result);
}

}  // namespace heddle_device
