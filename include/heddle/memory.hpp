#pragma once

#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// Bytes on targets, and how many this process may have.
namespace heddle {

/// Bytes on a target that are not initialised, freed with their lifetime. An `array` has elements; this is
/// for bytes of no type. Throws heddle::error where the target has no room, and on `auto`. On a GPU they come
/// from a pool that outlives them, and both allocating and freeing take their place in the order of the
/// target's stream.
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

/// Copies bytes between targets. Returns once a copy to the CPU has arrived and once bytes on the CPU have
/// been read; a copy from one GPU array to another is put on the destination's stream.
void copy(void* to, const target& to_where, const void* from, const target& from_where, std::size_t bytes);

/// Fills `elements` elements of `element_bytes` bytes each with copies of *value, which is on the CPU.
/// Asynchronous on a GPU.
void fill(void* data, const target& where, std::size_t elements, const void* value,
          std::size_t element_bytes);

/// Gives the memory that the pool of a GPU keeps for later arrays back to the system, once what the GPU is
/// doing has finished. Nothing to do on the CPU.
void release_cached_memory(const target& where);

/// How much memory something lets this process have.
struct memory_limit {
  enum class kind : std::uint8_t { machine, cgroup, addresses, data };
  kind set_by;
  std::size_t bytes;  ///< in all, of this process or of its cgroup
  std::size_t free;   ///< of these, what this process may still take

  /// "the cgroup of this process allows 4.0 GiB, of which 3.1 GiB are free".
  std::string text() const;
};

/// The memory of the machine or a limit of this process (a cgroup, RLIMIT_AS, RLIMIT_DATA), whichever leaves
/// least. Where `needed` bytes beside all arrays are more than that, pages of arrays that were not used yet,
/// which cgroups do not count, are taken from what is free: about 1 ms for a GiB of arrays.
memory_limit tightest_memory_limit(std::size_t needed);

/// Throws heddle::error where this process may not take so many bytes, with out_of_memory_text after `what`:
/// the system would hand them out, and end the process when they are used. Less than 16 MiB pass unchecked.
void require_memory(std::size_t bytes, const std::string& what = "");

/// "out of memory (needs 93.1 GiB; the machine has 62.8 GiB)", or by which limit of this process.
std::string out_of_memory_text(std::size_t bytes);

#if defined(__x86_64__)
namespace cpu {

/// Copies whole cache lines of 64 bytes, which are aligned so, with the widest non-temporal stores that this
/// processor has. Other threads see them after `store_fence`. On x86-64 only.
void copy_lines_non_temporal(const void* from, void* to, std::size_t bytes);
/// Orders all earlier non-temporal stores before later stores.
void store_fence();

}  // namespace cpu
#endif

}  // namespace heddle
