#pragma once

#include <heddle/target.hpp>

#include <cstddef>
#include <utility>

namespace heddle {
namespace impl {

/// Bytes on a target, freed with their lifetime. On a GPU they come from a pool that outlives them, and both
/// allocating and freeing take their place in the order of the target's stream.
class memory {
 public:
  memory() noexcept = default;
  memory(std::size_t bytes, const target& where);
  memory(memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        where_(other.where_) {}
  memory& operator=(memory&& other) noexcept {
    memory taken(std::move(other));
    std::swap(data_, taken.data_);
    std::swap(bytes_, taken.bytes_);
    std::swap(where_, taken.where_);
    return *this;
  }
  ~memory();

  /// Frees it in the order of another stream, which all that uses it comes before.
  void free_on(const target& where) noexcept {
    where_ = where;
    *this = memory();
  }

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  const target& where() const noexcept { return where_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  target where_;
};

/// Copies bytes between targets. Returns once a copy to the CPU has arrived and once bytes on the CPU have
/// been read; a copy from one GPU array to another is put on the destination's stream.
void copy(void* to, const target& to_where, const void* from, const target& from_where, std::size_t bytes);

/// Work put on `later` from here on waits for what is on `earlier` now. Nothing to do on one stream or on the
/// CPU.
void order(const target& earlier, const target& later);
/// The same where nothing may be thrown; it waits for `earlier` when it cannot put them in order.
void order_or_wait(const target& earlier, const target& later) noexcept;

/// Memory of the calling thread that a GPU can write a value of so many bytes to and a CPU can read; null for
/// more than there is. The next call gives the same.
void* value_slot(const target& gpu, std::size_t bytes);

/// Fills `elements` elements of `element_bytes` bytes each with copies of *value.
void fill(void* data, const target& where, std::size_t elements, const void* value,
          std::size_t element_bytes);

}  // namespace impl

/// Gives the memory that the pool of a GPU keeps for later arrays back to the system, once what the GPU is
/// doing has finished. Nothing to do on the CPU.
void release_cached_memory(const target& where);

}  // namespace heddle
