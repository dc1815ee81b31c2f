#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

/// Random cases that can be repeated and made smaller.
namespace heddle::tests::differential {

/// What a process tells its parent about the case that it runs, in memory that both share.
struct record {
  static constexpr std::size_t most_values = 200;

  std::uint64_t cases;  ///< that have begun
  std::uint64_t property;
  std::uint64_t count;
  std::array<std::uint64_t, most_values> values;
  std::array<char, 2048> note, failure;
};

/// A sequence of numbers from which a case is made. Each number is stored as its distance from the least that
/// was allowed, so a sequence of smaller numbers gives a simpler case (the idea of Hypothesis).
class choices {
 public:
  /// New numbers from `seed`.
  choices(std::uint64_t seed, record& to) : random_(seed), to_(to) { clear(); }
  /// The numbers of a sequence; 0 after its end.
  choices(const std::uint64_t* values, std::size_t count, record& to)
      : values_(values), count_(count), replays_(true), to_(to) {
    clear();
  }
  choices(const choices&) = delete;

  /// A number from `least` to `most`: generate(random) where numbers are new.
  template <class F>
  std::uint64_t pick(std::uint64_t least, std::uint64_t most, const F& generate) {
    std::uint64_t distance = 0;
    if (!replays_) {
      distance = generate(random_) - least;
    } else if (next_ < count_) {
      distance = values_[next_];
    }
    if (distance > most - least) distance %= most - least + 1;
    if (next_ < record::most_values) to_.values[next_] = distance;
    ++next_;
    to_.count = next_ < record::most_values ? next_ : record::most_values;
    return least + distance;
  }
  /// A number from `least` to `most`, each as often.
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return pick(least, most, [&](auto& random) {
      return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
    });
  }
  /// True in one of n cases; false is simpler.
  bool one_in(std::uint64_t n) {
    return pick(0, 1, [&](auto& random) { return random() % n == 0 ? 1 : 0; }) != 0;
  }
  /// An element of an array, of which the first is the simplest.
  template <class All>
  auto of(const All& all) {
    return *(std::begin(all) + static_cast<std::ptrdiff_t>(between(0, std::size(all) - 1)));
  }

  /// Adds to the description of the case.
  void note(std::string_view text) {
    const std::size_t used = std::strlen(to_.note.data()), room = to_.note.size() - 2 - used;
    if (used > 0 && room > 0) to_.note[used] = ' ';
    std::memcpy(to_.note.data() + used + (used > 0 ? 1 : 0), text.data(), std::min(text.size(), room));
  }

 private:
  void clear() {
    to_.count = 0;
    to_.note.fill('\0');
    to_.failure.fill('\0');
  }

  std::mt19937_64 random_;
  const std::uint64_t* values_ = nullptr;
  std::size_t count_ = 0, next_ = 0;
  bool replays_ = false;
  record& to_;
};

/// The sizes of cases.
struct limits {
  std::size_t elements;  ///< the most of an array
  bool has_gpu;
};

/// A statement that holds for every case: run() throws std::exception where it does not.
struct property {
  const char* name;
  void (*run)(choices& from, const limits& most);
};

}  // namespace heddle::tests::differential
