#pragma once

#include <heddle/machine.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <vector>

/// The GPUs of the machine, their memory and their streams. A build without the CUDA toolkit has the same
/// functions, which find none.
namespace heddle::gpu {

/// 1000·major + 10·minor; 0 for none.
int toolkit_version() noexcept;
int device_count() noexcept;
std::vector<gpu_properties> devices();
std::size_t free_bytes(int device);
bandwidths::gpu measure(int device);

/// Throws when the machine has no such device, saying which there are.
void require_device(const target& where);

void* allocate(std::size_t bytes, const target& where);
void release(void* data, const target& where) noexcept;
void release_cached_memory(const target& where);

/// At least one side is on a GPU; the contract is heddle::copy's.
void copy(void* to, const target& to_where, const void* from, const target& from_where, std::size_t bytes);
void order(const target& earlier, const target& later);
void fill(void* data, const target& where, std::size_t elements, const void* value,
          std::size_t element_bytes);
void wait(const target& where);
void* value_slot(const target& where, std::size_t bytes);

}  // namespace heddle::gpu
