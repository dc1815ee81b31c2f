// Random numbers, and the points that estimate π, beside Random123's words one at a time.
#include "arrays.hpp"
#include "monte_carlo/pi.hpp"
#include "on_ranks.hpp"
#include "properties.hpp"
#include "tests/patterns/random_by_definition.hpp"
#include <heddle/random.hpp>

#include <numeric>

namespace heddle::tests::differential {
namespace {

using random::distribution;

/// A number of 64 bits: small, near a power of two, or any.
std::uint64_t draw_word(choices& from) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return from.pick(0, most, [](auto& random) -> std::uint64_t {
    const std::uint64_t any = random();
    switch (random() % 4) {
      case 0:
        return any % 64;
      case 1:
        return (std::uint64_t{1} << any % 64) - 3 + random() % 6;
      case 2:
        return any >> any % 64;
      default:
        return any;
    }
  });
}

/// A stream of which `n` elements are numbered in 64 bits.
random::stream draw_stream(choices& from, std::size_t n) {
  const std::uint64_t seed = draw_word(from);
  const std::uint64_t offset = std::min(draw_word(from), std::numeric_limits<std::uint64_t>::max() - n);
  from.note(fmt::format("seed {} offset {}", seed, offset));
  return {seed, offset};
}

/// Fills an array between red zones with n numbers; throws unless want(number, index) says nothing.
template <class T, class Fill, class Want>
void check_numbers(choices& from, const target& where, std::size_t n, const random::stream& stream,
                   const Fill& fill, const Want& want) {
  guarded out(from, dtype_of<T>, {n}, where);
  fill(where, out.as<T>());
  out.check_zones("the output");
  const std::vector<stored<T>> have = elements_of<T>(out.view());
  for (std::size_t i = 0; i < n; ++i) {
    const std::string wrong = want(static_cast<T>(have[i]), stream.offset + i);
    if (!wrong.empty())
      throw std::runtime_error(fmt::format("element {} is {} instead of {}", i, have[i], wrong));
  }
  check_same_bits(where, have, [&](const target& on_one_core) {
    guarded again(from, dtype_of<T>, {n}, on_one_core);
    fill(on_one_core, again.as<T>());
    return elements_of<T>(again.view());
  });
}

template <class T>
std::string unless_same(T have, T want) {
  return have == want ? "" : fmt::format("{}", want);
}
template <class T>
std::string unless_within(T have, const number_within& want, T scale, T middle) {
  const long double exact = want.value * scale + middle;
  // Scaling and shifting round the number once more.
  const long double rounding = std::numeric_limits<T>::epsilon() * std::fabs(exact);
  if (std::fabs(static_cast<long double>(have) - exact) <= want.bound * scale + rounding) return "";
  return fmt::format("{}", static_cast<double>(exact));
}

template <class T>
void check_reals(choices& from, const target& where, std::size_t n, const random::stream& stream,
                 distribution of) {
  // Differences of these are exact.
  const T low = static_cast<T>(static_cast<int>(from.between(0, 16)) - 8) / 2,
          width = static_cast<T>(from.between(0, 9)) / 4;
  from.note(fmt::format("{} from {} and {}", name(dtype_of<T>), low, width));
  if (of == distribution::uniform) {
    const T high = low + width;
    check_numbers<T>(
        from, where, n, stream,
        [&](const target& on, const array_view<T>& out) { random::uniform_into(on, out, stream, low, high); },
        [&](T x, std::uint64_t index) {
          const T exact = std::fma(uniform_by_definition<T>(stream.seed, index), width, low);
          return unless_same(x, width > 0 ? std::min(exact, std::nextafter(high, low)) : low);
        });
  } else if (of == distribution::normal) {
    check_numbers<T>(
        from, where, n, stream,
        [&](const target& on, const array_view<T>& out) { random::normal_into(on, out, stream, low, width); },
        [&](T x, std::uint64_t index) {
          return unless_within(x, normal_by_definition<T>(stream.seed, index), width, low);
        });
  } else {
    check_numbers<T>(
        from, where, n, stream,
        [&](const target& on, const array_view<T>& out) { random::exponential_into(on, out, stream, width); },
        [&](T x, std::uint64_t index) {
          return unless_within(x, exponential_by_definition<T>(stream.seed, index), width, T(0));
        });
  }
}

template <class T>
void check_integers(choices& from, const target& where, std::size_t n, const random::stream& stream) {
  using limit = std::numeric_limits<T>;
  const T a = static_cast<T>(draw_word(from)), b = static_cast<T>(draw_word(from));
  const T low = std::min(a, b), high = std::max(a, b);
  const bool is_whole = low == high;  // no bounds: all values of the type
  from.note(is_whole ? "any" : fmt::format("{} to {}", low, high));
  const auto first = static_cast<std::uint64_t>(is_whole ? limit::min() : low);
  // 0 stands for 2^64.
  const std::uint64_t range =
      is_whole ? static_cast<std::uint64_t>(limit::max()) - static_cast<std::uint64_t>(limit::min()) + 1
               : static_cast<std::uint64_t>(high) - first;
  check_numbers<T>(
      from, where, n, stream,
      [&](const target& on, const array_view<T>& out) {
        if (!is_whole) return random::integers_into(on, out, stream, low, high);
        const array<T> all = random::integers<T>(on, {n}, stream);
        copy(out.data(), on, all.data(), on, n * sizeof(T));
      },
      [&](T x, std::uint64_t index) {
        return unless_same(x, static_cast<T>(first + integer_by_definition(stream.seed, range, index)));
      });
}

template <class T>
void check_bits(choices& from, const target& where, std::size_t n, const random::stream& stream) {
  check_numbers<T>(
      from, where, n, stream,
      [&](const target& on, const array_view<T>& out) {
        const array<T> all = random::bits<T>(on, {n}, stream);
        copy(out.data(), on, all.data(), on, n * sizeof(T));
      },
      [&](T x, std::uint64_t index) {
        return unless_same(x, drawn_word<T>(stream.seed, distribution::bits, index));
      });
}

/// Numbers of every distribution and type, by their definitions.
void random_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const std::size_t n = draw_length(from, std::min<std::size_t>(most.elements, 60'000), 4);
  const random::stream stream = draw_stream(from, n);
  constexpr distribution all[] = {distribution::bits, distribution::uniform, distribution::normal,
                                  distribution::exponential, distribution::integers};
  const distribution of = from.of(all);
  const bool is_wide = from.one_in(2);
  from.note(fmt::format("{} of distribution {}", n, static_cast<int>(of)));
  if (of == distribution::bits) {
    if (is_wide) return check_bits<std::uint64_t>(from, where, n, stream);
    return check_bits<std::uint32_t>(from, where, n, stream);
  }
  if (of != distribution::integers) {
    if (is_wide) return check_reals<double>(from, where, n, stream, of);
    return check_reals<float>(from, where, n, stream, of);
  }
  constexpr dtype types[] = {dtype::int32, dtype::int8,   dtype::int16,  dtype::int64,
                             dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64};
  const dtype type = from.of(types);
  from.note(name(type));
  with_type(type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      check_integers<T>(from, where, n, stream);
  });
}

/// Pieces of a stream, in any order and of any length, are the stream.
void pieces_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  constexpr dtype types[] = {dtype::float32, dtype::float64, dtype::int16, dtype::uint64};
  const dtype type = from.of(types);
  const std::size_t n = draw_length(from, std::min<std::size_t>(most.elements, 100'000), 4);
  const random::stream stream = draw_stream(from, n);
  const std::uint64_t kind = from.between(0, 2);
  from.note(fmt::format("{} of {}, kind {}", n, name(type), kind));
  const bool is_real = type == dtype::float32 || type == dtype::float64;
  const auto numbers = !is_real    ? random::sequence::integers(type, stream, 3, 20'000)
                       : kind == 0 ? random::sequence::uniform(type, stream, -1, 2)
                       : kind == 1 ? random::sequence::normal(type, stream, 1, 2)
                                   : random::sequence::exponential(type, stream, 3);
  std::vector<std::size_t> cuts{0, n};
  for (std::uint64_t left = from.between(0, 5); left > 0; --left) cuts.push_back(from.between(0, n));
  std::sort(cuts.begin(), cuts.end());
  with_type(type, [&]<class T>(T) {
    guarded whole(from, type, {n}, where), pieces(from, type, {n}, where);
    numbers.fill(where, 0, n, whole.view().data());
    for (std::size_t i = cuts.size() - 1; i > 0; --i) {
      T* const to = static_cast<T*>(pieces.view().data()) + cuts[i - 1];
      numbers.fill(where, cuts[i - 1], cuts[i] - cuts[i - 1], to);
    }
    whole.check_zones("the whole");
    pieces.check_zones("the pieces");
    check_values("pieces", elements_of<T>(pieces.view()), elements_of<T>(whole.view()));
  });
}

/// The stable argsort of the words.
void permutation_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const std::size_t n = draw_length(from, std::min<std::size_t>(most.elements, 60'000), 8);
  const random::stream stream = draw_stream(from, n);
  from.note(fmt::format("{} indices", n));
  std::vector<std::uint64_t> words(n);
  for (std::size_t i = 0; i < n; ++i)
    words[i] = drawn_word<std::uint64_t>(stream.seed, distribution::permutation, stream.offset + i);
  std::vector<std::size_t> want(n);
  std::iota(want.begin(), want.end(), std::size_t{0});
  std::stable_sort(want.begin(), want.end(),
                   [&](std::size_t a, std::size_t b) { return words[a] < words[b]; });
  check_values("permutation", elements_of(random::permutation(where, n, stream)), want);
}

/// Points whose distance from 0 is below 1, of samples one at a time.
std::uint64_t looped_points(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  __extension__ using wide = unsigned __int128;
  std::uint64_t inside = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t sample = first + i;
    const philox_block words = by_random123(seed, sample / 2, 0, 0);
    // (u + ½)/2³² is (2u + 1)/2³³.
    const wide x = 2 * wide{words.word[sample % 2 * 2]} + 1, y = 2 * wide{words.word[sample % 2 * 2 + 1]} + 1;
    inside += x * x + y * y < wide{1} << 66 ? 1 : 0;
  }
  return inside;
}

void pi_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const std::uint64_t seed = draw_word(from), count = draw_length(from, 200'000);
  const std::uint64_t first = std::min(draw_word(from), std::numeric_limits<std::uint64_t>::max() - count);
  const int size = static_cast<int>(from.between(0, 5));
  from.note(fmt::format("seed {}, {} samples from {} over {} ranks", seed, count, first, size));
  const std::uint64_t want = looped_points(seed, first, count);
  const auto check = [&](std::uint64_t have) {
    if (have != want) throw std::runtime_error(fmt::format("{} points instead of {}", have, want));
  };
  check(monte_carlo::points_in_disc(where, seed, first, count));
  if (size == 0) return;
  on_ranks(size, [&](const ranks& all) { check(monte_carlo::points_in_disc(all, seed, first, count)); });
}

}  // namespace

std::vector<property> random_numbers() {
  return {{"random", random_property},
          {"random_pieces", pieces_property},
          {"random_permutation", permutation_property},
          {"pi", pi_property}};
}

}  // namespace heddle::tests::differential
