#pragma once

/// What the host's part of a program and what runs it agree on of addresses that are reserved, and of memory
/// that is mapped to them. Functions return an error of CUDA's; 0 for none.

namespace heddle_device {

class mapping_runtime {
 public:
  /// What sizes and addresses are multiples of.
  static constexpr u64 granularity = u64{2} << 20;

  /// Memory of a device, by a handle; it is there while it is mapped or has a handle.
  virtual int create(u64* handle, u64 bytes, int device) = 0;
  virtual int release(u64 handle) = 0;
  /// A further handle of what is mapped there, which is of the same number.
  virtual int retain(u64* handle, const void* where) = 0;
  virtual int describe(u64 handle, int* device) = 0;
  virtual int reserve(void** where, u64 bytes, u64 alignment, allocation_name name) = 0;
  virtual int free_addresses(void* where, u64 bytes) = 0;
  virtual int map(void* where, u64 bytes, u64 handle) = 0;
  virtual int unmap(void* where, u64 bytes) = 0;
  /// Which devices reach what is mapped there: none at first.
  virtual int set_access(void* where, u64 bytes, const memory_access* what, u64 count) = 0;
  virtual int access(const void* where, memory_access* what) = 0;

 protected:
  ~mapping_runtime() = default;
};

}  // namespace heddle_device
