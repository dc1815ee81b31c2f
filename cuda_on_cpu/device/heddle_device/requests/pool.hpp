#pragma once

/// What the host's part of a program and what runs it agree on of memory that is allocated and freed in the
/// order of a stream. Functions return an error of CUDA's; 0 for none.

namespace heddle_device {

struct pool_request {
  memory_kind kind;
  u64 most_bytes;  ///< 0 for as many as there are
  int device;      ///< ignored of memory that the host reaches, too
};

class pool_runtime {
 public:
  /// In a pool, or where that is null in the one that the stream's device has at present.
  virtual int allocate(void* pool, void** where, u64 bytes, allocation_name name, void* stream) = 0;
  virtual int release(void* what, void* stream) = 0;
  virtual int make_pool(void** made, const pool_request& what) = 0;
  virtual int end_pool(void* pool) = 0;
  /// The pool that a device begins with, or the one that it has at present; null where there is no such
  /// device.
  virtual void* pool(int device, bool is_default) = 0;
  /// The one that graphs allocate in.
  virtual void* pool_of_graphs(int device) = 0;
  virtual int choose_pool(int device, void* pool) = 0;
  /// From which devices beside its own its memory may be reached.
  virtual int set_access(void* pool, const memory_access* what, u64 count) = 0;
  virtual int access(void* pool, memory_access* what) = 0;
  /// Attributes by their numbers (cudaMemPoolAttr).
  virtual int set_attribute(void* pool, int attribute, u64 value) = 0;
  virtual int attribute(void* pool, int attribute, u64* value) = 0;
  virtual int trim(void* pool, u64 bytes) = 0;

 protected:
  ~pool_runtime() = default;
};

}  // namespace heddle_device
