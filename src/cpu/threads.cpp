#include <heddle/cpu/threads.hpp>
#include <heddle/error.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

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

/// Arenas are dear to make: one for each number of threads, kept. They are never destroyed, as threads may
/// outlive the static objects of this library. None where the system gives no thread but this one.
tbb::task_arena* arena_for(int threads) {
  static std::mutex mutex;
  static auto& arenas = *new std::map<int, std::unique_ptr<tbb::task_arena>>;
  static auto& permit = *new std::unique_ptr<tbb::global_control>;
  static std::size_t given = 1;
  std::lock_guard lock(mutex);
  auto& arena = arenas[threads];
  if (!arena) {
    const auto wanted = static_cast<std::size_t>(threads);
    if (wanted > given) {
      given = std::max(given, threads_given(wanted));
      if (given == 1) return nullptr;
      // oneTBB has a worker for each core, unless it is told.
      constexpr auto workers = tbb::global_control::max_allowed_parallelism;
      if (given < wanted || wanted > tbb::global_control::active_value(workers)) {
        permit.reset();  // of two, oneTBB heeds the smaller
        permit = std::make_unique<tbb::global_control>(workers, given);
      }
    }
    arena = std::make_unique<tbb::task_arena>(static_cast<int>(std::min(wanted, given)));
  }
  return arena.get();
}

}  // namespace

// Where the system refuses a thread, oneTBB ends the process. Here some are left to others then, and to the
// system until it has taken back these.
std::size_t threads_given(std::size_t wanted) {
  std::latch all_are_there(1);
  constexpr std::size_t spare = 2;
  bool is_refused = false;
  std::vector<std::thread> others;
  others.reserve(wanted);
  try {
    while (others.size() + 1 < wanted) others.emplace_back([&] { all_are_there.wait(); });
  } catch (const std::exception&) {
    is_refused = true;
  }
  all_are_there.count_down();
  for (std::thread& other : others) other.join();
  const std::size_t given = others.size() + 1;
  return is_refused ? std::max(given, spare + 1) - spare : given;
}

void for_slices(int threads, std::size_t count, std::size_t grain,
                detail::function_ref<void(std::size_t, std::size_t)> f) {
  if (count == 0) return;
  // More slices than threads, so that a thread that the system held up does not hold up the rest.
  const std::size_t slices = threads <= 1 ? 1
                                          : std::min<std::size_t>(count / std::max<std::size_t>(grain, 1),
                                                                  static_cast<std::size_t>(threads) * 8);
  if (slices <= 1) {
    f(0, count);
    return;
  }
  const detail::operation* const caller = detail::operation::current();
  char started = 0, finished = 0;
  const acquire_on_leaving end_of_call{&finished};
  HEDDLE_RELEASE(&started);
  const auto work = [&](std::size_t slice) {
    HEDDLE_ACQUIRE(&started);
    const release_on_leaving end_of_slice{&finished};
    const detail::on_behalf_of naming(caller);
    const std::size_t each = count / slices, rest = count % slices;
    const std::size_t first = slice * each + std::min(slice, rest);
    f(first, first + each + (slice < rest ? 1 : 0));
  };
  tbb::task_arena* const arena = arena_for(threads);
  if (arena == nullptr) {
    for (std::size_t slice = 0; slice < slices; ++slice) work(slice);
    return;
  }
  // Isolated: a thread that waits for these slices must not take one of another call, whose lock it may hold.
  arena->execute(
      [&] { tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, slices, work); }); });
}

void on_threads(int threads, std::size_t calls, detail::function_ref<void()> f) {
  for_slices(threads, calls, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t call = first; call < last; ++call) {
      tbb::this_task_arena::isolate([&] { f(); });
    }
  });
}

}  // namespace heddle::cpu
