#pragma once

/// What the host's part of a program and what runs it agree on of devices, of what they reach of one another,
/// and of contexts. Functions return an error of CUDA's; 0 for none.

namespace heddle_device {

/// Where memory may be reached from: CUDA's cudaMemAccessDesc.
struct memory_access {
  int location_type, location, flags;
};

// cudaMemLocationTypeDevice, and cudaMemAccessFlagsProtReadWrite.
constexpr int location_of_device = 1, reads_and_writes = 3;

struct context_facts {
  int device;
  unsigned flags;
};

class device_runtime {
 public:
  virtual int count(int* devices) = 0;
  /// The device that the calling thread of the host has chosen, which is the first until it chooses.
  virtual int present(int* device) = 0;
  virtual int choose(int device) = 0;
  /// An error where there is no device of this number.
  virtual int check(int device) = 0;
  virtual int of_stream(void* stream, int* device) = 0;
  /// Whether kernels of a device can reach a peer's memory once they may.
  virtual int can_reach(int* can, int device, int peer) = 0;
  /// Kernels of the present device may reach the peer's memory from now on; or no longer.
  virtual int open_peer(int peer) = 0;
  virtual int close_peer(int peer) = 0;

  /// Contexts of a thread are a stack, whose highest says which device is present.
  virtual int make_context(void** made, unsigned flags, int device) = 0;
  virtual int end_context(void* context) = 0;
  /// Null where there is no such device.
  virtual void* primary_context(int device) = 0;
  virtual int push_context(void* context) = 0;
  virtual int pop_context(void** context) = 0;
  /// In the place of the highest; none where it is null.
  virtual int set_context(void* context) = 0;
  virtual void* present_context() = 0;
  virtual int describe_context(void* context, context_facts* facts) = 0;

 protected:
  ~device_runtime() = default;
};

}  // namespace heddle_device
