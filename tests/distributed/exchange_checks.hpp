#pragma once

#include "tests/elements.hpp"
#include <heddle/array.hpp>
#include <heddle/ranks.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// What ranks send each other arrives. Each check runs on every rank and throws where something differs.
namespace heddle::tests {

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// What rank `from` sends to rank `to` as its message of that number.
inline std::vector<std::uint64_t> message_between(int from, int to, std::size_t number) {
  std::vector<std::uint64_t> words((static_cast<std::size_t>(3 * from + to) + number) % 5 * 1000);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = random_bits(i + number * 7919 + static_cast<std::size_t>(from * 64 + to));
  return words;
}

template <class T>
array<T> moved_to(const target& where, const std::vector<T>& values) {
  return array_view<const T>(std::span<const T>(values)).on(where);
}

/// Two exchanges on their way at once, of two messages from each rank to each rank, also to itself, in the
/// memory of `where`; the second is waited for first.
inline void check_exchanges_in(const ranks& all, const target& where) {
  using words = array<std::uint64_t>;
  struct started {
    std::vector<words> sent, received;
    std::vector<std::vector<std::uint64_t>> wanted;
    std::unique_ptr<impl::exchange> running;
  };
  std::vector<started> both(2);
  for (std::size_t e = 0; e < 2; ++e) {
    started& s = both[e];
    std::vector<impl::outgoing> sends;
    std::vector<impl::incoming> receives;
    for (int r = 0; r < all.size(); ++r) {
      for (const std::size_t number : {2 * e, 2 * e + 1}) {
        s.sent.push_back(moved_to(where, message_between(all.rank(), r, number)));
        s.wanted.push_back(message_between(r, all.rank(), number));
        s.received.emplace_back(s.wanted.back().size(), where);
        sends.push_back({r, s.sent.back().data(), s.sent.back().size() * sizeof(std::uint64_t)});
        receives.push_back({r, s.received.back().data(), s.received.back().size() * sizeof(std::uint64_t)});
      }
    }
    s.running = all.between().start(sends, receives, where);
  }
  for (started* const s : {&both[1], &both[0]}) {
    s->running->wait();
    for (std::size_t m = 0; m < s->received.size(); ++m)
      expect(s->received[m].on(target()).to_vector() == s->wanted[m], "what ranks sent arrives");
  }
  // Nothing to exchange, and with neighbours alone.
  all.between().send_receive({}, {}, where);
  const int next = (all.rank() + 1) % all.size(), before = (all.rank() + all.size() - 1) % all.size();
  const array<int> mine = moved_to(where, std::vector<int>{all.rank()});
  array<int> got(1, where);
  const impl::outgoing out{next, mine.data(), sizeof(int)};
  const impl::incoming in{before, got.data(), sizeof(int)};
  all.between().send_receive({&out, 1}, {&in, 1}, where);
  expect(got[0] == before, "a neighbour's number arrives");
}

inline void check_collectives_in(const ranks& all, const target& where) {
  const auto size = static_cast<std::size_t>(all.size()), me = static_cast<std::size_t>(all.rank());
  const int last = all.size() - 1;
  array<std::uint64_t> told = moved_to(where, message_between(all.rank(), 1, 2));
  const std::vector<std::uint64_t> wanted = message_between(last, 1, 2);
  if (all.rank() != last) told = array<std::uint64_t>(wanted.size(), where);
  all.between().broadcast(told.data(), told.size() * sizeof(std::uint64_t), last, where);
  expect(told.on(target()).to_vector() == wanted, "a broadcast arrives");

  // Rank r has r numbers, and sends k of them to rank k.
  std::vector<std::size_t> bytes, bytes_to, bytes_from;
  std::vector<int> all_numbers, sent, from_all;
  for (std::size_t r = 0; r < size; ++r) {
    bytes.push_back(r * sizeof(int));
    all_numbers.insert(all_numbers.end(), r, static_cast<int>(r));
    bytes_to.push_back(r * sizeof(int));
    sent.insert(sent.end(), r, static_cast<int>(me * size + r));
    bytes_from.push_back(me * sizeof(int));
    from_all.insert(from_all.end(), me, static_cast<int>(r * size + me));
  }
  const array<int> mine = moved_to(where, std::vector<int>(me, static_cast<int>(me)));
  array<int> gathered(all_numbers.size(), where), received(from_all.size(), where);
  all.between().all_gather(mine.data(), bytes, gathered.data(), where);
  expect(gathered.on(target()).to_vector() == all_numbers, "all numbers are gathered");
  const array<int> to_send = moved_to(where, sent);
  all.between().all_to_all(to_send.data(), bytes_to, received.data(), bytes_from, where);
  expect(received.on(target()).to_vector() == from_all, "numbers of all to all");
}

inline void check_exchanges(const ranks& all) {
  check_exchanges_in(all, target());
  check_collectives_in(all, target());
  check_exchanges_in(all, all.where());
  check_collectives_in(all, all.where());
}

}  // namespace heddle::tests
