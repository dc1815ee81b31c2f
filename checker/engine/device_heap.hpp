#pragma once

#include "checker/engine/regions.hpp"
#include "checker/report/finding.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace heddle::checker {

/// What malloc and new of kernels give. It stays until a kernel frees it, over launches; addresses are given
/// once more only after all others have been.
class device_heap {
 public:
  struct block {
    region memory;  ///< its `bytes` are 0 while it is freed, or is not there under the present schedule
    place made, freed;
    bool is_freed = false;
    bool is_new = false;   ///< made under the present schedule
    bool is_kept = false;  ///< freed since the launch began, and there before; or another schedule's
    bool is_gone = false;  ///< its place is another's
    std::uint64_t bytes() const { return is_freed ? memory.freed_bytes : memory.bytes; }
  };

  device_heap() = default;
  device_heap(const device_heap&) = delete;
  device_heap& operator=(const device_heap&) = delete;

  /// As many bytes as may be allocated at once. It keeps what is there.
  void limit(std::uint64_t bytes) { limit_ = bytes; }
  std::uint64_t limit() const { return limit_; }

  /// Null when there is no room.
  block* allocate(std::uint64_t bytes, bool is_written, const place& made);
  void free(block& b, const place& freed);
  bool has(std::uintptr_t address) const { return address - begin_ < bytes_; }
  /// The block that the address is in or next to, freed ones among them; null for none.
  block* find(std::uintptr_t address);
  /// Those that are not freed.
  std::vector<block*> live();
  /// The memory of all that an undo log is to keep.
  std::vector<region*> regions();
  void set_written();
  void forget_histories();
  /// For a launch that has nothing to do with what came before.
  void clear();

  /// Before a launch: from here on it is known what changes.
  void begin_launch();
  /// As it was before the launch; until put_back() the first schedule's blocks are not there.
  void set_aside();
  /// As it was before the launch, for good.
  void take_back();
  /// As the first schedule has left it.
  void put_back();

 private:
  /// Memory with the histories of its words, of blocks side by side.
  struct chunk {
    std::uintptr_t begin = 0, end = 0;
    mapping history, earlier;
  };
  struct changes {
    std::vector<block*> made, freed;
  };
  static constexpr unsigned shift = 2;
  static constexpr std::uint64_t alignment = 16, gap = 48;

  std::uintptr_t place_for(std::uint64_t bytes);
  void watch(region& r);
  static void hide(block& b);
  void undo(const changes& c);

  mapping memory_;
  std::uintptr_t begin_ = 0, next_ = 0;
  std::uint64_t bytes_ = 0, used_ = 0, limit_ = std::uint64_t{8} << 20;
  std::vector<chunk> chunks_;
  std::map<std::uintptr_t, std::unique_ptr<block>> blocks_;
  std::vector<std::unique_ptr<block>> gone_;  // of the present launch, which may know them still
  changes changed_, first_;
};

}  // namespace heddle::checker
