#pragma once

#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// Memory on targets, and how much this process may have.
namespace heddle {

/// Owns uninitialised bytes on a target, where an `array` owns elements. Throws heddle::error when there is
/// not enough memory, and for `auto`. GPU memory comes from a pool, and is allocated and freed in stream
/// order.
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

  /// Frees the bytes in the order of another stream, after the work that uses them.
  void free_on(const target& where) noexcept {
    where_ = where;
    *this = memory();
  }

  /// Null for no bytes.
  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  const target& where() const noexcept { return where_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  target where_;
};

/// Copies bytes between targets. A copy to the CPU returns when it has arrived, and one from the CPU when the
/// bytes have been read; a copy between GPU memory is asynchronous, on the destination's stream.
void copy(void* to, const target& to_where, const void* from, const target& from_where, std::size_t bytes);

/// Fills `elements` elements of `element_bytes` bytes each with copies of *value, which is on the CPU.
/// Asynchronous on a GPU.
void fill(void* data, const target& where, std::size_t elements, const void* value,
          std::size_t element_bytes);

/// Returns the memory that the pool of a GPU keeps for later arrays to the system, once the GPU has finished
/// its work. Does nothing on the CPU.
void release_cached_memory(const target& where);

/// A limit on the memory of this process.
struct memory_limit {
  enum class kind : std::uint8_t { machine, cgroup, addresses, data };
  kind set_by;
  std::size_t bytes;  ///< in all, of this process or of its cgroup
  std::size_t free;   ///< of these, what this process may still allocate

  /// "the cgroup of this process allows 4.0 GiB, of which 3.1 GiB are free".
  std::string text() const;
};

/// The tightest limit: the memory of the machine, the cgroup, RLIMIT_AS or RLIMIT_DATA, whichever leaves
/// least. cgroups do not count pages of arrays that have not been used yet: where `needed` bytes are more
/// than the rest, such pages are subtracted from what is free, which takes about 1 ms for a GiB of arrays.
memory_limit tightest_memory_limit(std::size_t needed);

/// Throws heddle::error, with `what` before out_of_memory_text, when this process may not allocate so many
/// bytes: the system would grant them, and kill the process when it uses them. Less than 16 MiB is not
/// checked.
void require_memory(std::size_t bytes, const std::string& what = "");

/// "out of memory (needs 93.1 GiB; the machine has 62.8 GiB)", or the limit of this process that is too low.
std::string out_of_memory_text(std::size_t bytes);

#if defined(__x86_64__)
namespace cpu {

/// Copies whole, aligned cache lines of 64 bytes with the widest non-temporal stores of this processor. Other
/// threads see them after `store_fence`. On x86-64 only.
void copy_lines_non_temporal(const void* from, void* to, std::size_t bytes);
/// Orders all earlier non-temporal stores before later stores.
void store_fence();

}  // namespace cpu
#endif

}  // namespace heddle
