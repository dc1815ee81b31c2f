#include "checker/program/unfinished_work.hpp"

#include "checker/engine/engine.hpp"
#include "checker/host/host_threads.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <thread>
#include <utility>

/// What is on streams and not done. Most is done at once. A launch whose threads wait for what the host or
/// another launch may do stays unfinished meanwhile, and what is put on a stream behind it is done later.
namespace heddle::checker {

namespace errors = heddle_device::cuda_error;

void program_runtime::unfinished_launch::add_beside(const pending_operation& p) {
  if (runs) return runs->add_beside(p.work);
  kernel.beside.push_back(p.work);
  beside_.push_back(p.when);
}

std::vector<std::unique_ptr<program_runtime::unfinished_work>>::iterator program_runtime::find_work(
    std::uint64_t number) {
  return std::find_if(unfinished_.begin(), unfinished_.end(),
                      [&](const auto& w) { return w->number == number; });
}

/// The numbers of what is unfinished and comes before what was last put on the stream.
std::vector<std::uint64_t> program_runtime::work_before(void* stream) const {
  std::vector<std::uint64_t> result;
  for (const auto& w : unfinished_) {
    if (order_.comes_before(w->when, stream)) result.push_back(w->number);
  }
  return result;
}

program_runtime::unfinished_work& program_runtime::put_off(const stream_order::operation& when,
                                                           std::vector<std::uint64_t> before) {
  unfinished_work& w = *unfinished_.emplace_back(std::make_unique<unfinished_work>());
  w.when = when;
  w.number = ++works_;
  w.after = std::move(before);
  w.device = present_device();
  const work_origin* const origin = work_origin::present();
  w.origin = {present_calls(), origin != nullptr ? origin->graph : nullptr};
  return w;
}

void program_runtime::do_after(std::vector<std::uint64_t> before, const stream_order::operation& when,
                               std::function<void()> effect) {
  if (before.empty()) return effect();
  put_off(when, std::move(before)).effect = std::move(effect);
}

/// One that nothing unfinished comes before: lets it begin, or go on. Says whether it has got on.
bool program_runtime::attend(unfinished_work& w) {
  const origin_scope asked(&w.origin);
  if (w.launch) {
    unfinished_launch& l = *w.launch;
    const bool begins = l.runs == nullptr;
    const bool gets_on = begins ? (begin(l), true) : go_on(l);
    if (!l.runs->is_waiting()) finish(l);
    return gets_on;
  }
  const device_scope present(w.device);
  w.by = std::this_thread::get_id();
  w.effect();
  w.by = {};
  return true;
}

/// Lets all unfinished work go on for as long as any of it gets on.
void program_runtime::go_on_with_all() {
  if (unfinished_.empty()) return;
  const auto seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  double last_end = seconds();
  for (bool get_on = true; get_on;) {
    get_on = false;
    // By numbers: a function of the host's may put on streams, and end, what it likes.
    std::vector<std::uint64_t> numbers;
    for (const auto& w : unfinished_) numbers.push_back(w->number);
    for (const std::uint64_t number : numbers) {
      const auto known = find_work(number);
      if (known == unfinished_.end() || (*known)->is_at_work()) continue;
      unfinished_work& w = **known;
      const bool is_held_up = std::any_of(w.after.begin(), w.after.end(), [&](std::uint64_t other) {
        return find_work(other) != unfinished_.end();
      });
      if (is_held_up) continue;
      // After a fault nothing begins.
      if (lasting_error_ != 0 && !(w.launch && w.launch->runs)) {
        unfinished_.erase(known);
        get_on = true;
        continue;
      }
      engine* const runs = w.launch ? w.launch->runs.get() : nullptr;
      const std::uint64_t ended = runs != nullptr ? runs->ended() : 0;
      if (runs != nullptr && seconds() - last_end > options_.seconds_without_end)
        runs->end_hang(engine::hang::nothing_ends);
      get_on |= attend(w);
      const auto again = find_work(number);
      if (again == unfinished_.end()) continue;
      if (runs != nullptr && runs->ended() != ended) last_end = seconds();
      if (w.launch && w.launch->runs->is_waiting()) continue;
      unfinished_.erase(again);
      get_on = true;
    }
  }
}

/// The host waits for what it knows to be done then. Where nobody is left who could end that, it is told.
void program_runtime::complete_done() {
  if (unfinished_.empty()) return;
  const auto is_waited_for = [&](const auto& w) {
    return order_.is_done(w->when) && !w->is_of_this_thread();
  };
  const auto waits = [&] {
    go_on_with_all();
    return std::any_of(unfinished_.begin(), unfinished_.end(), is_waited_for);
  };
  using std::chrono::milliseconds;
  constexpr milliseconds each(10), longest_asleep(3000);
  // Between two looks a thread that was just woken has begun to run.
  constexpr int looks = 2;
  const std::chrono::duration<double> longest(options_.seconds_without_end);
  milliseconds waited(0), asleep(0);
  int blocked = 0;
  // Another thread of the host may do it, for which it needs the lock.
  const auto pause = [&] {
    mutex_.unlock();
    std::this_thread::sleep_for(each);
    const other_threads others = look_at_other_threads();
    mutex_.lock();
    waited += each;
    asleep += others == other_threads::running ? milliseconds(0) : each;
    blocked = others > other_threads::blocked ? 0 : blocked + 1;
  };
  if (waits() && look_at_other_threads() != other_threads::absent) {
    while (waits() && blocked < looks && asleep < longest_asleep && waited < longest) pause();
  }
  while (waits()) {
    const auto first = std::find_if(unfinished_.begin(), unfinished_.end(), is_waited_for);
    if ((*first)->is_at_work()) {
      pause();
      continue;
    }
    const std::unique_ptr<unfinished_work> w = std::move(*first);
    unfinished_.erase(first);
    // One failure ends them all.
    if (!w->launch || !w->launch->runs || lasting_error_ != 0) continue;
    const origin_scope asked(&w->origin);
    w->launch->runs->give_up();
    finish(*w->launch);
  }
}

/// Before memory goes that they may still use.
void program_runtime::complete_all() {
  if (unfinished_.empty()) return;
  let_host_wait([&] { order_.wait_for_all(); });
}

template <class F>
bool program_runtime::is_any_unfinished(F precedes) {
  go_on_with_all();
  return std::any_of(unfinished_.begin(), unfinished_.end(),
                     [&](const auto& l) { return precedes(l->when); });
}

int program_runtime::ask_stream(void* stream) {
  {
    const auto lock = lock_unless_in_kernel();
    const auto precedes = [&](const auto& when) { return order_.comes_before(when, stream); };
    if (!unfinished_.empty() && order_.is_stream(stream) && is_any_unfinished(precedes))
      return errors::not_ready;
  }
  return wait_for_stream(stream);
}

int program_runtime::ask_event(void* event) {
  {
    const auto lock = lock_unless_in_kernel();
    const auto precedes = [&](const auto& when) { return order_.comes_before_event(when, event); };
    if (!unfinished_.empty() && order_.is_event(event) && is_any_unfinished(precedes))
      return errors::not_ready;
  }
  return wait_for_event(event);
}

}  // namespace heddle::checker
