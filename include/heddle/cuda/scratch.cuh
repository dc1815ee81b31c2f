#pragma once

#include <heddle/array.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>

/// Memory in which the blocks of one launch tell each other how far they are. It stays from launch to launch
/// and needs none that resets it: a launch leaves counters as it found them, and marks everything else that
/// others wait for with its own number.
namespace heddle::cuda {

/// In global memory; zero before the first launch.
struct launch_header {
  unsigned long long next_tile;  ///< the first tile that no block has taken
  unsigned started_blocks;
  std::uint32_t launch;  ///< the number of the last launch
};

/// What a launch needs.
struct scratch_sizes {
  std::size_t words = 0;     ///< words that carry the number of their launch, after the header
  std::size_t counters = 0;  ///< that are zero before a launch and after it
  std::size_t bytes = 0;     ///< of anything
};

/// The scratch memory of one stream, for one launch: other threads that launch on the stream wait while this
/// lives. A launch that is captured into a graph gets memory of its own, cleared whenever the graph runs.
class lent_scratch {
 public:
  lent_scratch(const target& where, const scratch_sizes& sizes);
  ~lent_scratch();
  lent_scratch(const lent_scratch&) = delete;
  lent_scratch& operator=(const lent_scratch&) = delete;

  launch_header* header() const noexcept { return static_cast<launch_header*>(words_->data()); }
  std::uint64_t* words() const noexcept { return static_cast<std::uint64_t*>(words_->data()) + header_words; }
  /// How many there are: not less than was asked for.
  std::size_t word_count() const noexcept { return words_->bytes() / sizeof(std::uint64_t) - header_words; }
  unsigned* counters() const noexcept { return static_cast<unsigned*>(counters_->data()); }
  void* bytes() const noexcept { return bytes_->data(); }

 private:
  static constexpr std::size_t header_words = 16;

  std::unique_lock<std::mutex> lock_;
  detail::memory captured_[3];
  detail::memory *words_ = nullptr, *counters_ = nullptr, *bytes_ = nullptr;
};

/// Multiprocessors of a device.
unsigned multiprocessors(const target& where);

}  // namespace heddle::cuda
