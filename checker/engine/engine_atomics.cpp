#include "checker/engine/engine.hpp"
#include "cuda_on_cpu/device/heddle_device/half_bits.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

using heddle_device::atomic_operation;
using heddle_device::atomic_request;
using heddle_device::order;
using heddle_device::scalar;
using heddle_device::scope;

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// What `operation` makes of `before`.
template <class T>
T combined(atomic_operation operation, T before, T operand, T expected) {
  switch (operation) {
    case atomic_operation::load:
      return before;
    case atomic_operation::store:
    case atomic_operation::exchange:
      return operand;
    case atomic_operation::compare_exchange:
      return to_bits(before) == to_bits(expected) ? operand : before;
    case atomic_operation::minimum:
      return operand < before ? operand : before;
    case atomic_operation::maximum:
      return before < operand ? operand : before;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    using unsigned_type = std::make_unsigned_t<T>;
    const auto a = static_cast<unsigned_type>(before), b = static_cast<unsigned_type>(operand);
    switch (operation) {
      case atomic_operation::add:
        return static_cast<T>(a + b);
      case atomic_operation::subtract:
        return static_cast<T>(a - b);
      case atomic_operation::bit_and:
        return static_cast<T>(a & b);
      case atomic_operation::bit_or:
        return static_cast<T>(a | b);
      case atomic_operation::bit_xor:
        return static_cast<T>(a ^ b);
      case atomic_operation::increment:
        return static_cast<T>(a >= b ? 0 : a + 1);
      case atomic_operation::decrement:
        return static_cast<T>(a == 0 || a > b ? b : a - 1);
      default:
        return before;
    }
  } else {
    return operation == atomic_operation::subtract ? before - operand : before + operand;
  }
}

template <class T>
std::uint64_t combined_bits(atomic_operation operation, std::uint64_t before, std::uint64_t operand,
                            std::uint64_t expected) {
  return to_bits(combined(operation, from_bits<T>(before), from_bits<T>(operand), from_bits<T>(expected)));
}

std::uint64_t combined_halves(atomic_operation operation, int components, std::uint64_t before,
                              std::uint64_t operand) {
  std::uint64_t result = 0;
  for (int i = 0; i < components; ++i) {
    const auto part = [i](std::uint64_t bits) {
      return heddle_device::half_to_float(static_cast<std::uint16_t>(bits >> (16 * i)));
    };
    const float sum = combined(operation, part(before), part(operand), 0.0f);
    result |= static_cast<std::uint64_t>(heddle_device::float_to_half(sum)) << (16 * i);
  }
  return result;
}

std::uint64_t after(const atomic_request& what, std::uint64_t before, std::uint64_t operand,
                    std::uint64_t expected) {
  const atomic_operation o = what.operation;
  switch (what.type) {
    case scalar::boolean:
    case scalar::u8:
      return combined_bits<std::uint8_t>(o, before, operand, expected);
    case scalar::i8:
      return combined_bits<std::int8_t>(o, before, operand, expected);
    case scalar::i16:
      return combined_bits<std::int16_t>(o, before, operand, expected);
    case scalar::u16:
      return combined_bits<std::uint16_t>(o, before, operand, expected);
    case scalar::i32:
      return combined_bits<std::int32_t>(o, before, operand, expected);
    case scalar::u32:
      return combined_bits<std::uint32_t>(o, before, operand, expected);
    case scalar::i64:
      return combined_bits<std::int64_t>(o, before, operand, expected);
    case scalar::u64:
      return combined_bits<std::uint64_t>(o, before, operand, expected);
    case scalar::f32:
      return combined_bits<float>(o, before, operand, expected);
    case scalar::f64:
      return combined_bits<double>(o, before, operand, expected);
    case scalar::f16:
      return combined_halves(o, what.components, before, operand);
    case scalar::other:
      break;
  }
  return before;
}

/// Whether the thread that performs the atomic acquires without a fence: atomicAdd and the like do.
bool acquires(const atomic_request& what) {
  return what.order == order::acquire || what.order == order::acquire_release ||
         (what.is_classic != 0 && what.operation != atomic_operation::load);
}

template <class Bits>
std::uint64_t exchange_on_processor(void* address, std::uint64_t operand, std::uint64_t expected,
                                    const atomic_request& what) {
  auto* const at = static_cast<Bits*>(address);
  Bits before = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  if (what.operation == atomic_operation::load) return before;
  while (!__atomic_compare_exchange_n(at, &before, static_cast<Bits>(after(what, before, operand, expected)),
                                      false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return before;
}

}  // namespace

std::uint64_t atomic_on_host(void* address, std::uint64_t operand, std::uint64_t expected,
                             const atomic_request& what) {
  switch (bytes_of(what.type) * what.components) {
    case 1:
      return exchange_on_processor<std::uint8_t>(address, operand, expected, what);
    case 2:
      return exchange_on_processor<std::uint16_t>(address, operand, expected, what);
    case 4:
      return exchange_on_processor<std::uint32_t>(address, operand, expected, what);
    default:
      return exchange_on_processor<std::uint64_t>(address, operand, expected, what);
  }
}

/// An atomic learns the clocks that earlier writers left in the word.
void engine::learn_of_word(thread_state& t, const synchronisation& s, const atomic_request& what) {
  clocks from = what.scope >= scope::device ? s.to_all : nullptr;
  if (s.block == t.block->serial) from = joined(joined(from, s.to_all), s.to_block);
  if (acquires(what)) {
    learn(t, from);
  } else {
    t.pending = joined(t.pending, from);
  }
}

/// An atomic that writes leaves its clocks in the word. `is_known`: an earlier writer has left some.
void engine::publish_in_word(thread_state& t, std::uintptr_t address, const atomic_request& what,
                             bool is_known) {
  clocks to_all = joined(t.released, t.block->released), to_block = joined(t.released_in_block, to_all);
  if (what.order == order::release || what.order == order::acquire_release) {
    const clocks all = now_of(t);
    ++t.clock;
    to_block = all;
    if (what.scope >= scope::device) {
      to_all = all;
      t.unfenced_writes = 0;
    }
  }
  if (what.scope < scope::device) to_all = nullptr;
  if (!to_all && !to_block && !is_known) return;
  synchronisation& s = (*synchronisations_)[address];
  // Whatever reads a value that was changed step by step learns of all the steps.
  const bool goes_on = what.operation != atomic_operation::store;
  s.to_all = goes_on ? joined(s.to_all, to_all) : to_all;
  s.to_block = goes_on && s.block == t.block->serial ? joined(s.to_block, to_block) : to_block;
  s.block = t.block->serial;
}

void engine::watch_atomic(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes,
                          const atomic_request& what, bool writes, std::uintptr_t pc) {
  ++watched_;
  if (what.operation == atomic_operation::compare_exchange) note_read_before_exchange(t, r, address);
  const bool also_reads = what.operation != atomic_operation::load &&
                          what.operation != atomic_operation::store &&
                          what.operation != atomic_operation::exchange;
  const auto found = synchronisations_->find(address);
  const bool is_known = found != synchronisations_->end();
  const bool reads_known = is_known && what.operation != atomic_operation::store;
  // An atomic that acquires comes after the earlier changes of the word.
  const bool observes = reads_known && acquires(what);
  touch(t, r, address, bytes,
        static_cast<std::uint8_t>(record::atomic | (writes ? record::write : 0) |
                                  (also_reads ? record::also_reads : 0) | (observes ? record::observes : 0)),
        static_cast<std::uint8_t>(what.scope), pc);
  if (reads_known) learn_of_word(t, found->second, what);
  if (writes) publish_in_word(t, address, what, is_known);
}

std::uint64_t engine::atomic(thread_state& t, void* address, std::uint64_t operand, std::uint64_t expected,
                             atomic_request what, std::uintptr_t pc, std::uintptr_t state) {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t bytes = bytes_of(what.type) * what.components;
  const bool is_local = a - t.stack_low < stack_pool::stack_bytes;
  region* const r = is_local ? nullptr : find_at(t, a, bytes, pc);
  if (!is_local && r == nullptr) {
    nowhere(t, a, bytes, record::atomic | record::write, pc);
    return 0;
  }
  if (a % bytes != 0) misaligned_atomic(t, r, a, bytes, pc);
  std::uint64_t before = 0;
  std::memcpy(&before, address, bytes);
  const std::uint64_t value = after(what, before, operand, expected);
  const bool is_load = what.operation == atomic_operation::load;
  const bool writes =
      !is_load && !(what.operation == atomic_operation::compare_exchange && before != expected);

  settle_writes(t);
  if (!is_local && options_.is_watched) {
    watch_atomic(t, *r, a, bytes, what, writes, pc);
    if (writes && before == 0 && value != 0 &&
        (what.operation == atomic_operation::compare_exchange ||
         what.operation == atomic_operation::exchange)) {
      take_lock(t, address, pc);
    } else if (writes && value == 0 && !t.locks.empty()) {
      release_lock(t, address, pc);
    }
  }

  if (writes) std::memcpy(address, &value, bytes);
  if (before != value) {
    note_change();
    t.looks_at = nullptr;
  } else if (!is_local) {
    look(t, address, before, pc, state);
  }
  // Where threads meet is where their order tells most.
  if (blocks_at_once_ > 1 && random_() % 4 == 0) {
    t.block->turn = std::min<std::uint64_t>(t.block->turn, random_() % 4);
    yield(t, false);
  }
  if (options_.legacy_warps && options_.is_watched) yield(t, false);
  return before;
}

void engine::take_lock(thread_state& t, const void* address, std::uintptr_t pc) {
  if (t.locks.size() < 8) t.locks.push_back({address, pc});
  if (t.locks.size() == 1) t.unfenced_writes = 0;
}

void engine::release_lock(thread_state& t, const void* address, std::uintptr_t pc) {
  const auto held = std::find_if(t.locks.begin(), t.locks.end(),
                                 [&](const thread_state::held_lock& l) { return l.address == address; });
  if (held == t.locks.end()) return;
  t.locks.erase(held);
  if (t.unfenced_writes == 0) return;
  if (finding* f = report(finding_kind::lock_without_fence, t.last_write_pc, pc, nullptr)) {
    f->places.push_back(place_of(t, "releases the lock", pc));
    f->places.push_back(place_of(t, "writes what it guards", t.last_write_pc));
    const auto a = reinterpret_cast<std::uintptr_t>(address);
    if (const region* const r = find(t, a)) name_element(*f, *r, a);
    f->detail = "what was written need not be visible when the lock is free: __threadfence() belongs between";
  }
  if (t.locks.empty()) t.unfenced_writes = 0;
}

/// All that comes before what the thread does next.
clocks engine::now_of(const thread_state& t) const {
  const block_state& b = *t.block;
  std::vector<known_clocks::entry> entries{{known_clocks::all_of(b.serial), b.base},
                                           {known_clocks::one_of(b.serial, t.index), t.clock + 1}};
  if (t.lanes != nullptr && t.lanes_since == b.barriers) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (t.lanes[lane] > b.base)
        entries.push_back({known_clocks::one_of(b.serial, t.index / 32 * 32 + lane), t.lanes[lane]});
    }
  }
  return joined(joined(known_clocks::of(std::move(entries)), t.learnt), b.learnt);
}

void engine::learn(thread_state& t, const clocks& what) {
  if (!what || what == t.learnt || what == t.learnt_last) return;
  t.learnt = joined(t.learnt, what);
  t.learnt_last = what;
}

void engine::note_read_before_exchange(const thread_state& t, const region& r, std::uintptr_t address) {
  if (r.last == nullptr || !r.has(address, 1)) return;
  r.for_each_record((address - r.begin) >> r.shift, grid_base_, [&](const record& known) {
    if (known.block == t.block->serial && known.thread == t.index && known.kind() == 0)
      reads_before_exchange_.insert(known.pc);
  });
}

void engine::mark_reads_before_exchange() {
  if (reads_before_exchange_.empty()) return;
  for (finding& f : outcome_.findings) {
    if (f.kind != finding_kind::data_race || f.race.writes_meet || !f.race.is_one_atomic) continue;
    f.race.is_before_exchange = std::any_of(f.places.begin(), f.places.end(), [&](const place& p) {
      return p.what == access_text(0) &&
             reads_before_exchange_.count(static_cast<std::uint32_t>(p.pc - module_.base())) != 0;
    });
  }
}

void engine::fence(thread_state& t, scope where) {
  if (!options_.is_watched) return;
  learn(t, t.pending);
  t.pending = nullptr;
  const clocks all = now_of(t);
  ++t.clock;
  t.has_fenced = true;
  t.volatile_region = nullptr;
  t.released_in_block = all;
  if (where >= scope::device) {
    t.released = all;
    t.is_dirty = false;
    t.unfenced_writes = 0;
  }
}

}  // namespace heddle::checker
