#pragma once

#include <heddle/array.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

/// Memory in which the blocks of a launch publish their progress. It is kept between launches and not cleared
/// for them: each launch has a number, with which it marks what it publishes.
namespace heddle::gpu {

/// What a launch needs.
struct temp_storage_sizes {
  std::size_t words = 0;     ///< that carry the number of their launch
  std::size_t counters = 0;  ///< that are zero before a launch and after it
  std::size_t bytes = 0;     ///< of anything
};

/// The scratch memory of one stream, for one launch: other threads that launch on the stream wait while this
/// lives. A launch that is captured into a graph gets memory of its own, cleared whenever the graph runs. The
/// memory of all streams is freed when there are more than 1024 of them, and by release_cached_memory().
class temp_storage {
 public:
  /// The memory that is kept for a stream.
  struct kept_scratch;

  temp_storage(const target& where, const temp_storage_sizes& sizes);
  ~temp_storage();
  temp_storage(const temp_storage&) = delete;
  temp_storage& operator=(const temp_storage&) = delete;

  std::uint64_t* words() const noexcept { return static_cast<std::uint64_t*>(words_->data()) + header_words; }
  /// The number that marks this launch's words.
  std::uint32_t launch_number() const noexcept { return launch_number_; }
  /// A counter that launches add to, and its value before this one.
  unsigned long long* tickets() const noexcept { return static_cast<unsigned long long*>(words_->data()); }
  unsigned long long first_ticket() const noexcept { return first_ticket_; }
  /// The launch is on the stream, and adds so many to tickets().
  void launched(unsigned long long tickets) noexcept;

  unsigned* counters() const noexcept { return static_cast<unsigned*>(counters_->data()); }
  void* bytes() const noexcept { return bytes_->data(); }

 private:
  static constexpr std::size_t header_words = 16;  // a cache line of its own

  static std::shared_ptr<kept_scratch> kept_for(const target& where);

  std::shared_ptr<kept_scratch> kept_;  ///< none while a graph is captured
  std::unique_lock<std::mutex> lock_;
  std::uint32_t launch_number_ = 1;
  unsigned long long first_ticket_ = 0;
  memory captured_[3];
  memory *words_ = nullptr, *counters_ = nullptr, *bytes_ = nullptr;
};

/// Frees the memory that is kept for streams of the device, except that of launches in progress on other
/// threads. The device must be idle.
void free_kept_storage(const target& where);

}  // namespace heddle::gpu
