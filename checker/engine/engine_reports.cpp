#include "checker/engine/engine.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

/// What is said of accesses that are wrong, and of threads that do not end.
namespace heddle::checker {

using heddle_device::index3;

std::string access_text(std::uint8_t flags) {
  if ((flags & record::is_volatile) != 0)
    return (flags & record::write) != 0 ? "writes, as volatile," : "reads, as volatile,";
  if ((flags & record::atomic) != 0)
    return (flags & record::write) != 0 ? "updates atomically" : "reads atomically";
  return (flags & record::write) != 0 ? "writes" : "reads";
}

void engine::outside(thread_state& t, region& r, std::uintptr_t address, std::size_t, std::uint8_t flags,
                     std::uintptr_t pc) {
  t.out_of_bounds.reset();
  const bool is_freed = r.freed_bytes != 0 && address - r.begin < r.freed_bytes;
  if (finding* f = report(is_freed ? finding_kind::use_after_free : finding_kind::out_of_bounds, pc, 0,
                          r.identity())) {
    f->places.push_back(place_of(t, access_text(flags), pc));
    name_element(*f, r, address);
    f->member.clear();  // what is not there has none
    add_places_of_heap(*f, address);
    if (r.is_shared && is_freed) {
      f->detail = block_is_over;
    } else if (r.is_shared && r.bytes == 0 && r.of_blocks->size == heddle_device::shared_variable::dynamic) {
      f->detail = "the launch has no dynamic shared memory: --shared, or the third of <<<...>>>, gives it";
    }
  }
}

namespace {

/// How far apart elements along the first of these axes are.
std::uint64_t stride_of(std::span<const std::uint32_t> lengths) {
  std::uint64_t result = 1;
  for (const std::uint32_t n : lengths.subspan(1)) result *= n;
  return result;
}

}  // namespace

/// The variable of the module, or the shared one, that an index out of its bounds leads out of; null for
/// none.
region* engine::variable_left(const thread_state& t, std::uintptr_t address) const {
  const thread_state::bounds& b = *t.out_of_bounds;
  if (b.lengths.empty()) return nullptr;
  const std::uint64_t stride = stride_of(b.lengths), elements = b.lengths.front() * stride;
  const auto is_left = [&](const region* r) {
    const auto step = static_cast<std::int64_t>(stride * r->element_bytes);
    const auto from_begin = static_cast<std::int64_t>(address - r->begin);
    return r->bytes == elements * r->element_bytes && from_begin >= b.index * step &&
           from_begin < (b.index + 1) * step;
  };
  for (region* const r : regions_) {
    if (r->is_variable && is_left(r)) return r;
  }
  // The dynamic one is as long as the launch says.
  for (std::size_t i = 1; i < layout_.variables.size(); ++i) {
    region* const r = t.block->shared->variable(layout_, i);
    if (is_left(r)) return r;
  }
  return nullptr;
}

/// Whether the access is to another row of an array than the index was to be in: then that is said.
bool engine::leaves_row(thread_state& t, const region& r, std::uintptr_t address, std::uint8_t flags,
                        std::uintptr_t pc) {
  const thread_state::bounds& b = *t.out_of_bounds;
  if (b.lengths.empty() || b.lengths.size() > r.lengths.size() ||
      !std::equal(b.lengths.begin(), b.lengths.end(),
                  r.lengths.end() - static_cast<std::ptrdiff_t>(b.lengths.size())))
    return false;
  const auto stride = static_cast<std::int64_t>(stride_of(b.lengths)), row = b.lengths.front() * stride;
  const auto element = static_cast<std::int64_t>((address - r.begin) / r.element_bytes);
  const std::int64_t begin = element - element % stride - b.index * stride;
  const auto elements = static_cast<std::int64_t>(r.bytes / r.element_bytes);
  if (begin % row != 0 || begin < 0 || begin >= elements) return false;
  finding* const f = report(finding_kind::out_of_bounds, pc, 0, r.identity());
  if (f == nullptr) return true;
  f->places.push_back(place_of(t, access_text(flags), pc));
  name_element(*f, r, address);
  // The row that was meant, and the index that it does not have.
  const std::size_t axis = f->subscripts.size() - b.lengths.size();
  std::int64_t rest = begin / row;
  for (std::size_t k = axis; k-- > 0;) {
    const auto length = static_cast<std::int64_t>(k == 0 ? f->lengths[0] : r.lengths[k - 1]);
    f->subscripts[k] = k == 0 ? rest : rest % length;
    rest /= length;
  }
  f->subscripts[axis] = b.index;
  return true;
}

void engine::nowhere(thread_state& t, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
                     std::uintptr_t pc) {
  // Constants that the compiler put into the module.
  if (address >= module_.base() && address + bytes <= module_.end()) return;
  // What it was launched with, where it is copied for each thread.
  if (address >= kernel_.first_argument && address + bytes <= kernel_.last_argument) return;
  if (const auto beyond = kernel_.beyond_reach ? kernel_.beyond_reach(address) : std::nullopt) {
    if (finding* f = report(finding_kind::peer_access, pc, 0, beyond->of->identity())) {
      f->places.push_back(place_of(t, access_text(flags), pc));
      name_element(*f, *beyond->of, address);
      f->detail = beyond->why;
    }
    return stop(t);
  }
  if (finding* f = report(finding_kind::out_of_bounds, pc, 0, nullptr)) {
    f->places.push_back(place_of(t, access_text(flags), pc));
    const bool other_stack =
        std::any_of(t.block->threads.begin(), t.block->threads.end(), [&](const thread_state& other) {
          return other.stack != nullptr && address - other.stack_low < stack_pool::stack_bytes;
        });
    f->detail = address < 4096            ? "a null pointer"
                : other_stack             ? "a local variable of another thread"
                : kernel_.explain_address ? kernel_.explain_address(address)
                                          : fmt::format("address {:#x} belongs to no array", address);
    if (other_stack) return;
  }
  stop(t);
}

void engine::report_race(thread_state& t, region& r, const record& before, std::uint8_t mask,
                         std::uint8_t flags, std::uint8_t where, std::uintptr_t address, std::uintptr_t pc) {
  const block_state& b = *t.block;
  record present;
  present.block = b.serial;
  present.thread = static_cast<std::uint16_t>(t.index);
  present.pc = static_cast<std::uint32_t>(pc - module_.base());
  present.flags = static_cast<std::uint8_t>(flags | where << 2);
  using threads = race_facts::threads;
  race_facts facts;
  facts.apart = present.block != before.block               ? threads::of_blocks
                : present.thread / 32 != before.thread / 32 ? threads::of_a_block
                                                            : threads::of_a_warp;
  facts.writes_meet = (present.kind() & before.kind() & record::write) != 0;
  facts.reads_meet = !facts.writes_meet;
  facts.is_volatile = ((present.flags | before.flags) & record::is_volatile) != 0;
  facts.is_scope_too_narrow = (present.kind() & before.kind() & record::atomic) != 0 && !facts.is_volatile;
  const auto is_function = [](const record& a) {
    return (a.flags & (record::atomic | record::is_volatile)) == record::atomic;
  };
  facts.is_one_atomic = !facts.is_scope_too_narrow && (is_function(present) || is_function(before));
  facts.lacks_acquire = t.pending && t.pending->has(before.block, before.thread, before.clock);
  facts.is_told = facts.apart == threads::of_blocks &&
                  (t.seen.has(before.block, before.clock) || b.seen.has(before.block, before.clock));

  finding& f = meet(finding_kind::data_race, module_.base() + std::min(present.pc, before.pc),
                    module_.base() + std::max(present.pc, before.pc), r.identity());
  if (facts.writes_meet && !f.race.values_differ) {
    thread_state::racing_write w{static_cast<std::size_t>(&f - outcome_.findings.data()), address,
                                 static_cast<std::uint32_t>(std::popcount(static_cast<unsigned>(mask))), 0};
    std::memcpy(&w.before, reinterpret_cast<const void*>(address), w.bytes);
    t.racing_writes.push_back(w);
  }
  // Told are those that are farthest apart.
  const bool tells = f.places.empty() || facts.apart > f.race.apart;
  f.race.join(facts);
  if (!tells) return;
  f.places = {place_of(present, first_serial_, options_.block, options_.grid),
              place_of(before, first_serial_, options_.block, options_.grid)};
  name_element(f, r, address);
}

/// What a launch, or a copy, on another stream does to the same bytes; `before` is the record of a launch.
void engine::report_race_of_streams(thread_state& t, const region& r, const concurrent_work& other,
                                    const record* before, std::uint8_t flags, std::uintptr_t address,
                                    std::uintptr_t pc) {
  finding* const f = report(finding_kind::data_race, pc, before != nullptr ? before->pc : 0, &other);
  if (f == nullptr) return;
  f->places.push_back(place_of(t, access_text(flags), pc));
  if (before != nullptr) f->places.push_back(place_of(*before, other.first_serial, other.block, other.grid));
  f->places.push_back(other.by);
  name_element(*f, r, address);
  const bool are_atomic = before != nullptr && (before->kind() & flags & record::atomic) != 0 &&
                          ((before->flags | flags) & record::is_volatile) == 0;
  f->detail = other.is_on_other_device && are_atomic ? atomics_of_devices : other.why;
}

place engine::place_of(const thread_state& t, std::string what, std::uintptr_t pc) const {
  place p;
  p.what = std::move(what);
  p.pc = pc;
  p.thread = t.at;
  p.block = t.block->at;
  p.grid = options_.grid;
  p.block_size = options_.block;
  return p;
}

place engine::place_of(const thread_state& t, std::string what, const checked_place& at) const {
  place p = place_of(t, std::move(what), at.pc);
  p.file = at.file;
  p.line = at.line;
  p.column = at.column;
  return p;
}

/// Of a launch whose blocks are numbered from first_serial on in groups of a grid, one for each schedule.
place engine::place_of(const record& r, std::uint32_t first_serial, index3 block, index3 grid) const {
  place p;
  p.what = access_text(r.flags);
  p.pc = module_.base() + r.pc;
  p.thread = cuda_on_cpu::split(r.thread, block);
  p.grid = grid;
  p.block_size = block;
  p.block = cuda_on_cpu::split((r.block - first_serial) % cuda_on_cpu::volume(grid), grid);
  return p;
}

finding* engine::report(finding_kind kind, std::uintptr_t pc1, std::uintptr_t pc2, const void* about) {
  finding& f = meet(kind, pc1, pc2, about);
  return f.count == 1 ? &f : nullptr;
}

finding& engine::meet(finding_kind kind, std::uintptr_t pc1, std::uintptr_t pc2, const void* about) {
  std::uint64_t key = static_cast<std::uint64_t>(kind);
  for (const std::uintptr_t part : {pc1, pc2, reinterpret_cast<std::uintptr_t>(about)}) {
    key = (key ^ part) * 0x9E3779B97F4A7C15u;
    key ^= key >> 29;
  }
  const auto [at, is_new] = reported_.try_emplace(key, outcome_.findings.size());
  if (is_new) {
    outcome_.findings.emplace_back();
    outcome_.findings.back().kind = kind;
    outcome_.findings.back().schedule = schedule_;
    outcome_.findings.back().count = 0;
  }
  finding& f = outcome_.findings[at->second];
  ++f.count;
  return f;
}

namespace {

/// A compiler's name of a type, without the words that it adds to the source's.
std::string_view as_written(std::string_view type) {
  for (const std::string_view word : {"const ", "volatile ", "struct ", "union ", "class "}) {
    if (type.starts_with(word)) type.remove_prefix(word.size());
  }
  return cuda_on_cpu::trimmed(type);
}

}  // namespace

void engine::index_out_of_bounds(thread_state& t, const checked_place& at, std::int64_t index,
                                 std::string_view type) {
  if (t.out_of_bounds) flush_bounds(t);
  t.out_of_bounds = std::make_unique<thread_state::bounds>();
  thread_state::bounds& b = *t.out_of_bounds;
  b.at = place_of(t, "indexes", at);
  b.index = index;
  const std::size_t open = std::min(type.find('['), type.size());
  b.type = as_written(type.substr(0, open));
  for (std::size_t i = open; i < type.size() && type[i] == '['; i = type.find(']', i) + 1)
    b.lengths.push_back(static_cast<std::uint32_t>(std::strtoul(type.data() + i + 1, nullptr, 10)));
}

/// An index was out of an array's bounds and the access that followed told nothing of it: it stayed within
/// another variable, or was to local memory. The variable is known by the source.
void engine::flush_bounds(thread_state& t) {
  const std::unique_ptr<thread_state::bounds> b = std::move(t.out_of_bounds);
  finding* const f = report(finding_kind::out_of_bounds, b->at.pc, 0, nullptr);
  if (f == nullptr) return;
  f->index = b->index;
  f->subscripts = {b->index};
  f->lengths.assign(b->lengths.begin(), b->lengths.end());
  f->extent = b->lengths.empty() ? 0 : b->lengths.front();
  f->type = b->type;
  f->detail = fmt::format("index {} of {}", b->index, array_text(*f));
  f->places.push_back(std::move(b->at));
}

void engine::misaligned(thread_state& t, std::uintptr_t address, const checked_place& at,
                        std::size_t alignment, std::string_view type, bool is_access) {
  const region* const r = find(t, address);
  finding* const f =
      report(finding_kind::misaligned_access, at.pc, 0, r == nullptr ? nullptr : r->identity());
  if (f != nullptr) {
    f->places.push_back(place_of(t, "accesses", at));
    if (r != nullptr) name_element(*f, *r, address);
    f->detail = fmt::format("{} needs an address that {} bytes divide: this is {} bytes past one",
                            as_written(type), alignment, address % alignment);
  }
  if (is_access) stop(t);
}

void engine::misaligned_atomic(thread_state& t, const region* r, std::uintptr_t address,
                               std::size_t alignment, std::uintptr_t pc) {
  finding* const f = report(finding_kind::misaligned_access, pc, 0, r == nullptr ? nullptr : r->identity());
  if (f == nullptr) return;
  f->places.push_back(place_of(t, "updates atomically", pc));
  if (r != nullptr) name_element(*f, *r, address);
  f->detail = fmt::format("an atomic of {} bytes needs an address that {} bytes divide: this is {} past one",
                          alignment, alignment, address % alignment);
}

void engine::failed_assertion(thread_state& t, const char* expression, const char* file, unsigned line) {
  if (finding* f = report(finding_kind::assertion, line, std::hash<std::string>()(file), nullptr)) {
    place p = place_of(t, "fails", 0);
    p.file = file;
    p.line = line;
    f->places.push_back(std::move(p));
    f->detail = fmt::format("assert({})", expression);
  }
  stop(t);
}

void engine::compare_written(thread_state& t) {
  for (const thread_state::racing_write& w : t.racing_writes) {
    std::uint64_t now_there = 0;
    std::memcpy(&now_there, reinterpret_cast<const void*>(w.address), w.bytes);
    if (now_there != w.before) outcome_.findings[w.finding].race.values_differ = true;
  }
  t.racing_writes.clear();
}

void engine::wide_shift(thread_state& t, unsigned by, unsigned bits, std::uintptr_t pc) {
  finding* const f = report(finding_kind::wide_shift, pc, 0, nullptr);
  if (f == nullptr) return;
  f->level = severity::warning;
  f->places.push_back(place_of(t, "shifts", pc));
  f->detail = fmt::format(
      "{} bits by {}: C++ does not say what that is; a GPU leaves nothing but the sign, other processors "
      "take the "
      "amount modulo {}",
      bits, static_cast<int>(by), bits);
}

void engine::trap(thread_state& t, std::uintptr_t pc) {
  if (finding* f = report(finding_kind::trap, pc, 0, nullptr))
    f->places.push_back(place_of(t, "stops the launch", pc));
  stop(t);
}

void engine::report_deadlock() {
  finding* const f = report(finding_kind::deadlock, 0, 0, nullptr);
  if (f == nullptr) return;
  constexpr const char* spins = "spins";
  bool waits_for_host = false, waits_for_launch = false;
  struct group {
    const thread_state* first;
    std::string what;
    std::size_t count;
  };
  std::map<std::pair<std::uintptr_t, int>, group> groups;
  for (const auto& b : blocks_) {
    for (const thread_state& t : b->threads) {
      if (t.waits_for == waiting::done) continue;
      const bool at_group = t.waits_for == waiting::group;
      const bool at_barrier = t.waits_for == waiting::barrier || t.waits_for == waiting::grid || at_group ||
                              t.waits_for == waiting::numbered_barrier;
      const std::string what =
          t.waits_for == waiting::barrier            ? "waits at the barrier"
          : t.waits_for == waiting::numbered_barrier ? fmt::format("waits at barrier {}", t.number)
          : t.waits_for == waiting::grid             ? "waits at the grid's barrier"
          : at_group ? fmt::format("waits for the others to arrive at the {}'s barrier", name_of(t.group))
          : t.waits_for == waiting::warp ? "waits for lanes of its warp"
                                         : spins;
      const std::uintptr_t pc = at_barrier ? 0 : t.waits_for == waiting::warp ? t.visit.pc : t.looks_from;
      auto [at, is_new] = groups.try_emplace({pc, at_barrier ? t.line : 0}, group{&t, what, 0});
      ++at->second.count;
    }
  }
  for (const auto& [key, g] : groups) {
    if (f->places.size() == 4) break;
    std::string what = g.count == 1 ? g.what : fmt::format("{} (as {} threads do)", g.what, g.count);
    place p = key.first == 0 ? place_at_barrier(*g.first, std::move(what))
                             : place_of(*g.first, std::move(what), key.first);
    if (f->variable.empty() && g.first->looks_at != nullptr && g.what == spins) {
      const auto a = reinterpret_cast<std::uintptr_t>(g.first->looks_at);
      for (const auto& r : regions_) {
        if (!r->has(a, 1)) continue;
        name_element(*f, *r, a);
        waits_for_host |= r->host_can_write;
        waits_for_launch |= kernel_.has_other_streams;
      }
    }
    f->places.push_back(std::move(p));
  }
  f->detail = "no thread can go on: all that are left wait for something that none of them does";
  // A launch is over here before the host goes on.
  if ((waits_for_host || waits_for_launch) && !may_wait_)
    f->detail +=
        fmt::format("; if {} does it meanwhile, a GPU may go on: here a launch runs alone, to its end",
                    !waits_for_launch ? "the host"
                    : waits_for_host  ? "the host or a launch on another stream"
                                      : "a launch on another stream");
}

/// A kernel was stopped that has not ended for long.
void engine::report_hang(thread_state& t, std::uintptr_t pc) {
  if (hangs_.load(std::memory_order_relaxed) == hang::time_is_over) return;
  const bool changes = hangs_.load(std::memory_order_relaxed) == hang::nothing_ends;
  finding* const f = report(changes ? finding_kind::no_end : finding_kind::deadlock, pc, 0, nullptr);
  if (f == nullptr) return;
  f->places.push_back(place_of(t, "goes on without end", is_in_module(pc) ? pc : 0));
  f->detail = changes ? fmt::format(
                            "no thread has ended for {} s of processor time: threads keep one another "
                            "from it, or they take longer, which --timeout allows",
                            options_.seconds_without_end)
                      : "it neither ends nor waits, and nothing changes any more: a loop cannot see what "
                        "others write unless it reads it as volatile or atomic";
}

void engine::crash(thread_state& t, std::uintptr_t pc, const char* what, std::uintptr_t address) {
  if (address == hang_address) {
    report_hang(t, is_in_module(pc) ? pc + 1 : 0);
  } else if (std::any_of(outcome_.findings.begin(), outcome_.findings.end(),
                         [](const finding& f) { return f.kind == finding_kind::misaligned_access; })) {
    // The processor needs that alignment, too.
  } else if (finding* f = report(finding_kind::crash, pc, 0, nullptr)) {
    f->places.push_back(place_of(t, "stops", is_in_module(pc) ? pc + 1 : 0));
    f->detail = what;
  }
  stop(t);
}

}  // namespace heddle::checker
