#include "checker/engine/engine.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace heddle::checker {
namespace {

using heddle_device::scope;

static_assert(cuda_on_cpu::most_threads_a_block <= 1u << record::thread_bits);
static_assert(cuda_on_cpu::most_threads_a_block - 1 <= std::numeric_limits<decltype(record::thread)>::max());

/// Reads of two threads since the last barrier, of two warps if there are, stand for those of any more.
bool readers_suffice(std::uint32_t one, std::uint32_t other, std::uint32_t third) {
  return one / 32 != other / 32 || other / 32 == third / 32;
}

bool reaches(scope s, bool same_block) {
  return s >= scope::device || (same_block && s >= scope::block);
}

}  // namespace

/// Threads change before what an access does, not between its record and its effect.
[[gnu::always_inline]] inline void engine::change_threads(thread_state& t, std::uintptr_t pc) {
  settle_writes(t);
  if (options_.legacy_warps) return yield(t, false);
  if (--t.slice != 0) return;
  if (hangs_.load(std::memory_order_relaxed) != hang::none) crash(t, pc - 1, nullptr, hang_address);
  yield(t, !slices_ && !is_profiling_);
}

/// What most accesses need, of one record.
[[gnu::always_inline]] inline void engine::touch_word(thread_state& t, region& r, std::size_t i,
                                                      std::uint8_t mask, std::uint8_t flags,
                                                      std::uint8_t where, std::uintptr_t address,
                                                      std::uintptr_t pc, bool observes) {
  const block_state& b = *t.block;
  const auto all_flags = static_cast<std::uint8_t>(flags | where << 2);
  record& last = r.last[i];
  const auto renew = [&] {
    last = {b.serial,
            t.clock,
            static_cast<std::uint32_t>(pc - module_.base()),
            static_cast<std::uint16_t>(t.index),
            mask,
            all_flags};
  };
  if (last.block != b.serial || (r.is_of_one_block && last.clock < b.base)) {
    if (r.is_of_one_block || (last.block < first_serial_ && is_alone_)) return renew();
    // A write races with one of two reads by different blocks, which nothing orders.
    if (flags == 0 && last.access() == all_flags && last.mask == mask && kernel_.blocks_are_independent &&
        last.block >= first_serial_ && (last.flags & record::has_more) == 0) {
      if ((last.flags & record::of_blocks) != 0) return;
      if (last.pc >> record::pc_bits == 0 || (last.flags & record::of_pair) != 0) {
        last.flags = static_cast<std::uint8_t>(all_flags | record::of_blocks);
        last.clock = b.serial;
        last.add_thread(t.index);
        return;
      }
    }
  } else if ((last.flags & record::of_blocks) != 0) {
    if (flags == 0 && last.access() == all_flags && last.mask == mask) return;
  } else {
    // What it did since it last told others, and what a write of its own stands for, is known.
    if (last.thread == t.index && last.clock == t.clock && (last.mask & mask) == mask &&
        (last.access() == all_flags || (last.kind() == record::write && flags == 0)))
      return;
    if ((last.flags & record::has_more) == 0 && (flags & record::atomic) == 0) {
      const bool covers =
          (last.mask & ~mask) == 0 && ((flags & record::write) != 0 || (last.kind() & record::write) == 0);
      const bool is_own = last.thread == t.index && (last.flags & record::of_pair) == 0;
      if (covers && (last.clock < b.base || is_own)) return renew();
    }
    // Of reads two stand for all.
    if (flags == 0 && last.access() == all_flags && last.mask == mask && last.clock >= b.base) {
      const bool is_only = (last.flags & record::has_more) == 0;
      if ((last.flags & record::of_pair) != 0) {
        const std::uint32_t second = last.second_thread();
        if (last.thread == t.index || second == t.index || readers_suffice(last.thread, second, t.index))
          return;
        if (is_only) return last.add_thread(t.index);
      } else if (is_only && last.clock == t.clock && last.pc >> record::pc_bits == 0) {
        last.flags |= record::of_pair;
        return last.add_thread(t.index);
      }
    }
  }
  compare_word(t, r, i, mask, flags, where, address, pc, observes);
}

[[gnu::always_inline]] inline void engine::touch_here(thread_state& t, region& r, std::uintptr_t address,
                                                      std::size_t bytes, std::uint8_t flags,
                                                      std::uint8_t where, std::uintptr_t pc) {
  if (!r.has(address, bytes)) return outside(t, r, address, bytes, flags, pc);
  if (r.is_constant && (flags & record::write) != 0) {
    if (finding* f = report(finding_kind::out_of_bounds, pc, 1, &r)) {
      f->places.push_back(place_of(t, "writes", pc));
      name_element(*f, r, address);
      f->detail = "constant memory cannot be written to by a kernel";
    }
    return;
  }
  if (r.of_block != 0 && r.of_block != t.block->serial) [[unlikely]]
    reach_other_block(t, r, address, flags, pc);
  if (is_profiling_) profile_access(t, r, address, bytes, flags, pc);
  const std::size_t offset = address - r.begin;
  if (r.undo != nullptr && (flags & record::write) != 0) r.undo->keep(r, offset, bytes);
  if (!r.written.empty()) {
    // Most are of a few bytes of one word of bits.
    const std::size_t bit = offset % 64;
    std::uint64_t& bits = r.written[offset / 64];
    const std::uint64_t mask = ((std::uint64_t{1} << (bytes % 64)) - 1) << bit;
    if (bytes > 16 || bit + bytes > 64 || (bits & mask) != mask)
      touch_written(t, r, address, bytes, flags, pc);
  }
  if (are_copies_beside_ && !r.is_shared) compare_with_copies(t, r, address, bytes, flags, pc);
  const bool observes = (flags & record::observes) != 0;
  flags &= record::write | record::atomic | record::is_volatile;
  const std::size_t word = std::size_t{1} << r.shift;
  const auto all = static_cast<std::uint8_t>((1u << word) - 1);
  std::size_t i = offset >> r.shift;
  if (bytes == word && (offset & (word - 1)) == 0) {
    touch_word(t, r, i, all, flags, where, address, pc, observes);
  } else {
    const std::size_t end = offset + bytes;
    for (std::size_t at = offset; at < end; ++i) {
      const std::size_t next = std::min((i + 1) << r.shift, end);
      const auto mask = static_cast<std::uint8_t>(((1u << (next - at)) - 1) << (at & (word - 1)));
      touch_word(t, r, i, mask, flags, where, r.begin + at, pc, observes);
      at = next;
    }
  }
  if ((flags & (record::write | record::atomic)) == record::write) {
    t.has_fenced = false;
    if (r.is_shared) return;
    t.is_dirty = true;
    if (!t.locks.empty()) ++t.unfenced_writes, t.last_write_pc = pc;
  }
}

void engine::touch(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
                   std::uint8_t where, std::uintptr_t pc) {
  touch_here(t, r, address, bytes, flags, where, pc);
}

void engine::access(thread_state& t, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
                    std::uintptr_t pc) {
  if (address - t.stack_low < stack_pool::stack_bytes) return;
  change_threads(t, pc);
  if ((flags & record::write) != 0) note_change();
  ++watched_;
  region* const r = find_at(t, address, bytes, pc);
  if (t.out_of_bounds) [[unlikely]] {
    region* const left = variable_left(t, address);
    if (left != nullptr && !left->has(address, bytes)) {
      outside(t, *left, address, bytes, flags, pc);
      if (r == nullptr && !is_in_module(address)) stop(t);
      return;
    }
    const bool is_within = r != nullptr && r->has(address, bytes);
    if (is_within && leaves_row(t, *r, address, flags, pc)) {
      t.out_of_bounds.reset();
    } else if ((r == nullptr || is_within) && ++t.out_of_bounds->accesses_since > 4) {
      flush_bounds(t);
    }
  }
  if (r == nullptr) [[unlikely]]
    return nowhere(t, address, bytes, flags, pc);
  touch_here(t, *r, address, bytes, flags, static_cast<std::uint8_t>(scope::system), pc);
}

void engine::volatile_access(thread_state& t, std::uintptr_t address, std::size_t bytes, bool writes,
                             std::uintptr_t pc, std::uintptr_t state) {
  if (address - t.stack_low < stack_pool::stack_bytes) return;
  region* const r = find(t, address);
  if (r != nullptr && r->has(address, bytes) && bytes <= 8 && !writes) {
    const auto* const p = reinterpret_cast<const void*>(address);
    std::uint64_t value = 0;
    std::memcpy(&value, p, bytes);
    look(t, p, value, pc, state);
    std::memcpy(&t.sees, p, bytes);
  }
  if (!options_.is_watched) {
    if (writes) note_change();
    return;
  }
  const bool is_touched = t.is_watched;
  // A volatile access is a strong one, as an atomic of relaxed order is. To shared memory a write is one
  // where a fence makes it a flag; elsewhere it is what threads of a warp once did without a barrier.
  if (r == nullptr || !r->has(address, bytes) || (r->is_shared && writes && !t.has_fenced)) {
    if (!is_touched) return writes ? note_change() : void();
    return access(t, address, bytes, record::is_volatile | (writes ? record::write : 0), pc);
  }
  change_threads(t, pc);
  ++watched_;
  if (writes) note_change();
  if (writes && !t.has_fenced) {
    t.volatile_region = r;
    t.volatile_address = address;
  }
  // The write is published either way, so that only the flag races, and not the data that it guards.
  const auto flags = static_cast<std::uint8_t>((options_.volatile_is_plain ? 0 : record::atomic) |
                                               record::is_volatile | (writes ? record::write : 0));
  if (is_touched) touch(t, *r, address, bytes, flags, static_cast<std::uint8_t>(scope::system), pc);
  const auto found = synchronisations_->find(address);
  if (!writes && found != synchronisations_->end()) {
    t.pending = joined(t.pending, found->second.to_all);
    if (found->second.block == t.block->serial) t.pending = joined(t.pending, found->second.to_block);
  } else if (writes) {
    const clocks released = r->is_shared ? nullptr : joined(t.released, t.block->released);
    if (released || t.released_in_block) {
      (*synchronisations_)[address] = {released, t.released_in_block, t.block->serial};
    } else if (found != synchronisations_->end()) {
      synchronisations_->erase(found);
    }
    if (!t.locks.empty()) release_lock(t, reinterpret_cast<void*>(address), pc);
  }
}

void engine::copy(thread_state& t, void* to, const void* from, std::size_t bytes, std::uintptr_t pc) {
  if (bytes == 0) return;
  access(t, reinterpret_cast<std::uintptr_t>(from), bytes, 0, pc);
  access(t, reinterpret_cast<std::uintptr_t>(to), bytes, record::write, pc);
}

void engine::set(thread_state& t, void* to, int, std::size_t bytes, std::uintptr_t pc) {
  if (bytes != 0) access(t, reinterpret_cast<std::uintptr_t>(to), bytes, record::write, pc);
}

region* engine::find(thread_state& t, std::uintptr_t address) {
  if (t.block->shared->has(address)) return t.block->shared->find(layout_, address);
  if (t.block->cluster != nullptr) {
    for (const block_state* const other : t.block->cluster->blocks) {
      if (other->shared->has(address)) return other->shared->find(layout_, address);
    }
  }
  if (heap_ != nullptr && heap_->has(address)) {
    device_heap::block* const b = heap_->find(address);
    return b == nullptr ? nullptr : &b->memory;
  }
  const auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                      [](std::uintptr_t a, const region* r) { return a < r->low; });
  if (after == regions_.begin()) return nullptr;
  region* const r = *(after - 1);
  return address < r->high ? r : nullptr;
}

bool engine::comes_before(const record& r, const thread_state& t, const block_state& b) const {
  if (r.block == b.serial) {
    if (r.clock < b.base) return true;
    if (r.thread / 32 == t.index / 32) {
      if (options_.legacy_warps) return true;
      if (t.lanes != nullptr && t.lanes_since == b.barriers && t.lanes[r.thread % 32] > r.clock) return true;
    }
  } else if (r.clock < grid_base_) {
    return true;
  }
  return has_learnt(r, t, b);
}

/// Whether the thread comes after it by what atomics and barriers have told.
bool engine::has_learnt(const record& r, const thread_state& t, const block_state& b) const {
  return (t.learnt && t.learnt->has(r.block, r.thread, r.clock)) ||
         (b.learnt && b.learnt->has(r.block, r.thread, r.clock));
}

/// The launch on another stream that made a record; null for none that may still run.
const concurrent_work* engine::launched_beside(const record& r) const {
  if (kernel_.beside_in_tree) {
    if (const concurrent_work* const found = kernel_.beside_in_tree(r)) return found;
  }
  for (const concurrent_work& other : kernel_.beside) {
    if (r.block >= other.first_serial && r.block < other.last_serial) return &other;
  }
  return nullptr;
}

void engine::compare_with_copies(thread_state& t, const region& r, std::uintptr_t address, std::size_t bytes,
                                 std::uint8_t flags, std::uintptr_t pc) {
  for (const concurrent_work& other : kernel_.beside) {
    if (address < other.last && address + bytes > other.first &&
        (other.writes || (flags & record::write) != 0))
      report_race_of_streams(t, r, other, nullptr, flags, address, pc);
  }
}

/// Of four records the one whose loss hides least: a barrier orders those of this block all at once, so that
/// one of them says as much as several.
record& engine::least_telling(record& last, earlier_records& earlier, std::uint32_t block,
                              std::uint8_t flags) {
  const auto start = static_cast<unsigned>(random_() % 4);
  record* found = nullptr;
  int least = 3;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned which = (start + i) % 4;
    record& r = which == 0 ? last : earlier.slot[which - 1];
    const int tells = r.block != block      ? ((r.kind() & record::write) != 0 ? 2 : 1)
                      : r.access() == flags ? 0
                                            : 1;
    if (tells < least) {
      least = tells;
      found = &r;
    }
  }
  return *found;
}

/// Makes two records of one that stands for two threads.
void engine::part_record(const region& r, std::size_t i) {
  record& last = r.last[i];
  earlier_records& earlier = r.earlier[i];
  const record second = last.part(true, grid_base_);
  const bool has_more = (last.flags & record::has_more) != 0;
  last = last.part(false, grid_base_);
  if (!has_more) earlier = {};
  std::size_t to = 0;
  while (to < 3 && earlier.slot[to].block >= first_serial_) ++to;
  earlier.slot[to < 3 ? to : random_() % 3] = second;
  last.flags |= record::has_more;
}

void engine::compare_with_other_launch(thread_state& t, const region& of, const record& r,
                                       const concurrent_work& other, std::uint8_t mask, std::uint8_t flags,
                                       std::uint8_t where, std::uintptr_t address, std::uintptr_t pc) {
  const scope least = other.is_on_other_device ? scope::system : scope::device;
  const bool are_atomic =
      (r.kind() & flags & record::atomic) != 0 && r.scope() >= least && static_cast<scope>(where) >= least;
  if ((r.mask & mask) != 0 && ((r.kind() | flags) & record::write) != 0 && !are_atomic &&
      !has_learnt(r, t, *t.block))
    report_race_of_streams(t, of, other, &r, flags, address, pc);
}

/// Makes `now` the last access of word i, in place of `replaced` or, where that is null, of one that tells
/// little.
inline void engine::put_record(region& of, std::size_t i, record* replaced, record now) {
  record& last = of.last[i];
  const bool has_more = (last.flags & record::has_more) != 0;
  if (replaced == nullptr && !has_more) {
    of.earlier[i] = {};
    replaced = &of.earlier[i].slot[0];
  }
  if (replaced == nullptr) replaced = &least_telling(last, of.earlier[i], now.block, now.flags);
  const bool keeps_more = has_more || replaced != &last;
  if (replaced != &last) {
    *replaced = last;
    replaced->flags = replaced->access();
  }
  last = now;
  if (keeps_more) last.flags |= record::has_more;
}

void engine::compare_word(thread_state& t, region& of, std::size_t i, std::uint8_t mask, std::uint8_t flags,
                          std::uint8_t where, std::uintptr_t address, std::uintptr_t pc, bool observes) {
  const block_state& b = *t.block;
  const auto all_flags = static_cast<std::uint8_t>(flags | where << 2);
  if (of.last[i].is_double()) part_record(of, i);
  record& last = of.last[i];
  const bool has_more = (last.flags & record::has_more) != 0;
  record *replaced = nullptr, *empty = nullptr, *reader = nullptr, *second = nullptr;
  for (std::size_t slot = 0; slot < (has_more ? 4 : 1); ++slot) {
    record& r = slot == 0 ? last : of.earlier[i].slot[slot - 1];
    if (is_of_other_launch(r) || (of.is_of_one_block && r.block != b.serial)) {
      const concurrent_work* const other = of.is_shared || is_alone_ ? nullptr : launched_beside(r);
      if (other != nullptr) {
        compare_with_other_launch(t, of, r, *other, mask, flags, where, address, pc);
      } else if (empty == nullptr) {
        empty = &r;
      }
      continue;
    }
    if ((r.mask & mask) == 0) continue;
    // What comes later and conflicts with the old access conflicts with the new one, too.
    const bool covers = (r.mask & ~mask) == 0 &&
                        ((flags & record::write) != 0 || (r.kind() & record::write) == 0) &&
                        ((flags & record::atomic) == 0 ||
                         ((r.kind() & record::atomic) != 0 && r.scope() >= static_cast<scope>(where)));
    const bool same_block = r.block == b.serial;
    if (same_block && r.thread == t.index) {
      if (covers && replaced != nullptr) {
        r.block = 0;
      } else if (covers) {
        replaced = &r;
      }
      continue;
    }
    if (((r.kind() | flags) & record::write) == 0) {
      if (same_block && r.clock < b.base) {
        if (covers && replaced == nullptr) replaced = &r;
      } else if (same_block && r.mask == mask && r.access() == all_flags) {
        if (reader == nullptr) {
          reader = &r;
        } else {
          second = &r;
        }
      }
      continue;
    }
    const bool conflicts = !((r.kind() & flags & record::atomic) != 0 && reaches(r.scope(), same_block) &&
                             reaches(static_cast<scope>(where), same_block)) ||
                           (same_block && expects_step(t, r, of, flags));
    if (!conflicts && !same_block && (r.kind() & record::write) != 0) t.seen.add({r.block, r.clock});
    // Of atomics that reach one another, what is learnt of the word says all that the record does.
    if (observes && !conflicts) {
      r.block = 0;
      if (empty == nullptr) empty = &r;
      continue;
    }
    const bool before = comes_before(r, t, b);
    if (conflicts && !before) {
      report_race(t, of, r, mask, flags, where, address, pc);
      if (replaced == nullptr) replaced = &r;
    } else if (before && covers && replaced == nullptr) {
      replaced = &r;
    }
  }
  // Of reads two stand for all, in one record where they are at one time.
  const bool suffices = second != nullptr && readers_suffice(reader->thread, second->thread, t.index);
  if (flags == 0 && reader == &last && replaced == nullptr && last.clock == t.clock &&
      (second == nullptr || second->clock == t.clock) && last.pc >> record::pc_bits == 0) {
    last.flags |= record::of_pair;
    last.add_thread(suffices ? second->thread : t.index);
    if (second != nullptr) second->block = 0;
    return;
  }
  if (suffices && last.block != 0) return;
  if (second != nullptr && !suffices) replaced = second;
  if (replaced == nullptr) replaced = empty;
  put_record(of, i, replaced,
             {b.serial, t.clock, static_cast<std::uint32_t>(pc - module_.base()),
              static_cast<std::uint16_t>(t.index), mask, all_flags});
}

bool engine::expects_step(const thread_state& t, const record& r, const region& of,
                          std::uint8_t flags) const {
  if ((r.flags & flags & record::is_volatile) == 0 || r.thread / 32 != t.index / 32) return false;
  // Flags are one word that all of them write; each has an element of its own where they work in step.
  const thread_state& other = t.block->threads[r.thread];
  return t.volatile_region == &of && other.volatile_region == &of &&
         t.volatile_address != other.volatile_address;
}

/// Notes what is written, and finds reads of what was not.
void engine::touch_written(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes,
                           std::uint8_t flags, std::uintptr_t pc) {
  const std::size_t offset = address - r.begin;
  const bool only_writes = (flags & (record::write | record::also_reads)) == record::write;
  // Of an unwatched block atomics alone are known, not what it has written before them.
  if (!only_writes && t.is_watched && r.reads_unwritten(offset, bytes)) {
    if (bytes == sizeof(std::uintptr_t) && address % bytes == 0 &&
        module_.is_virtual_table(*reinterpret_cast<const std::uintptr_t*>(address)))
      return virtual_function_of_host(t, r, address, pc);
    if (finding* f = report(finding_kind::uninitialised_read, pc, 0, r.identity())) {
      f->places.push_back(place_of(t, access_text(flags), pc));
      name_element(*f, r, address, bytes);
    }
  }
  if ((flags & record::write) == 0) return;
  r.set_written(offset, bytes, true);
  r.writer = t.block->serial;
}

}  // namespace heddle::checker
