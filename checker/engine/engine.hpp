#pragma once

#include "checker/engine/block_state.hpp"
#include "checker/engine/device_heap.hpp"
#include "checker/engine/known_clocks.hpp"
#include "checker/engine/launch.hpp"
#include "checker/engine/launch_tree.hpp"
#include "checker/engine/regions.hpp"
#include "checker/report/finding.hpp"
#include "checker/report/profile.hpp"
#include "cuda_on_cpu/run/fiber.hpp"
#include "cuda_on_cpu/run/warp.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle::checker {

using cuda_on_cpu::stack_pool;

/// Numbers for the order of threads: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators; OOPSLA 2014).
class thread_order {
 public:
  using result_type = std::uint64_t;
  void seed(std::uint64_t s) { state_ = s; }
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 0;
};

/// Of shared memory of a block that has ended, or may have.
inline constexpr const char* block_is_over =
    "its block may have left the kernel by then: cluster.sync() before blocks leave keeps their shared "
    "memory";

/// "block", "cluster", "grid".
const char* name_of(heddle_device::group_kind group);

/// What an access with these flags of a record does: "reads", "updates atomically", …
std::string access_text(std::uint8_t flags);

/// Blocks that histories have numbers for.
inline constexpr std::uint64_t most_serials = 0xfffeffff;

/// Why a launch has more blocks, over all its schedules, than histories have numbers for, "5 blocks under 3
/// schedules are more than can be checked: …"; empty when it has not.
std::string too_many_blocks(std::uint64_t blocks, std::size_t schedules);

/// What a launch cannot have is a heddle::error.
void check_launch(const kernel_call& kernel, const launch_options& options);

/// Performs an atomic operation of the host by the processor's own, and returns the value before.
std::uint64_t atomic_on_host(void* address, std::uint64_t operand, std::uint64_t expected,
                             const heddle_device::atomic_request& what);

/// Runs blocks of one kernel under one schedule after another.
class engine {
 public:
  /// Of the grid's blocks it runs those from first_block to before last_block, in their order. `regions` are
  /// what it reaches of global memory, `first_serial` the number of its first block in their histories.
  engine(const module& compiled, kernel_call kernel, std::vector<region*> regions,
         const launch_options& options, stack_pool& stacks, std::uint64_t first_block,
         std::uint64_t last_block, std::uint32_t first_serial = 1);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// On memory as it is before a launch.
  void run_schedule(std::size_t schedule);
  /// Others may do what its threads wait for: where none can go on, it returns and is waiting.
  void may_wait_for_others() { may_wait_ = true; }
  bool is_waiting() const { return is_waiting_; }
  /// After others have gone on.
  void go_on();
  /// Nobody does what its threads wait for.
  void give_up();
  /// What one of two launches that run at once has told, the other may learn.
  void share_synchronisation(const engine& with) { synchronisations_ = with.synchronisations_; }
  void add_beside(const concurrent_work& work);
  bool is_stopping() const { return is_stopping_; }
  /// Whether blocks ran unwatched: what they wrote is not in the undo logs.
  bool is_partial() const { return outcome_.watched_blocks != outcome_.blocks; }
  /// All memory counts as written: what is not watched may write anywhere.
  void trust_memory();
  const kernel_call& kernel() const { return kernel_; }
  std::uint32_t first_serial() const { return first_serial_; }
  /// From this schedule on its blocks have other numbers: the first of it.
  void number_from(std::uint32_t serial, std::size_t schedule) {
    first_serial_of_all_ = serial - static_cast<std::uint32_t>(schedule * all_blocks_);
  }
  /// What its threads have launched under the last schedule.
  bool has_children() const { return !children_.empty(); }
  std::vector<std::unique_ptr<child_launch>> take_children();
  void adopt(engine& other, const place& by);
  const std::vector<finding>& findings() const { return outcome_.findings; }
  std::uint64_t accesses() const { return watched_; }
  double watched_seconds() const { return outcome_.watched_seconds; }
  /// Whether blocks of two engines that ran under the same schedule at once raced.
  bool races_with(const engine& other) const;
  launch_outcome result();

  // What a module calls, from the fiber of thread `t`.
  void access(thread_state& t, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
              std::uintptr_t pc);
  // `state`: where what the module's callee-saved registers and its stack hold begins; 0 where it is not
  // known.
  void volatile_access(thread_state& t, std::uintptr_t address, std::size_t bytes, bool writes,
                       std::uintptr_t pc, std::uintptr_t state);
  void copy(thread_state& t, void* to, const void* from, std::size_t bytes, std::uintptr_t pc);
  void set(thread_state& t, void* to, int value, std::size_t bytes, std::uintptr_t pc);
  std::uint64_t atomic(thread_state& t, void* address, std::uint64_t operand, std::uint64_t expected,
                       heddle_device::atomic_request request, std::uintptr_t pc, std::uintptr_t state);
  void fence(thread_state& t, heddle_device::scope scope);
  int barrier(thread_state& t, heddle_device::barrier_kind kind, int predicate, const char* file, int line);
  void barrier_of(thread_state& t, std::uint32_t number, std::uint32_t count, const char* file, int line);
  /// The same without waiting.
  void arrive_at(thread_state& t, std::uint32_t number, std::uint32_t count, const char* file, int line);
  void grid_barrier(thread_state& t, const char* file, int line);
  /// The halves of a barrier of a group.
  void arrive_in_group(thread_state& t, heddle_device::group_kind group, const char* file, int line);
  void wait_in_group(thread_state& t, heddle_device::group_kind group, const char* file, int line);
  void cluster_barrier(thread_state& t, const char* file, int line);
  /// The same place in the shared memory of the cluster's block of that rank.
  void* map_shared(thread_state& t, const void* pointer, std::uint32_t rank, std::uintptr_t pc);
  /// Of the block of the cluster whose shared memory it is; ~0u for none.
  static std::uint32_t shared_rank(const thread_state& t, const void* pointer);
  void begin_copy(thread_state& t, const asynchronous_copy& c);
  void finish_copies(thread_state& t, const std::vector<asynchronous_copy>& copies);
  /// Of a function of the device, against its rules; stops the launch.
  void misuse(thread_state& t, const std::string& what, std::uintptr_t pc);
  /// Calls a function by the address that the host has of it.
  [[noreturn]] void function_of_host(thread_state& t, std::uintptr_t pc);
  /// Calls a virtual function of an object that the host has made.
  void virtual_function_of_host(thread_state& t, const region& r, std::uintptr_t address, std::uintptr_t pc);
  /// The launch cannot be run, and why.
  [[noreturn]] void refuse(thread_state& t, const char* why);
  std::uint64_t warp(thread_state& t, const warp_visit& visit);
  std::uint32_t converge(thread_state& t, std::uintptr_t pc);
  void* shared(heddle_device::shared_variable& which);
  void sleep(thread_state& t, std::uintptr_t pc, std::uintptr_t state);
  /// Where the compiler's checks are written.
  struct checked_place {
    const char* file;
    std::size_t line, column;
    std::uintptr_t pc;
  };
  /// `type` is "int [8][33]", as the compiler writes it.
  void index_out_of_bounds(thread_state& t, const checked_place& at, std::int64_t index,
                           std::string_view type);
  /// A GPU stops at a misaligned access.
  void misaligned(thread_state& t, std::uintptr_t address, const checked_place& at, std::size_t alignment,
                  std::string_view type, bool is_access);
  void misaligned_atomic(thread_state& t, const region* r, std::uintptr_t address, std::size_t alignment,
                         std::uintptr_t pc);
  void failed_assertion(thread_state& t, const char* expression, const char* file, unsigned line);
  void trap(thread_state& t, std::uintptr_t pc);
  /// Of the heap of kernels; null where it is full.
  void* allocate(thread_state& t, std::uint64_t bytes, std::uintptr_t pc);
  void release(thread_state& t, void* what, std::uintptr_t pc);
  /// `frames` are where the thread is, innermost first.
  void add_child(thread_state& t, std::unique_ptr<child_launch> c, std::string written,
                 const std::vector<std::uintptr_t>& frames);
  place place_of_call(const thread_state& t, std::string what,
                      const std::vector<std::uintptr_t>& frames) const;
  void report_launch(finding_kind kind, const place& by, const std::string& why);
  void texture(thread_state& t, const heddle_device::texture_access& what, std::uintptr_t pc);
  void wide_shift(thread_state& t, unsigned by, unsigned bits, std::uintptr_t pc);
  /// The thread came to a piece of straight code.
  void note_code(thread_state& t, std::uintptr_t pc) {
    if (is_profiling_) profiler_.note_code(trace_of(t), t.index % 32, pc, t.stack_begin - t.frame);
  }
  void print(std::string_view text) {
    note_change();
    if (schedule_ == 0) outcome_.printed += text;
  }
  /// Time changes what is seen.
  std::int64_t ticks() {
    note_change();
    return static_cast<std::int64_t>(++ticks_ * 32);
  }
  const launch_options& options() const { return options_; }
  const module& compiled() const { return module_; }

  /// Why a kernel is stopped that does not end: nothing changes any more, no thread comes to its end, or the
  /// program's time is over, which is no finding.
  enum class hang : std::uint8_t { none, nothing_changes, nothing_ends, time_is_over };
  /// From another thread: what runs is to stop at its next access or wait.
  void end_hang(hang why) { hangs_.store(why, std::memory_order_relaxed); }
  static constexpr std::uintptr_t hang_address = ~std::uintptr_t{0};  // of a crash that is none

  /// From a signal: the instruction at `pc` cannot go on. Ends the launch; does not return.
  [[noreturn]] void crash(thread_state& t, std::uintptr_t pc, const char* what, std::uintptr_t address);
  bool is_in_module(std::uintptr_t pc) const { return pc >= module_.base() && pc < module_.end(); }
  /// How many threads have ended, and how often what threads can see has changed; asked from another thread.
  std::uint64_t ended() const { return ended_.load(std::memory_order_relaxed); }
  std::uint64_t changes() const { return changes_.load(std::memory_order_relaxed); }

 private:
  // Running.
  void begin_schedule(std::size_t schedule);
  void run_blocks();
  void end_schedule();
  bool begin_next();
  block_state& begin_block(std::uint64_t number, bool is_watched);
  bool is_next_watched();
  std::uint64_t number_in_order(std::uint64_t i) const;
  void end_block(std::size_t i);
  void end_block_of_cluster(std::unique_ptr<block_state> b);
  enum class turn : std::uint8_t { ended, waits, is_over };
  turn run_block(block_state& b);
  turn run_timed(block_state& b);
  void prepare(thread_state& t);
  void resume(thread_state& t);
  void end_thread(thread_state& t);
  bool goes_on(block_state& b);
  static void fiber_body(void* thread);
  void leave(thread_state& t);
  void yield(thread_state& t, bool spins);
  void look(thread_state& t, const void* address, std::uint64_t value, std::uintptr_t pc,
            std::uintptr_t state);
  void note_state(thread_state& t, std::uint64_t value, std::uintptr_t pc, std::uintptr_t state);
  bool is_stuck(const thread_state& t) const;
  bool is_deadlock() const;
  void report_hang(thread_state& t, std::uintptr_t pc);
  void note_change() { changes_.store(changes() + 1, std::memory_order_relaxed); }
  [[noreturn]] void stop(thread_state& t);
  void order(std::vector<std::uint32_t>& threads);
  bool resolve(block_state& b);
  bool resolve_grid();
  void report_deadlock();
  void make_ready(block_state& b, thread_state& t);

  // Profiles.
  static warp_trace& trace_of(thread_state& t) { return t.block->traces[t.index / 32]; }
  void begin_traces(block_state& b) const;
  void end_traces(block_state& b);
  void reconverge_lanes(block_state& b, std::uint32_t first_lane, std::uint32_t arrived);
  void profile_access(thread_state& t, const region& r, std::uintptr_t address, std::size_t bytes,
                      std::uint8_t flags, std::uintptr_t pc);

  // Barriers and warps.
  void complete_barrier(block_state& b);
  void check_numbered(thread_state& t, std::uint32_t number, std::uint32_t count, const char* file, int line);
  void complete_numbered(block_state& b, std::uint32_t number);
  void check_cooperative(thread_state& t);
  group_barrier& barrier_of_group(block_state& b, heddle_device::group_kind group);
  void join_blocks(block_state& b, heddle_device::group_kind group);
  void reach_other_block(thread_state& t, region& r, std::uintptr_t address, std::uint8_t flags,
                         std::uintptr_t pc);
  void check_reached(const block_state& b, const region& r);
  void report_absent_block(const place& by, const region& r, std::uintptr_t address, const char* why);
  bool is_complete(block_state& b, heddle_device::group_kind group);
  void complete_group(block_state& b, heddle_device::group_kind group);
  template <class F>
  void for_each_block(block_state& b, heddle_device::group_kind group, F f);
  void check_not_arrived(thread_state& t, heddle_device::group_kind group);
  void leave_without_waiting(thread_state& t);
  void misuse_of_barrier(thread_state& t, std::string what, std::string detail);
  void pass_barrier(block_state& b);
  void report_barrier(block_state& b);
  bool complete_warp(block_state& b, std::uint32_t first_lane, std::uint32_t mask, const warp_visit& what);
  void finish_visit(block_state& b, std::uint32_t warp_first, std::uint32_t arrived,
                    warp_operation operation);
  void release_lanes(block_state& b, const thread_state& left);
  void check_shuffle(block_state& b, std::uint32_t first_lane, std::uint32_t arrived);
  bool resolve_warps(block_state& b);
  void synchronise_lanes(block_state& b, std::uint32_t warp_first, std::uint32_t lanes);

  // Atomics.
  struct synchronisation {
    clocks to_all, to_block;
    std::uint32_t block = 0;
  };
  using synchronisations = std::unordered_map<std::uintptr_t, synchronisation>;
  void watch_atomic(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes,
                    const heddle_device::atomic_request& what, bool writes, std::uintptr_t pc);
  void learn_of_word(thread_state& t, const synchronisation& s, const heddle_device::atomic_request& what);
  void publish_in_word(thread_state& t, std::uintptr_t address, const heddle_device::atomic_request& what,
                       bool is_known);

  // Memory.
  void touch(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
             std::uint8_t scope, std::uintptr_t pc);
  /// The same where most accesses come from.
  void touch_here(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
                  std::uint8_t scope, std::uintptr_t pc);
  void touch_written(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes,
                     std::uint8_t flags, std::uintptr_t pc);
  void touch_word(thread_state& t, region& r, std::size_t i, std::uint8_t mask, std::uint8_t flags,
                  std::uint8_t scope, std::uintptr_t address, std::uintptr_t pc, bool observes);
  void compare_word(thread_state& t, region& of, std::size_t i, std::uint8_t mask, std::uint8_t flags,
                    std::uint8_t scope, std::uintptr_t address, std::uintptr_t pc, bool observes);
  void compare_with_other_launch(thread_state& t, const region& of, const record& r,
                                 const concurrent_work& other, std::uint8_t mask, std::uint8_t flags,
                                 std::uint8_t scope, std::uintptr_t address, std::uintptr_t pc);
  void put_record(region& of, std::size_t i, record* replaced, record now);
  void part_record(const region& r, std::size_t i);
  static constexpr std::uint32_t longest_slice = 200000;
  // Lanes stay near one another, so that little is remembered of those ahead.
  static constexpr std::uint32_t profiled_slice = 64;
  void change_threads(thread_state& t, std::uintptr_t pc);
  record& least_telling(record& last, earlier_records& earlier, std::uint32_t block, std::uint8_t flags);
  bool comes_before(const record& r, const thread_state& t, const block_state& b) const;
  const concurrent_work* launched_beside(const record& r) const;
  bool is_of_other_launch(const record& r) const { return r.block - first_serial_ >= all_blocks_; }
  bool has_learnt(const record& r, const thread_state& t, const block_state& b) const;
  void compare_with_copies(thread_state& t, const region& r, std::uintptr_t address, std::size_t bytes,
                           std::uint8_t flags, std::uintptr_t pc);
  region* find(thread_state& t, std::uintptr_t address);
  /// The same, for what one instruction accesses most often.
  [[gnu::always_inline]] region* find_at(thread_state& t, std::uintptr_t address, std::size_t bytes,
                                         std::uintptr_t pc) {
    region*& known = regions_at_[(pc ^ pc >> 8) % regions_at_.size()];
    if (known != nullptr && known->has(address, bytes)) return known;
    region* const found = find(t, address);
    if (found != nullptr) known = found;
    return found;
  }
  void outside(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
               std::uintptr_t pc);
  region* variable_left(const thread_state& t, std::uintptr_t address) const;
  bool leaves_row(thread_state& t, const region& r, std::uintptr_t address, std::uint8_t flags,
                  std::uintptr_t pc);
  void nowhere(thread_state& t, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
               std::uintptr_t pc);
  void take_lock(thread_state& t, const void* address, std::uintptr_t pc);
  void release_lock(thread_state& t, const void* address, std::uintptr_t pc);
  clocks now_of(const thread_state& t) const;
  void learn(thread_state& t, const clocks& what);

  // Reports.
  /// The finding that these tell from others, which was met once more.
  finding& meet(finding_kind kind, std::uintptr_t pc1, std::uintptr_t pc2, const void* about);
  /// The same when it is the first time; null when it is not.
  finding* report(finding_kind kind, std::uintptr_t pc1, std::uintptr_t pc2, const void* about);
  place place_of(const thread_state& t, std::string what, std::uintptr_t pc) const;
  place place_of(const thread_state& t, std::string what, const checked_place& at) const;
  place place_of(const record& r, std::uint32_t first_serial, heddle_device::index3 block,
                 heddle_device::index3 grid) const;
  /// Where it waits, by the file and line that it called the barrier with.
  place place_at_barrier(const thread_state& t, std::string what) const;
  void report_race(thread_state& t, region& r, const record& before, std::uint8_t mask, std::uint8_t flags,
                   std::uint8_t scope, std::uintptr_t address, std::uintptr_t pc);
  void report_race_of_streams(thread_state& t, const region& r, const concurrent_work& other,
                              const record* before, std::uint8_t flags, std::uintptr_t address,
                              std::uintptr_t pc);
  void add_places_of_heap(finding& f, std::uintptr_t address) const;
  void flush_bounds(thread_state& t);
  bool report_texture(thread_state& t, const heddle_device::texture_access& what, std::uintptr_t pc);
  void compare_with_cache(thread_state& t, const heddle_device::texture_access& what, std::uintptr_t address,
                          std::uintptr_t pc);
  /// Its writes that met another thread's are done now.
  void settle_writes(thread_state& t) {
    if (!t.racing_writes.empty()) compare_written(t);
  }
  void compare_written(thread_state& t);
  /// Threads of a warp that write and read one another's volatile elements as if they moved together.
  bool expects_step(const thread_state& t, const record& r, const region& of, std::uint8_t flags) const;
  void note_read_before_exchange(const thread_state& t, const region& r, std::uintptr_t address);
  void mark_reads_before_exchange();

  const module& module_;
  kernel_call kernel_;
  const launch_options options_;
  launch_outcome outcome_;

  std::vector<region*> regions_;           // of global memory, in the order of their addresses
  std::array<region*, 256> regions_at_{};  // what instructions were last seen to reach
  shared_layout layout_;
  std::unique_ptr<device_heap> own_heap_;  // of a kernel alone
  device_heap* heap_ = nullptr;            // null before a thread allocates, where it is not a program's

  stack_pool& stacks_;
  fiber scheduler_;
  std::vector<std::unique_ptr<block_state>> blocks_, spare_;
  std::vector<std::unique_ptr<child_launch>> children_;
  std::vector<std::unique_ptr<cluster_state>> clusters_;  // that run, of several blocks
  const std::uint64_t first_block_, all_blocks_;
  const std::uint64_t blocks_a_cluster_;
  const std::uint64_t count_;  // of clusters that it runs; of blocks where each is one
  const std::uint32_t threads_a_block_;
  std::uint64_t next_watched_ = 0;                    // in the schedule's order, with the one behind it
  std::uint64_t next_ = 0;                            // in the schedule's order
  std::uint64_t block_stride_ = 1, block_first_ = 0;  // of an order at random
  std::size_t blocks_at_once_ = 1;
  std::uint32_t first_serial_of_all_;
  std::uint32_t first_serial_ = 1, grid_base_ = 1;
  std::size_t schedule_ = 0;
  thread_order random_;
  std::vector<std::uint32_t> released_threads_;
  bool is_stopping_ = false;
  bool may_wait_ = false, is_waiting_ = false;
  std::string failure_;  // why it could not be run
  heddle_device::shared_variable dynamic_{};
  bool slices_ = false;
  std::atomic<hang> hangs_{hang::none};

  std::atomic<std::uint64_t> changes_{0}, ended_{0};  // one thread writes
  group_barrier grid_barrier_;
  std::uint64_t released_ = 0;  // how often a barrier of a group has let threads go on
  std::uint64_t ticks_ = 0;
  std::uint64_t watched_ = 0;
  profiler profiler_;
  bool is_profiling_ = false;
  bool are_copies_beside_ = false;
  bool is_alone_ = true;  // no other launch may still run

  /// By the addresses of what was written; launches that run at once share it.
  std::shared_ptr<synchronisations> synchronisations_ = std::make_shared<synchronisations>();
  std::unordered_map<std::uint64_t, std::size_t> reported_;
  std::unordered_set<std::uint32_t>
      reads_before_exchange_;  // where a thread reads before it compares and swaps
};

/// The engine and the thread that the calling thread of this machine runs now; null for none.
struct running {
  engine* by = nullptr;
  thread_state* thread = nullptr;
};
extern constinit thread_local running now;

}  // namespace heddle::checker
