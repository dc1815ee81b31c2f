#include "checker/engine/engine.hpp"

#include <iterator>
#include <utility>

/// Launches by threads of a kernel.
namespace heddle::checker {

void engine::add_child(thread_state& t, std::unique_ptr<child_launch> c, std::string written,
                       const std::vector<std::uintptr_t>& frames) {
  note_change();
  c->by = place_of_call(t, std::move(written), frames);
  if (options_.is_watched) c->before = now_of(t);
  c->before_grid = grid_base_;
  // What the thread does from here on is not before it.
  ++t.clock;
  children_.push_back(std::move(c));
}

std::vector<std::unique_ptr<child_launch>> engine::take_children() {
  return std::exchange(children_, {});
}

place engine::place_of_call(const thread_state& t, std::string what,
                            const std::vector<std::uintptr_t>& frames) const {
  place p = place_of(t, std::move(what), frames.empty() ? 0 : frames.front());
  if (frames.size() > 1) p.callers.assign(frames.begin() + 1, frames.end());
  return p;
}

void engine::report_launch(finding_kind kind, const place& by, const std::string& why) {
  const std::uintptr_t pc = by.callers.empty() ? by.pc : by.callers.back();
  finding* const f = report(kind, pc, 0, nullptr);
  if (f == nullptr) return;
  f->places.push_back(by);
  f->detail = why;
}

/// What another engine has found, of a launch by a thread at `by`.
void engine::adopt(engine& other, const place& by) {
  const bool was_stopped = other.is_stopping();
  launch_outcome outcome = other.result();
  for (finding& f : outcome.findings) {
    const bool is_there = !f.places.empty() && f.places.back().pc == by.pc && f.places.back().what == by.what;
    if (!is_there) f.places.push_back(by);
    f.schedule = schedule_;
    outcome_.findings.push_back(std::move(f));
  }
  watched_ += outcome.accesses;
  outcome_.watched_seconds += outcome.watched_seconds;
  if (schedule_ == 0) {
    outcome_.printed += outcome.printed;
    outcome_.blocks += outcome.blocks;
    outcome_.watched_blocks += outcome.watched_blocks;
  }
  is_stopping_ |= was_stopped;
}

}  // namespace heddle::checker
