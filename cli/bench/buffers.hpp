#pragma once

#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::cli::bench {

/// Throws heddle::error unless there is memory on `where` for one buffer of n elements, or for two of them,
/// and for the scratch memory of `algorithm`.
void require_memory(const target& where, dtype type, std::size_t n, bool has_output,
                    const std::string& algorithm, std::size_t scratch_bytes);

/// Inputs and outputs of equal size that calls take in rotation, so that what one call left in the cache is
/// gone before its buffers come round again: together they are four times as large as the cache (all that the
/// cores of the process have at the last level, or a GPU's L2), or as large as a quarter of the free memory
/// allows.
class buffers {
 public:
  enum class rotation { out_of_cache, none };

  /// Memory on `where` for each of `sizes` elements, one after another, inputs alone or outputs too.
  buffers(const target& where, dtype type, bool has_output, const std::vector<std::size_t>& sizes,
          rotation how);

  /// From now on buffers hold `n` elements, one of the sizes.
  void set_size(std::size_t n);

  /// How many there are.
  std::size_t count() const noexcept { return mask_ + 1; }

  /// Whether together they are larger than the cache.
  bool exceed_cache() const noexcept { return count() * stride_ * (has_output_ ? 2 : 1) > cache_; }

  const void* input(std::size_t call) const noexcept {
    return static_cast<const std::byte*>(inputs_.data()) + (call & mask_) * stride_;
  }
  void* output(std::size_t call) const noexcept {
    return static_cast<std::byte*>(outputs_.data()) + (call & mask_) * stride_;
  }
  /// A place for one element, the same for all calls.
  void* result() const noexcept { return result_.data(); }

 private:
  std::size_t count_for(std::size_t n) const noexcept;
  void fill_inputs();
  void clear_outputs();

  target where_;
  dtype type_;
  bool has_output_;
  rotation how_;
  std::size_t cache_, available_;
  memory inputs_, outputs_, result_;
  std::size_t stride_ = 0, mask_ = 0;
};

}  // namespace heddle::cli::bench
