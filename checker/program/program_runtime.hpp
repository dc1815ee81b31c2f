#pragma once

#include "checker/engine/allocations.hpp"
#include "checker/engine/launch.hpp"
#include "checker/engine/launch_tree.hpp"
#include "checker/host/host_heap.hpp"
#include "checker/host/host_shadows.hpp"
#include "checker/host/unwritten_copies.hpp"
#include "checker/program/program.hpp"
#include "checker/program/program_devices.hpp"
#include "checker/program/program_graphs.hpp"
#include "checker/program/program_libraries.hpp"
#include "checker/program/program_mappings.hpp"
#include "checker/program/program_modules.hpp"
#include "checker/program/program_pools.hpp"
#include "checker/program/stream_order.hpp"
#include "checker/report/finding.hpp"
#include "checker/report/work_origin.hpp"
#include "cuda_on_cpu/run/fiber.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace heddle::checker {

class engine;

/// The CUDA runtime of a program: launches run under the checker, at once and in the order of the host's
/// calls, and what the host does with memory is watched. What is found is written to a file as lines of JSON,
/// each as soon as it is known, so that it outlives the program.
class program_runtime final : public heddle_device::runtime {
 public:
  program_runtime(const program_options& options, bool blocks_are_independent, int messages);
  ~program_runtime();
  /// Before the module initialises its variables.
  void begin(std::unique_ptr<const module> compiled);
  /// What it has compiled while it ran before.
  void know(std::vector<run_time_source> sources) { modules_.know(std::move(sources)); }
  /// Ends the program, to have it begun anew with a source that it compiles.
  [[noreturn]] void begin_anew_with(const run_time_source& source);
  /// The kernels of one of its files, to an entry without a name.
  void know(const heddle_device::kernel_entry* kernels);
  /// From here on the program's own code runs.
  void begin_main() { has_begun_ = true; }
  /// Writes what is only known at the end.
  void end();

  int allocate(memory_kind kind, void** where, heddle_device::u64 bytes, allocation_name name) override;
  int release(const char* function, memory_kind kind, void* what) override;
  bool is_not_the_hosts(const char* function, void* what, const void* at) override;
  void* allocate_host(heddle_device::u64 bytes, bool is_written, const void* at) override;
  bool is_watched_host(const void* what) override;
  void* reallocate_host(void* what, heddle_device::u64 bytes, const void* at) override;
  int register_host(void* what, heddle_device::u64 bytes, allocation_name name) override;
  int unregister_host(void* what) override;
  int copy(const heddle_device::copy_request& what) override;
  int refuse_copy(const char* function, const void* memory) override;
  int fill(const heddle_device::fill_request& what) override;
  int describe(const void* pointer, heddle_device::pointer_facts* facts) override;
  void memory_left(heddle_device::u64* free, heddle_device::u64* total) override;
  int limit_heap(heddle_device::u64 bytes) override;
  int describe_heap(heddle_device::u64* bytes) override;
  int find_variable(const void* variable, void** where, heddle_device::u64* bytes) override;
  void* host_address(void* variable) override;

  void know_variable(const heddle_device::variable& v) override;

  int launch(const heddle_device::launch_request& what) override;
  void know(const heddle_device::known_kernel& kernel) override;
  int describe_kernel(const void* address, heddle_device::kernel_facts* facts) override;
  int limit_shared(const void* address, heddle_device::u64 bytes) override;
  int allow_large_clusters(const void* address, bool are_allowed) override;
  int call_host(void* stream, void (*function)(void*), void* data) override;

  int make_stream(void** stream, bool is_blocking) override;
  int end_stream(void* stream) override;
  int wait_for_stream(void* stream) override;
  int ask_stream(void* stream) override;
  int make_stream_wait(void* stream, void* event, bool is_external) override;
  int make_event(void** event, bool is_timed) override;
  int end_event(void* event) override;
  int record(void* event, void* stream, bool is_external) override;
  int wait_for_event(void* event) override;
  int ask_event(void* event) override;
  int elapsed(float* milliseconds, void* from, void* to) override;
  int wait_for_device() override;
  int reset_device() override;
  heddle_device::device_runtime& devices() override { return devices_; }
  heddle_device::graph_runtime& graphs() override { return graphs_; }
  heddle_device::pool_runtime& pools() override { return pools_; }
  heddle_device::mapping_runtime& mappings() override { return mappings_; }
  heddle_device::module_runtime& modules() override { return modules_; }
  heddle_device::library_runtime& libraries() override { return libraries_; }
  int last_error(bool forgets) override;
  int fail(int error) override;

  /// From a thread of its own: waits for the end of the program's time, and ends it then.
  [[noreturn]] void end_in_time();

  /// The host's code reads or writes; from the module's instrumentation.
  void host_access(std::uintptr_t address, std::size_t bytes, std::uint8_t flags, std::uintptr_t pc);
  void exchange_by_host(const volatile void* where) noexcept override;
  /// Whether host_access has something to look at there.
  bool watches(std::uintptr_t address) const {
    return has_begun_ &&
           (memory_->is_in_host_half(address) || memory_->is_in_variables(address) || shadows_.has(address));
  }
  /// The same of memory by malloc or new[]: says nothing of what is as it should be, at no cost.
  bool heap_access(std::uintptr_t address, std::size_t bytes, bool writes, std::uintptr_t pc) {
    if (!heap_.has(address)) return false;
    if (!heap_.is_inside(address, bytes)) {
      report_outside_heap(address, bytes, writes ? "writes" : "reads", pc);
    } else if (writes) {
      heap_.note_written(address, bytes);
    }
    return true;
  }
  /// The host reads or writes what may be a copy of what nothing has written.
  void access_copy(std::uintptr_t address, std::size_t bytes, bool writes, std::uintptr_t pc);
  unwritten_copies& copies() { return copies_; }
  /// A function of the device was called by the host, which ends the program.
  [[noreturn]] void device_function_on_host(std::uintptr_t pc);
  /// The program cannot be run: ends it.
  [[noreturn]] void refuse(const std::string& why);
  /// From a signal that ends the program: says where it was. Allocates nothing.
  void report_signal(int signal, std::uintptr_t pc, std::uintptr_t address) noexcept;

 private:
  friend class program_devices;
  friend class program_graphs;
  friend class program_mappings;
  friend class program_modules;
  friend class program_pools;
  /// Something that the host need not know to be done.
  struct pending_operation {
    stream_order::operation when;
    concurrent_work work;
  };
  struct side {
    allocation* of = nullptr;
    bool is_host_only = false, is_device_only = false;
  };
  /// Rows of a copy or of what is filled.
  struct box {
    std::uintptr_t begin;
    std::uint64_t width, height, depth, pitch, slice;
    std::uint64_t span() const;
    template <class F>
    void for_each_row(F f) const {
      for (std::uint64_t z = 0; z < depth; ++z) {
        for (std::uint64_t y = 0; y < height; ++y) f(z * slice + y * pitch);
      }
    }
  };

  static std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  static std::string text_of(const allocation& a);

  /// A thread of a kernel runs while its launch has the lock: in a process of a schedule's own that would be
  /// another's.
  std::unique_lock<std::recursive_mutex> lock_unless_in_kernel();

  /// Where the program's code is: addresses that calls return to, innermost first.
  std::vector<std::uintptr_t> call_stack() const;
  /// Where what is done now was asked for.
  std::vector<std::uintptr_t> present_calls() const {
    const work_origin* const origin = work_origin::present();
    return origin != nullptr ? origin->at : call_stack();
  }
  place host_place(std::string what) const { return host_place(std::move(what), present_calls()); }
  static place host_place(std::string what, const std::vector<std::uintptr_t>& frames);
  struct reported {
    std::size_t number;
    std::size_t count;
  };
  reported& report(finding f);
  /// How much it weighs after what came before.
  void weigh(finding& f) const;
  /// What findings are told by.
  static std::string key_of(const finding& f);
  void write_count(const reported& r) const;
  void report_api(finding_kind kind, const allocation* about, std::string what, std::string detail);
  void add_places_of_memory(finding& f);
  void add_place_of_graph(finding& f) const;
  void report_capture(std::string why);
  void report_leaks_of_heap();
  void write(const std::string& line) const noexcept;
  [[noreturn]] void end_now();

  /// Of a kernel's thread or of the host: there a node where the stream is captured.
  template <class ByKernel, class ByHost>
  int put(void* stream, const heddle_device::node_request& node, ByKernel by_kernel, ByHost by_host);
  void let_host_wait_for(void* stream);
  int copy_now(const heddle_device::copy_request& what, bool host_may_wait);
  int fill_now(const heddle_device::fill_request& what, bool host_may_wait);
  int call_host_now(void* stream, void (*function)(void*), void* data);
  side side_of(std::uintptr_t address);
  /// What a function is to free; null, and told, where that is wrong.
  allocation* to_release(const char* function, memory_kind kind, void* what);
  void report_outside_heap(std::uintptr_t address, std::uint64_t bytes, const char* what, std::uintptr_t pc);
  /// A part of a copy that is of the host's heap: what is wrong with it is told.
  void copy_of_heap(const char* function, const box& b, bool writes);
  /// Says what is wrong with a part of a copy; false when nothing is.
  bool is_beyond(const char* function, int device, const side& s, const box& b, const char* direction);
  /// A kernel reads what nothing has written: a warm-up, if that is filled before the kernel runs again.
  void note_unwritten_read(std::size_t number, const finding& f, const std::string& kernel);
  void note_filled(const box& b);
  void note_launch(const std::string& kernel);
  void lower(std::size_t number, const char* why = nullptr) const;
  void note_pending(const stream_order::operation& when, concurrent_work work);
  /// What a copy or a fill uses of one side.
  struct used_part {
    const side& of;
    const box& where;
    /// Whose memory it is.
    std::set<int> devices() const;
  };
  stream_order::operation enqueue(void* stream, std::initializer_list<used_part> used);
  /// Notes what a copy or a fill does to one side of it, and compares it with what other streams do there.
  void use_memory(const char* function, const stream_order::operation& when, void* stream, const side& s,
                  const box& b, bool writes);
  /// What may be unfinished when something begins that was put on a stream.
  std::vector<pending_operation> work_beside(void* stream) const;
  /// As work of a device is told of it.
  pending_operation seen_from(int device, pending_operation p) const;
  /// The host waits, for what `wait` says to the order of streams.
  template <class F>
  void let_host_wait(F wait) {
    // What has been let begin before begins with what the host knew then.
    go_on_with_all();
    wait();
    complete_done();
    std::erase_if(pending_, [&](const pending_operation& p) { return order_.is_done(p.when); });
  }
  /// What kernels of the present device use, and what was freed last.
  std::vector<region*> regions_in_reach();
  std::optional<memory_beyond_reach> beyond_reach(int device, std::uintptr_t address);
  static bool is_waited_for(const heddle_device::copy_request& q, const side& target, const side& source);
  int check_copy(const heddle_device::copy_request& q, const used_part& target, const used_part& source);
  std::vector<std::byte> stage(const char* function, const box& from);
  void move_bytes(const char* function, int device, const box& to, const box& from,
                  const std::vector<std::byte>& staged);
  /// A launch, as a finding tells what it has left unwritten.
  struct noted_launch {
    std::uint32_t first_serial;
    place by;
    std::string kernel;
    heddle_device::index3 grid, block;
  };
  void note_writer(noted_launch l);
  void note_unwritten_copy(const char* function, const box& to, const box& from, const region& r);
  void note_objects_of_host(region& r, std::uint64_t first, std::uint64_t size) const;
  void fill_bytes(const heddle_device::fill_request& q, int device, const box& to);
  /// What is wrong with a copy between the devices that the program names; 0 for nothing.
  int check_devices(const heddle_device::copy_request& q, const used_part& target, const used_part& source);
  bool is_done(const pending_operation& p) const;
  enum class meeting { none, with_atomics, with_others };
  /// Whether, and what, an access meets of what is unfinished; with flags as of a record.
  static meeting meets(const concurrent_work& p, const region& r, std::uintptr_t address, std::size_t bytes,
                       std::uint8_t flags);
  std::string explain_address(std::uintptr_t address);
  /// The remedy for a use of the host's address of a device variable; empty if the address is not one of
  /// these.
  std::string explain_shadow(std::uintptr_t address);

  struct kernel_known {
    std::string name;
    heddle_device::known_kernel how;
  };
  /// What a launch cannot have, and its error; 0 for nothing.
  int check(const heddle_device::launch_request& what, const kernel_call& kernel, std::string& why) const;
  /// Says the cluster that a launch has by its kernel's bounds or by an attribute, and what is wrong with it.
  int choose_cluster(const heddle_device::launch_request& what, heddle_device::index3 own,
                     kernel_call& kernel, std::string& why) const;
  /// Completes a launch by what is known of its kernel: 0, or what is wrong with it.
  int resolve(heddle_device::launch_request& what, kernel_call& kernel, std::string& why) const;
  /// "k<<<2, 32>>>".
  static std::string launch_text(const kernel_call& kernel, const heddle_device::launch_request& what);
  int run(const heddle_device::launch_request& what, const kernel_call& kernel,
          const std::vector<std::uintptr_t>& at, const std::string& text);
  /// A launch as its findings tell it.
  struct launch_call {
    const std::string& written;
    const std::vector<std::uintptr_t>& at;
    double seconds;  // that the first schedule took
  };
  struct unfinished_launch;
  struct unfinished_work;
  bool begin(unfinished_launch& l);
  bool go_on(unfinished_launch& l);
  void finish(unfinished_launch& l);
  void note_launched(unfinished_launch& l, const std::vector<std::uint64_t>& before);
  std::vector<std::unique_ptr<unfinished_work>>::iterator find_work(std::uint64_t number);
  std::vector<std::uint64_t> work_before(void* stream) const;
  /// It is done when what has these numbers is over: of the present device, and asked for where that is now.
  unfinished_work& put_off(const stream_order::operation& when, std::vector<std::uint64_t> before);
  /// The same of an effect, which is there at once where nothing comes before.
  void do_after(std::vector<std::uint64_t> before, const stream_order::operation& when,
                std::function<void()> effect);
  bool attend(unfinished_work& w);
  void go_on_with_all();
  /// Whether something is unfinished that `precedes` says is asked for.
  template <class F>
  bool is_any_unfinished(F precedes);
  void complete_done();
  void complete_all();
  /// Adds the places of the launch and of memory, and weighs it.
  void complete(finding& f, const launch_call& launch);
  bool takes_processes(double seconds) const;
  void wait_for_processes(std::size_t most) noexcept;
  void run_other_schedules(const launch_call& launch, engine& runs, undo_log& first,
                           const std::vector<region*>& regions);
  [[noreturn]] void be_schedule(const launch_call& launch, engine& runs, undo_log& first,
                                std::size_t schedule);
  void learn_types(const heddle_device::launch_request& what);
  /// The same by a thread of a kernel.
  static const char* memory_of_thread(const heddle_device::launch_request& q);
  int launch_from_kernel(const heddle_device::launch_request& what);
  int copy_by_kernel(const heddle_device::copy_request& what);
  int fill_by_kernel(const heddle_device::fill_request& what);
  std::uint32_t take_serials(std::uint64_t count, const std::string& kernel);
  /// With all that kernels launch.
  void run_schedule(engine& runs, std::size_t schedule);
  void run_launched(engine& runs, std::size_t schedule);
  void tell_failed_child(engine& by);
  void run_children(engine& parent, const kernel_call& of_host, std::size_t node, std::size_t schedule);
  /// How much of a launch is watched.
  void choose_watched(const std::string& kernel, launch_options& options);
  void add_profile(const place& by, const std::vector<instruction_profile>& instructions);

  const program_options options_;
  const bool blocks_are_independent_;
  const int messages_;
  std::unique_ptr<const module> module_;
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> is_time_over_{false};
  const std::thread::id main_thread_ = std::this_thread::get_id();
  std::recursive_mutex mutex_;
  std::optional<allocations> memory_;
  host_heap heap_;
  host_shadows shadows_;
  unwritten_copies copies_;
  std::deque<noted_launch> noted_launches_;                       // the last of them
  std::set<std::pair<std::uintptr_t, std::string>> told_copies_;  // by the call, and what is copied
  program_devices devices_;
  stream_order order_;
  program_graphs graphs_{*this};
  program_pools pools_{*this};
  program_mappings mappings_{*this};
  program_modules modules_{*this};
  program_libraries libraries_{*this};
  std::vector<pending_operation> pending_;
  std::vector<std::unique_ptr<unfinished_work>> unfinished_;  // in the order of the host's calls
  std::uint64_t works_ = 0;                                   // that were ever among them
  cuda_on_cpu::stack_pool stacks_;
  std::deque<pid_t> processes_;  // that run schedules
  std::map<const void*, kernel_known> kernels_;
  std::map<const void*, std::uint64_t> shared_limits_;
  std::set<const void*> with_large_clusters_;  // kernels
  std::uint32_t next_serial_ = 1;
  std::uint64_t launches_ = 0, operations_ = 0, accesses_ = 0, watched_launches_ = 0, blocks_ = 0,
                watched_blocks_ = 0;
  double watched_seconds_ = 0;
  const std::optional<std::regex> kernel_filter_;
  std::map<std::string, std::uint64_t> launches_of_;  // of kernels by their names
  int last_error_ = 0, lasting_error_ = 0;
  int device_error_ = 0;  // of launches by kernels
  struct failed_child {
    place by;
    std::string why;
  };
  std::optional<failed_child> failed_child_;  // while no thread has asked
  launch_tree tree_;                          // of the present launch of the host's
  bool have_children_ = false;                // under an earlier schedule of it
  reported* unasked_ = nullptr;               // a launch that failed, while nobody has asked
  std::map<std::string, reported> reported_;
  std::vector<launch_profile> profiles_;
  bool has_launch_failed_ = false;  // what it was to write is not there
  struct unwritten_read {
    std::size_t number;
    std::uintptr_t address;
    std::string kernel;
    bool is_filled_since;
  };
  std::vector<unwritten_read> unwritten_reads_;
  /// Plain reads by the host of what a kernel updates by atomics alone.
  struct read_beside_atomics {
    std::size_t number;
    std::uintptr_t address;
    std::thread::id by;
  };
  std::vector<read_beside_atomics> reads_beside_atomics_;  // the latest of each thread
  std::atomic<bool> has_reads_beside_atomics_{false};
};

/// The one of this process, where it runs a program; null elsewhere.
extern program_runtime* running_program;

}  // namespace heddle::checker
