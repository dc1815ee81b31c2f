#include "array/on_behalf_of.hpp"
#include "cpu/threads_of_call.hpp"
#include "target/process_limits.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/core/part_begin.hpp>
#include <heddle/interruption.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <latch>
#include <map>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <unistd.h>

#if defined(HEDDLE_TSAN)
// oneTBB's library is not instrumented: the sanitizer is told by hand that slices start after the call and
// end before its return.
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#define HEDDLE_ACQUIRE(address) __tsan_acquire(address)
#define HEDDLE_RELEASE(address) __tsan_release(address)
#else
#define HEDDLE_ACQUIRE(address) static_cast<void>(address)
#define HEDDLE_RELEASE(address) static_cast<void>(address)
#endif

namespace heddle {
namespace {

thread_local interruptible* interrupted_with = nullptr;

/// Thrown on threads that work for one that is interrupted; the caller never sees it.
class interrupted_elsewhere final : public interruption {};

}  // namespace

interruptible::interruptible(function_ref<void()> ask, std::chrono::nanoseconds between) noexcept
    : ask_(ask), between_(between) {}
interruptible::~interruptible() = default;

interruptible* interruptible::current() noexcept {
  return interrupted_with;
}

void interruptible::check() {
  if (std::this_thread::get_id() != asked_on_) {
    if (is_ended_) throw interrupted_elsewhere();
    return;
  }
  if (is_ended_) std::rethrow_exception(thrown_);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  try {
    ask_();
  } catch (...) {
    thrown_ = std::current_exception();
    is_ended_ = true;
    throw;
  }
  next_ = now + between_;
}

interruptible::shared::shared(interruptible* of) noexcept : before_(interrupted_with) {
  interrupted_with = of;
}
interruptible::shared::~shared() {
  interrupted_with = before_;
}

}  // namespace heddle

namespace heddle::cpu {
namespace {

// A slice may end, and the call return, by an exception.
struct release_on_leaving {
  char* address;
  ~release_on_leaving() { HEDDLE_RELEASE(address); }
};
struct acquire_on_leaving {
  char* address;
  ~acquire_on_leaving() { HEDDLE_ACQUIRE(address); }
};

/// Has all workers of an arena started now, while the system gives them: each of them, and this thread, waits
/// until the others are there. Not for long: workers may be at other work.
void start_workers(tbb::task_arena& arena, std::size_t threads) {
  std::atomic<std::size_t> there = 0;
  const auto last = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  const auto meet = [&](std::size_t) {
    ++there;
    while (there < threads && std::chrono::steady_clock::now() < last) std::this_thread::yield();
  };
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, threads, meet, tbb::simple_partitioner()); });
}

/// oneTBB's arenas. To make one takes long, so there is one for each number of threads.
struct arenas {
  std::map<int, std::unique_ptr<tbb::task_arena>> all;
  std::vector<std::unique_ptr<tbb::task_arena>> of_all_workers;
  std::vector<std::unique_ptr<tbb::global_control>> limits;
  std::size_t given = 1;
  std::chrono::steady_clock::time_point next_question;

  tbb::task_arena* of(int threads);
};

/// Null if the system gives no thread but this one.
tbb::task_arena* arenas::of(int threads) {
  auto& arena = all[threads];
  if (arena) return arena.get();
  const auto wanted = static_cast<std::size_t>(threads);
  if (wanted > given) {
    // To ask takes longer than a small pattern.
    if (std::chrono::steady_clock::now() < next_question) return nullptr;
    // Callers at once have as many as the cores together, which oneTBB would start when it needs them.
    const std::size_t most = std::max(wanted, static_cast<std::size_t>(available_cores()));
    given = std::max(given, threads_given(most));
    if (given == 1) {
      next_question = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      return nullptr;
    }
    limits.clear();  // of two, oneTBB heeds the smaller
    limits.push_back(
        std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, given));
    limits.push_back(
        std::make_unique<tbb::global_control>(tbb::global_control::thread_stack_size, stack_bytes));
    // Kept, as oneTBB ends its workers when there is no arena.
    of_all_workers.push_back(std::make_unique<tbb::task_arena>(static_cast<int>(given)));
    start_workers(*of_all_workers.back(), given);
  }
  arena = std::make_unique<tbb::task_arena>(static_cast<int>(std::min(wanted, given)));
  return arena.get();
}

/// Of oneTBB. A child of a process that has used it has none of its workers.
constinit first_use of_pool;

/// Null if the system gives no thread but this one.
tbb::task_arena* arena_for(int threads) {
  constinit static fork_aware<arenas> known;
  of_pool.note();
  return known.lock()->of(threads);
}

/// Ends a child that was forked inside a slice and has come back into the call.
[[noreturn]] void end_of_child() noexcept {
  static constexpr std::string_view message =
      "heddle: a process that was forked inside a parallel call returned into that call, whose other threads "
      "it does not have: end such a process by _exit or exec\n";
  static_cast<void>(!write(STDERR_FILENO, message.data(), message.size()));
  _exit(1);
}

}  // namespace

// Where the system refuses a thread, some of the last are left to others, and to the system until it has
// taken back those of this call. Their stacks are as large as those of oneTBB's.
std::size_t threads_given(std::size_t wanted) {
  constexpr std::size_t spare = 2;
  const std::size_t most = std::min(wanted - 1, impl::threads_with_room(0, stack_bytes));
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return 1;
  pthread_attr_setstacksize(&attributes, stack_bytes);
  std::latch all_are_there(1);
  std::vector<pthread_t> others;
  others.reserve(most);
  bool is_refused = false;
  while (others.size() < most && !is_refused) {
    const auto wait = [](void* latch) -> void* {
      static_cast<std::latch*>(latch)->wait();
      return nullptr;
    };
    pthread_t other;
    is_refused = pthread_create(&other, &attributes, wait, &all_are_there) != 0;
    if (!is_refused) others.push_back(other);
  }
  pthread_attr_destroy(&attributes);
  all_are_there.count_down();
  for (const pthread_t other : others) pthread_join(other, nullptr);
  const std::size_t given = others.size() + 1;
  return is_refused ? std::max(given, spare + 1) - spare : given;
}

namespace {

/// Whether slices are kept from starting where the call is interrupted: not where threads wait for each other
/// inside them.
enum class slices_are { independent, waiting };

void share_out(int threads, std::size_t count, std::size_t grain, slices_are kind,
               function_ref<void(std::size_t, std::size_t)> f) {
  if (count == 0) return;
  interruptible* const interruption = interruptible::current();
  if (interruption != nullptr) interruption->check();
  const bool checks = interruption != nullptr && kind == slices_are::independent;
  const auto parts_of = [&](std::size_t most) {
    return std::min<std::size_t>(count / std::max<std::size_t>(grain, 1), most);
  };
  // More slices than threads, so that a thread that the system held up does not hold up the rest; still more
  // where the call may be ended between them.
  const std::size_t slices =
      threads <= 1 ? 1 : parts_of(static_cast<std::size_t>(threads) * (checks ? 64 : 8));
  if (slices <= 1) {
    const std::size_t parts = checks ? std::max<std::size_t>(1, parts_of(256)) : 1;
    for (std::size_t part = 0; part < parts; ++part) {
      if (part > 0) interruption->check();
      f(impl::part_begin(count, parts, part), impl::part_begin(count, parts, part + 1));
    }
    return;
  }
  const operation* const caller = operation::current();
  char started = 0, finished = 0;
  const acquire_on_leaving end_of_call{&finished};
  HEDDLE_RELEASE(&started);
  const std::uint32_t process = forks();
  bool has_threads = true;
  const auto work = [&](std::size_t slice) {
    HEDDLE_ACQUIRE(&started);
    const release_on_leaving end_of_slice{&finished};
    const impl::on_behalf_of naming(caller);
    const interruptible::shared interrupts(interruption);
    try {
      if (checks) interruption->check();
      f(impl::part_begin(count, slices, slice), impl::part_begin(count, slices, slice + 1));
    } catch (...) {
      // Thrown again by the caller itself: of several exceptions oneTBB keeps any one.
      if (has_threads && forks() != process) end_of_child();
      if (interruption == nullptr || !interruption->is_ended()) throw;
    }
    if (has_threads && forks() != process) end_of_child();
  };
  if (of_pool.was_before_fork()) {
    share_out_to_new_threads(
        threads, slices, kind == slices_are::waiting ? threads_start::at_once : threads_start::as_it_lasts,
        work);
  } else if (tbb::task_arena* const arena = arena_for(threads); arena == nullptr) {
    has_threads = false;
    for (std::size_t slice = 0; slice < slices; ++slice) work(slice);
  } else {
    // Isolated: a thread that waits for these slices must not take one of another call, whose lock it may
    // hold.
    arena->execute(
        [&] { tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, slices, work); }); });
  }
  if (interruption != nullptr && interruption->is_ended()) interruption->check();
}

}  // namespace

void for_slices(int threads, std::size_t count, std::size_t grain,
                function_ref<void(std::size_t, std::size_t)> f) {
  share_out(threads, count, grain, slices_are::independent, f);
}

void on_threads(int threads, std::size_t calls, function_ref<void()> f) {
  share_out(threads, calls, 1, slices_are::waiting, [&](std::size_t first, std::size_t last) {
    for (std::size_t call = first; call < last; ++call) {
      if (threads <= 1 || of_pool.was_before_fork()) {
        f();
      } else {
        of_pool.note();
        tbb::this_task_arena::isolate([&] { f(); });
      }
    }
  });
}

}  // namespace heddle::cpu
