#pragma once

#include "checker/report/finding.hpp"
#include "cuda_on_cpu/device/heddle_device/abi.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::checker {

/// An access that was made to a word of memory. Of two threads that read a word alike one may stand for both.
struct record {
  static constexpr std::uint8_t write = 1, atomic = 2, is_volatile = 16;
  // Of an access, and not recorded: it writes and reads, too; atomics that it comes after are known to it.
  static constexpr std::uint8_t also_reads = 128, observes = 64;
  // Recorded in the same bits, of a word's first record: there are further records; a second thread of the
  // block read, too; a thread of a second block did, whose number is where the time would be.
  static constexpr std::uint8_t has_more = 32, of_pair = 64, of_blocks = 128;
  static constexpr unsigned pc_bits = 22;  // of a record that has a second thread above them
  static constexpr unsigned thread_bits = 32 - pc_bits;

  std::uint32_t block = 0;  // its number over all launches; 0: there was none
  std::uint32_t clock = 0;
  std::uint32_t pc = 0;  // from the module's beginning
  std::uint16_t thread = 0;
  std::uint8_t mask = 0;   // the bytes of the word
  std::uint8_t flags = 0;  // and the scope of an atomic

  std::uint8_t kind() const { return flags & 3; }
  std::uint8_t access() const { return flags & 31; }
  heddle_device::scope scope() const { return static_cast<heddle_device::scope>(flags >> 2 & 3); }
  bool is_double() const { return (flags & (of_pair | of_blocks)) != 0; }
  std::uint16_t second_thread() const { return static_cast<std::uint16_t>(pc >> pc_bits); }
  void add_thread(std::uint32_t index) { pc = (pc & ((1u << pc_bits) - 1)) | index << pc_bits; }
  /// Of a double one what either thread did; times of threads of different blocks are `clock`.
  record part(bool is_second, std::uint32_t time) const {
    record r = *this;
    r.flags = access();
    if (!is_double()) return r;
    if (is_second) {
      r.thread = second_thread();
      if ((flags & of_blocks) != 0) r.block = clock;
    }
    if ((flags & of_blocks) != 0) r.clock = time;
    r.pc &= (1u << pc_bits) - 1;
    return r;
  }
};
static_assert(sizeof(record) == 16);

/// What is known of a word beside its last access: earlier ones that it does not imply.
struct earlier_records {
  record slot[3];
};

/// Memory of the system, given back with its lifetime. It is there, and zero, once it is touched.
class mapping {
 public:
  mapping() = default;
  /// Sparse: little of it will be touched, here and there.
  explicit mapping(std::size_t bytes, bool is_sparse = false);
  mapping(mapping&& other) noexcept;
  mapping& operator=(mapping&& other) noexcept;
  ~mapping();

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class undo_log;

/// An array or a variable, and what is known of its words. What lies around it is nobody's, so that accesses
/// next to it are seen.
struct region {
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;
  std::uintptr_t low = 0, high = 0;    // with what lies around it
  unsigned shift = 2;                  // a word has 1 << shift bytes
  std::uint32_t of_block = 0;          // of shared memory that others of a cluster reach
  record* last = nullptr;              // of each word; null when it is not watched
  earlier_records* earlier = nullptr;  // of the words that have any
  std::vector<std::uint64_t> written;  // a bit a byte; empty when all is
  std::uint32_t writer = 0;            // a block of the launch that last wrote what was not written
  std::string name;
  const char* space = "global";
  heddle_device::scalar type = heddle_device::scalar::other;
  std::uint32_t element_bytes = 1;
  std::string type_name = "byte";      // of an element
  const char* spelled = nullptr;       // the same, as the compiler has it
  std::vector<std::uint32_t> lengths;  // of an array along all axes but the first
  bool is_shared = false, is_constant = false;
  bool is_of_one_block = false;    // what others did there before it is over
  bool is_reached = false;         // by other blocks of the cluster
  bool is_variable = false;        // of the module
  bool starts_written = true;      // before a schedule
  bool persists = false;           // what was written, too, from launch to launch
  bool host_can_write = false;     // by functions that are not watched, too
  std::uint64_t freed_bytes = 0;   // of an allocation that is no more, whose `bytes` are 0
  undo_log* undo = nullptr;        // what is to be known of it before it is written to
  std::vector<std::uint8_t> kept;  // of each part of it, whether `undo` has it
  mapping history, earlier_history;
  const heddle_device::shared_variable* of_blocks = nullptr;  // the variable that each block has one of

  /// What findings tell it by: the same for all blocks.
  const void* identity() const { return of_blocks != nullptr ? static_cast<const void*>(of_blocks) : this; }
  bool has(std::uintptr_t address, std::size_t size) const {
    return address >= begin && address - begin + size <= bytes;
  }
  /// Says what it consists of; bytes where that is not known.
  void consist_of(const heddle_device::element_type& element);
  /// Makes its history, and forgets what was written unless that persists.
  void watch();
  void forget_history();
  /// That nothing was accessed yet.
  void clear_history();
  /// Calls f(record) for what is known of a word; a second block's time counts as `time`.
  template <class F>
  void for_each_record(std::size_t word, std::uint32_t time, F f) const {
    const record& r = last[word];
    f(r.part(false, time));
    if (r.is_double()) f(r.part(true, time));
    if ((r.flags & record::has_more) == 0) return;
    for (const record& e : earlier[word].slot) f(e);
  }
  /// That nothing was written yet, or all.
  void set_written(bool is_written);
  void set_written(std::uint64_t offset, std::uint64_t size, bool is_written);
  /// That nothing is written there, also where all was.
  void forget_written(std::uint64_t offset, std::uint64_t size);
  bool are_all_written(std::uint64_t offset, std::uint64_t size) const;
  bool is_any_written(std::uint64_t offset, std::uint64_t size) const;
  /// What is copied from `first` on of another, written or not, is so here from `offset` on.
  void copy_written(std::uint64_t offset, const region& other, std::uint64_t first, std::uint64_t size);
  /// Whether a read there reads what was never written: part of a number, or all of anything larger, of which
  /// padding and members that are not used may well be unwritten.
  bool reads_unwritten(std::uint64_t offset, std::uint64_t size);

 private:
  /// Whether something other than zero is near where nothing that is watched has written: then something
  /// that is not watched has, and what is near counts as written.
  bool seems_written(std::uint64_t offset);
};

/// The subscripts of element `index` of an array of `extent` elements whose axes but the first have these
/// lengths.
void set_subscripts(finding& f, const std::vector<std::uint32_t>& lengths);

/// The members of the structures of the module that is loaded.
void know_members(std::span<const heddle_device::member> members);

/// Names the array or the variable, the element that the address is of, and the member of a structure.
/// An access of more bytes than a member has is of no one member.
void name_element(finding& f, const region& r, std::uintptr_t address, std::uint64_t bytes = 0);

/// What launches changed, to have it as it was before.
class undo_log {
 public:
  /// From now on it keeps what is written to these.
  void begin(const std::vector<region*>& regions);
  void end();
  /// Before a write: keeps what is there unless it is kept already.
  void keep(region& r, std::uint64_t offset, std::uint64_t bytes);
  /// Exchanges what is kept and what is there.
  void exchange();

 private:
  static constexpr std::uint64_t part = 16384;
  struct kept_part {
    region* of;
    std::uint64_t offset;
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> written;
  };
  std::vector<region*> regions_;
  std::vector<kept_part> parts_;
};

/// How large a word is for elements of so many bytes.
unsigned word_shift(std::size_t element_bytes);
/// The same by the numbers that they consist of; of larger structures of several types 4 bytes where they are
/// aligned so.
unsigned word_shift(const heddle_device::element_type& element);

/// Where a variable is told by: one of 0 bytes has a place, too.
inline std::uint64_t bytes_about(const heddle_device::variable& v) {
  return v.size != 0 ? v.size : 1;
}

/// Where the shared variables of a module are in the shared memory of each block.
struct shared_layout {
  static constexpr std::size_t bytes = 4 << 20, page = 256, first = 64 * 1024;
  struct variable {
    heddle_device::shared_variable* what;
    std::size_t offset;
    std::uint64_t bytes;
  };
  std::vector<variable> variables;                  // the first is the dynamic one
  static constexpr std::uint8_t no_variable = 255;  // of a page; the others are numbers of variables
  std::vector<std::uint8_t> of_page = std::vector<std::uint8_t>(bytes / page, no_variable);
  std::size_t next = first;
  std::uint64_t static_bytes = 0;

  /// Gives a variable its place; false when there is no more room.
  bool add(heddle_device::shared_variable& v, std::uint64_t size);
};

/// The shared memory of a block that runs.
struct shared_memory {
  /// `has_cluster`: other blocks reach it.
  shared_memory(bool is_watched, bool has_cluster);

  /// The variable that the address belongs to, or lies next to; null for neither.
  region* find(const shared_layout& layout, std::uintptr_t address) {
    if (!has(address)) return nullptr;
    const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(memory.data());
    return variable(layout, layout.of_page[offset / shared_layout::page]);
  }
  bool has(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(memory.data()) < shared_layout::bytes;
  }
  /// The variable of that number; null for none.
  region* variable(const shared_layout& layout, std::size_t i) {
    return i < regions.size() && regions[i] ? regions[i].get() : make(layout, i);
  }
  /// For the next block, which has that number: nothing has been written.
  void begin(std::uint32_t serial);
  /// The block is over, and others of its cluster are not.
  void end();

  mapping memory;
  bool is_watched, has_cluster;
  std::vector<std::unique_ptr<region>> regions;

 private:
  region* make(const shared_layout& layout, std::size_t variable);

  std::uint32_t serial_ = 0;
  bool is_over_ = false;
};

}  // namespace heddle::checker
