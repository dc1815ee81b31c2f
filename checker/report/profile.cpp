#include "checker/report/profile.hpp"

#include "cuda_on_cpu/run/warp.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle::checker {
namespace {

constexpr std::size_t sector_bytes = 32, banks = 32, bank_bytes = 4, widest_access = 16;
static_assert(widest_access / bank_bytes <= 32, "a part of a request has a lane at least");

// Of events. What reads goes before what writes, since a copy is both at one instruction.
constexpr std::uint8_t code = 0, is_access = 1, is_shared = 2, how_shift = 2;

std::uint64_t order_of(std::uintptr_t offset, std::uintptr_t depth) {
  return std::uint64_t{~static_cast<std::uint32_t>(depth)} << 32 | static_cast<std::uint32_t>(offset);
}
bool goes_before(const warp_trace::event& a, const warp_trace::event& b) {
  return a.order != b.order ? a.order < b.order : a.kind < b.kind;
}

std::size_t distinct(std::vector<std::uint64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers.size();
}

/// What `transfers` and `fewest` make of the worst request: this one.
void set_worst(traffic& of) {
  of.worst = of.fewest == 0 ? 0 : (of.transfers + of.fewest - 1) / of.fewest;
}

void forget_what_is_done(warp_trace& warp) {
  for (warp_trace::lane& lane : warp.lanes) {
    lane.events.erase(lane.events.begin(), lane.events.begin() + static_cast<std::ptrdiff_t>(lane.next));
    lane.next = 0;
  }
}

}  // namespace

traffic& traffic::operator+=(const traffic& other) {
  requests += other.requests;
  bytes += other.bytes;
  transfers += other.transfers;
  fewest += other.fewest;
  worst = std::max(worst, other.worst);
  return *this;
}

traffic sectors_of(std::span<const std::uint64_t> addresses, std::size_t unit) {
  traffic result{.requests = 1, .bytes = addresses.size() * unit};
  std::vector<std::uint64_t> sectors, units;
  for (const std::uint64_t a : addresses) {
    sectors.push_back(a / sector_bytes);
    units.push_back(a / unit);
  }
  result.transfers = distinct(sectors);
  result.fewest = (distinct(units) * unit + sector_bytes - 1) / sector_bytes;
  set_worst(result);
  return result;
}

traffic rounds_of(std::span<const std::uint64_t> addresses, std::span<const std::uint32_t> lanes,
                  std::size_t unit, bool is_atomic) {
  traffic result{.requests = 1, .bytes = addresses.size() * unit};
  const std::size_t parts = std::max<std::size_t>(unit / bank_bytes, 1), lanes_a_part = 32 / parts;
  const std::size_t words_a_lane = parts;
  std::vector<std::uint64_t> words;
  for (std::size_t part = 0; part < parts; ++part) {
    words.clear();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (lanes[i] / lanes_a_part != part) continue;
      for (std::size_t w = 0; w < words_a_lane; ++w) words.push_back(addresses[i] / bank_bytes + w);
    }
    if (words.empty()) continue;
    if (!is_atomic) distinct(words);
    std::array<std::uint64_t, banks> of_bank{};
    for (const std::uint64_t word : words) ++of_bank[word % banks];
    result.transfers += *std::max_element(of_bank.begin(), of_bank.end());
    ++result.fewest;
  }
  set_worst(result);
  return result;
}

void profiler::note_code(warp_trace& warp, std::uint32_t lane, std::uintptr_t pc, std::uintptr_t depth) {
  note(warp, lane, {order_of(pc - base_, depth), 0, 0, code});
}

void profiler::note_access(warp_trace& warp, std::uint32_t lane, std::uintptr_t pc, std::uintptr_t depth,
                           bool shared, access how, std::uintptr_t address, std::size_t bytes) {
  const auto kind =
      static_cast<std::uint8_t>(is_access | (shared ? is_shared : 0) | static_cast<int>(how) << how_shift);
  note(warp, lane, {order_of(pc - base_, depth), address, static_cast<std::uint32_t>(bytes), kind});
}

void profiler::note(warp_trace& warp, std::uint32_t lane, const warp_trace::event& event) {
  // Lanes that never meet would be remembered without end: then they are taken as they are.
  constexpr std::size_t looks_every = 1024, most_waiting = std::size_t{1} << 20;
  warp_trace::lane& own = warp.lanes[lane];
  own.events.push_back(event);
  ++warp.waiting;
  if (own.events.size() % looks_every == 0) put_together(warp, warp.waiting >= most_waiting);
}

/// The piece of code that every thread ends with, where there is nothing more to do, is not something that
/// lanes wait for.
void profiler::note_leaving(warp_trace& warp, std::uint32_t lane) {
  warp_trace::lane& own = warp.lanes[lane];
  own.has_left = true;
  if (own.is_done() || own.events.back().kind != code) return;
  own.events.pop_back();
  --warp.waiting;
}

void profiler::put_together(warp_trace& warp, bool all) {
  while (true) {
    const warp_trace::event* first = nullptr;
    std::uint32_t present = 0, members = 0;
    for (std::uint32_t i = 0; i < warp.lanes.size(); ++i) {
      const warp_trace::lane& lane = warp.lanes[i];
      if (lane.is_done()) {
        if (lane.has_left) continue;
        if (!all) return forget_what_is_done(warp);
        present |= 1u << i;
        continue;
      }
      present |= 1u << i;
      const warp_trace::event& event = lane.events[lane.next];
      if (first == nullptr || goes_before(event, *first)) {
        first = &event;
        members = 0;
      }
      if (!goes_before(*first, event)) members |= 1u << i;
    }
    if (first == nullptr) break;
    count(warp, members, present);
    cuda_on_cpu::for_each_lane(members, [&](std::uint32_t i) {
      ++warp.lanes[i].next;
      --warp.waiting;
    });
  }
  forget_what_is_done(warp);
}

void profiler::count(const warp_trace& warp, std::uint32_t members, std::uint32_t present) {
  const warp_trace::lane& first = warp.lanes[static_cast<std::uint32_t>(std::countr_zero(members))];
  const warp_trace::event& event = first.events[first.next];
  const auto offset = static_cast<std::uint32_t>(event.order);
  instruction_profile& at = instructions_[std::uint64_t{offset} << 1 | (event.kind == code ? 1 : 0)];
  at.pc = base_ + offset;
  at.begins_code = event.kind == code;
  ++at.executions;
  at.lanes += static_cast<unsigned>(std::popcount(present));
  at.idle += static_cast<unsigned>(std::popcount(present & ~members));
  if (event.kind != code) count_access(at, warp, members, event.kind);
}

/// Copies of structures go by the widest accesses that all addresses allow.
void profiler::count_access(instruction_profile& at, const warp_trace& warp, std::uint32_t members,
                            std::uint8_t kind) {
  std::uint64_t bits = widest_access, longest = 0;
  cuda_on_cpu::for_each_lane(members, [&](std::uint32_t i) {
    const warp_trace::event& event = warp.lanes[i].events[warp.lanes[i].next];
    bits |= event.address | event.bytes;
    longest = std::max<std::uint64_t>(longest, event.bytes);
  });
  const std::size_t unit = std::size_t{1} << std::countr_zero(bits);
  std::vector<std::uint64_t> addresses;
  std::vector<std::uint32_t> lanes;
  for (std::uint64_t done = 0; done < longest; done += unit) {
    addresses.clear();
    lanes.clear();
    cuda_on_cpu::for_each_lane(members, [&](std::uint32_t i) {
      const warp_trace::event& event = warp.lanes[i].events[warp.lanes[i].next];
      if (done >= event.bytes) return;
      addresses.push_back(event.address + done);
      lanes.push_back(i);
    });
    const bool is_atomic = kind >> how_shift == static_cast<int>(access::atomic);
    if ((kind & is_shared) != 0) {
      at.shared += rounds_of(addresses, lanes, unit, is_atomic);
    } else {
      at.global += sectors_of(addresses, unit);
    }
  }
}

void add_instructions(std::vector<instruction_profile>& all, const std::vector<instruction_profile>& more) {
  all.insert(all.end(), more.begin(), more.end());
  const auto key = [](const instruction_profile& one) { return std::pair(one.pc, one.begins_code); };
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<instruction_profile> sums;
  for (const instruction_profile& one : all) {
    if (sums.empty() || key(sums.back()) != key(one)) {
      sums.push_back(one);
      continue;
    }
    instruction_profile& sum = sums.back();
    sum.global += one.global;
    sum.shared += one.shared;
    sum.executions += one.executions;
    sum.lanes += one.lanes;
    sum.idle += one.idle;
  }
  all = std::move(sums);
}

std::vector<instruction_profile> profiler::result() const {
  std::vector<instruction_profile> all;
  for (const auto& [key, at] : instructions_) all.push_back(at);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.pc < b.pc; });
  return all;
}

}  // namespace heddle::checker
