// Compiled once for each instruction set, with HEDDLE_ISA naming it. Nothing here may leave a function behind
// that another file could call by the same name: everything is in an unnamed namespace of its instruction
// set, or inlined.
#include "life/kernels.hpp"

#include <cassert>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define HEDDLE_JOIN_(a, b) a##b
#define HEDDLE_JOIN(a, b) HEDDLE_JOIN_(a, b)
#define HEDDLE_ALWAYS_INLINE inline __attribute__((always_inline))

namespace heddle::life {
inline namespace HEDDLE_ISA {
namespace {

using word = std::uint64_t;

#if defined(__AVX512F__)
constexpr std::size_t register_words = 8;
#elif defined(__AVX__)
constexpr std::size_t register_words = 4;
#else
constexpr std::size_t register_words = 2;
#endif
static_assert(block_words == 8 && block_words % register_words == 0);
typedef word vector __attribute__((vector_size(register_words * 8)));
typedef word whole_block __attribute__((vector_size(block_words * 8)));

template <class V>
HEDDLE_ALWAYS_INLINE V load(const word* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
HEDDLE_ALWAYS_INLINE void store(word* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}

// A row may be of vectors, or of single words at its ends.
template <class V>
HEDDLE_ALWAYS_INLINE V xor3(V a, V b, V c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
#endif
  return a ^ b ^ c;
}
template <class V>
HEDDLE_ALWAYS_INLINE V majority(V a, V b, V c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
#endif
  return (a & b) | (c & (a ^ b));
}
/// Where `which` is 1 the bits of a, elsewhere those of b.
template <class V>
HEDDLE_ALWAYS_INLINE V choose(V which, V a, V b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    return (V)_mm512_ternarylogic_epi64((__m512i)which, (__m512i)a, (__m512i)b, 0xca);
  }
#endif
  return b ^ (which & (a ^ b));
}

/// Counts of 0 to 3 cells, a bit each in two words.
template <class V>
struct count {
  V ones, twos;
};

/// A column of three cells.
template <class V>
HEDDLE_ALWAYS_INLINE count<V> column(const word* up, const word* middle, const word* down) {
  const V a = load<V>(up), b = load<V>(middle), c = load<V>(down);
  return {xor3(a, b, c), majority(a, b, c)};
}

/// Three cells live among the nine, or four with a live one in the middle: that is B3/S23. Ten operations a
/// block with ternary logic: two for a column, four for the sums of weight 1 and 2, four for the decision.
struct conway {
  template <class V>
  HEDDLE_ALWAYS_INLINE V operator()(count<V> left, count<V> middle, count<V> right, V alive) const {
    const V odd = xor3(left.ones, middle.ones, right.ones);
    const V carry = majority(left.ones, middle.ones, right.ones);
    const V x = xor3(left.twos, middle.twos, right.twos);
    const V y = majority(left.twos, middle.twos, right.twos);
    // The nine cells are odd + 2·(x + carry + 2y).
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64) {
      const __m512i one = _mm512_ternarylogic_epi64((__m512i)x, (__m512i)carry, (__m512i)y, 0x14);
      const __m512i two = _mm512_ternarylogic_epi64((__m512i)x, (__m512i)carry, (__m512i)y, 0x42);
      const __m512i kept = _mm512_and_si512(two, (__m512i)alive);
      return (V)_mm512_ternarylogic_epi64((__m512i)odd, one, kept, 0xca);
    }
#endif
    const V unequal = x ^ carry;
    return (odd & unequal & ~y) | (alive & ~odd & ~unequal & (x ^ y));
  }
};

/// Any rule: the count of the nine cells in four bits selects what becomes of live and dead cells.
struct any_rule {
  static constexpr int counts = 10;
  word born[counts], stays[counts];  // all ones or zeros, by how many of the nine live

  template <class V>
  HEDDLE_ALWAYS_INLINE V operator()(count<V> left, count<V> middle, count<V> right, V alive) const {
    const V odd = xor3(left.ones, middle.ones, right.ones);
    const V carry = majority(left.ones, middle.ones, right.ones);
    const V x = xor3(left.twos, middle.twos, right.twos);
    const V y = majority(left.twos, middle.twos, right.twos);
    const V twos = x ^ carry, of_both = x & carry, fours = y ^ of_both, eights = y & of_both;
    const V zero = alive ^ alive;
    const auto outcome = [&](int n) __attribute__((always_inline)) {
      return choose(alive, zero + stays[n], zero + born[n]);
    };
    const auto either = [&](int n) __attribute__((always_inline)) {
      return choose(odd, outcome(n + 1), outcome(n));
    };
    const V low = choose(twos, either(2), either(0)), high = choose(twos, either(6), either(4));
    return choose(eights, either(8), choose(fours, high, low));
  }
};

/// Run l + 1 goes on where run l ends: each bit moves to the next slice, and `first` comes into slice 0.
HEDDLE_ALWAYS_INLINE whole_block to_next_slice(whole_block v, word first) {
  whole_block before = __builtin_shufflevector(v, v, 7, 0, 1, 2, 3, 4, 5, 6) >> 63;
  before[0] = first;
  return v << 1 | before;
}
HEDDLE_ALWAYS_INLINE whole_block to_previous_slice(whole_block v, word last) {
  whole_block after = __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 0) << 63;
  after[7] = last << 63;
  return v >> 1 | after;
}

/// One row of the next generation.
template <class Law>
HEDDLE_ALWAYS_INLINE void advance_row(const sliced_shape& shape, const Law& law, const word* up,
                                      const word* middle, const word* down, word* out) {
  const std::size_t end = shape.words_in_row(), last = end - block_words;
  count<whole_block> before = column<whole_block>(up + last, middle + last, down + last);
  count<whole_block> after = column<whole_block>(up, middle, down);
  count<word> wrapped_left{0, 0}, wrapped_right{0, 0};
  if (shape.torus) {
    if (shape.exact()) {
      wrapped_left = {before.ones[7] >> 63, before.twos[7] >> 63};
      wrapped_right = {after.ones[0] & 1, after.twos[0] & 1};
    } else {
      const std::size_t at = shape.word_of(shape.width - 1), bit = shape.bit_of(shape.width - 1);
      const count<word> edge = column<word>(up + at, middle + at, down + at);
      wrapped_left = {edge.ones >> bit & 1, edge.twos >> bit & 1};
    }
  }
  before = {to_next_slice(before.ones, wrapped_left.ones), to_next_slice(before.twos, wrapped_left.twos)};
  after = {to_previous_slice(after.ones, wrapped_right.ones),
           to_previous_slice(after.twos, wrapped_right.twos)};
  word ends[4][block_words];
  store(ends[0], before.ones);
  store(ends[1], before.twos);
  store(ends[2], after.ones);
  store(ends[3], after.twos);

  for (std::size_t part = 0; part < block_words; part += register_words) {
    count<vector> left{load<vector>(ends[0] + part), load<vector>(ends[1] + part)};
    count<vector> here = column<vector>(up + part, middle + part, down + part);
    vector alive = load<vector>(middle + part);
    std::size_t i = part;
    for (; i < last; i += block_words) {
      const std::size_t next = i + block_words;
      const count<vector> right = column<vector>(up + next, middle + next, down + next);
      store(out + i, law(left, here, right, alive));
      left = here;
      here = right;
      alive = load<vector>(middle + next);
    }
    store(out + i, law(left, here, {load<vector>(ends[2] + part), load<vector>(ends[3] + part)}, alive));
  }
  if (!shape.exact()) {
    const std::size_t at = shape.word_of(shape.width), bit = shape.bit_of(shape.width);
    const word wrapped = shape.torus ? out[0] & 1 : 0;
    out[at] = (out[at] & ~(word{1} << bit)) | wrapped << bit;
  }
}

/// All generations of a pass go down the rows together, each a row after the one before it, so that what one
/// generation writes the next one reads while it is in the cache. Rows beyond first and last are found as
/// often as they are needed.
template <class Law>
void advance_with(const sliced_shape& shape, const Law& law, const sliced_pass& pass) {
  using place = std::ptrdiff_t;
  const std::size_t row_words = shape.words_in_row();
  const place height = static_cast<place>(shape.height), first = static_cast<place>(pass.first),
              last = static_cast<place>(pass.last), generations = static_cast<place>(pass.generations);
  word* const rings = pass.work;
  word* const empty = pass.work + 4 * pass.generations * row_words;
  for (std::size_t i = 0; i < row_words; ++i) empty[i] = 0;
  const auto outside = [&](place y) { return !shape.torus && (y < 0 || y >= height); };
  const auto in_ring = [&](place generation, place y) {
    return rings + static_cast<std::size_t>(4 * generation + (y & 3)) * row_words;
  };
  const auto row = [&](place generation, place y) -> const word* {
    if (outside(y)) return empty;
    if (generation > 0) return in_ring(generation, y);
    if (y < 0 || y >= height) y = (y % height + height) % height;
    return pass.now + static_cast<std::size_t>(y) * row_words;
  };
  for (place step = first - generations + 2; step < last + generations; ++step) {
    for (place generation = 1; generation <= generations; ++generation) {
      const place y = step - generation, more = generations - generation;
      if (y < first - more || y >= last + more || outside(y)) continue;
      word* const out = generation == generations ? pass.next + static_cast<std::size_t>(y) * row_words
                                                  : in_ring(generation, y);
      advance_row(shape, law, row(generation - 1, y - 1), row(generation - 1, y), row(generation - 1, y + 1),
                  out);
    }
  }
}

void advance(const sliced_shape& shape, const rule& law, const sliced_pass& pass) {
  // The nine cells of a live one count itself.
  if (law.birth == 1 << 3 && law.survival == (1 << 2 | 1 << 3)) return advance_with(shape, conway(), pass);
  any_rule general;
  for (int n = 0; n < any_rule::counts; ++n) {
    general.born[n] = n < 9 && (law.birth >> n & 1) ? ~word{0} : 0;
    general.stays[n] = n > 0 && (law.survival >> (n - 1) & 1) ? ~word{0} : 0;
  }
  advance_with(shape, general, pass);
}

word population(const sliced_shape& shape, const word* rows, std::size_t count, const word* mask) {
  word live = 0;
  for (std::size_t y = 0; y < count; ++y) {
    for (std::size_t i = 0; i < shape.words_in_row(); ++i) {
      live += static_cast<word>(__builtin_popcountll(rows[y * shape.words_in_row() + i] & mask[i]));
    }
  }
  return live;
}

/// Of three numbers of a weight: their sum, in the first, and the carry, in `carry`.
[[gnu::always_inline]] inline void add_in_full(word& sum, word other, word third, word& carry) {
  const word either = sum ^ other, both = sum & other;
  sum = either ^ third;
  carry = both | (either & third);
}

/// A binary counter in every column, to which two rows are added at a time: the second number of a weight
/// waits for a third.
void count_columns(const sliced_shape& shape, const word* rows, std::size_t count, word* planes) {
  assert(count <= most_rows_counted);
  constexpr std::size_t most_words = 64;  // what is summed stays in the first-level cache
  word sum[most_planes][most_words] = {}, waiting[most_planes][most_words] = {}, carry[most_words] = {};
  const std::size_t row_words = shape.words_in_row();
  for (std::size_t first = 0; first < row_words; first += most_words) {
    const std::size_t words = row_words - first < most_words ? row_words - first : most_words;
    const auto row = [&](std::size_t y) { return rows + y * row_words + first; };
    for (std::size_t level = 0; count >> level != 0; ++level)
      for (std::size_t i = 0; i < words; ++i) sum[level][i] = 0;
    for (std::size_t pair = 0; pair < count / 2; ++pair) {
      const word *const one = row(2 * pair), *const other = row(2 * pair + 1);
      for (std::size_t i = 0; i < words; ++i) add_in_full(sum[0][i], one[i], other[i], carry[i]);
      std::size_t level = 1;
      for (; (pair >> (level - 1) & 1) != 0; ++level)
        for (std::size_t i = 0; i < words; ++i)
          add_in_full(sum[level][i], waiting[level][i], carry[i], carry[i]);
      for (std::size_t i = 0; i < words; ++i) waiting[level][i] = carry[i];
    }
    for (std::size_t i = 0; i < words && count % 2 != 0; ++i) waiting[0][i] = row(count - 1)[i];
    for (std::size_t from = 0; count >> from != 0; ++from) {
      if ((count >> from & 1) == 0) continue;
      for (std::size_t level = from; count >> level != 0; ++level) {
        for (std::size_t i = 0; i < words; ++i) {
          const word both = sum[level][i] & waiting[from][i];
          sum[level][i] ^= waiting[from][i];
          waiting[from][i] = both;
        }
      }
    }
    for (std::size_t level = 0; count >> level != 0; ++level)
      for (std::size_t i = 0; i < words; ++i) planes[level * row_words + first + i] = sum[level][i];
  }
}

/// 64 columns from x on.
HEDDLE_ALWAYS_INLINE word run_of(const word* line, std::size_t x) {
  return line[x / 64] >> x % 64 | line[x / 64 + 1] << 1 << (63 - x % 64);
}

template <std::size_t Levels>
HEDDLE_ALWAYS_INLINE void count_squares_of(const word* lines, std::size_t line_words,
                                           const std::size_t* edges, std::size_t squares, word* live) {
  for (std::size_t i = 0; i < squares; ++i) {
    for (std::size_t x = edges[i]; x < edges[i + 1]; x += 64) {
      const std::size_t bits = edges[i + 1] - x;
      const word mask = bits < 64 ? (word{1} << bits) - 1 : ~word{0};
      for (std::size_t level = 0; level < Levels; ++level)
        live[i] += static_cast<word>(__builtin_popcountll(run_of(lines + level * line_words, x) & mask))
                   << level;
    }
  }
}

void count_squares(const word* lines, std::size_t line_words, std::size_t levels, const std::size_t* edges,
                   std::size_t squares, word* live) {
  // Few levels are those of small squares, which are many: their loop is unrolled.
  if (levels == 2) return count_squares_of<2>(lines, line_words, edges, squares, live);
  if (levels == 3) return count_squares_of<3>(lines, line_words, edges, squares, live);
  if (levels == 4) return count_squares_of<4>(lines, line_words, edges, squares, live);
  for (std::size_t level = 0; level < levels; ++level) {
    const word* const line = lines + level * line_words;
    for (std::size_t i = 0; i < squares; ++i) {
      word count = 0;
      for (std::size_t x = edges[i]; x < edges[i + 1]; x += 64) {
        const std::size_t bits = edges[i + 1] - x;
        const word mask = bits < 64 ? (word{1} << bits) - 1 : ~word{0};
        count += static_cast<word>(__builtin_popcountll(run_of(line, x) & mask));
      }
      live[i] += count << level;
    }
  }
}

/// Eight bits are multiplied into eight bytes, of which each keeps its own.
void spread_cells(const word* line, std::size_t first, std::size_t last, unsigned char* pixels) {
  constexpr word ones = ~word{0} / 255, sevens = 127 * ones, own = 0x8040201008040201;
  for (std::size_t x = first; x < last; x += 64) {
    const word run = run_of(line, x);
    unsigned char bytes[64];
    for (std::size_t i = 0; i < 8; ++i) {
      const word bits = (run >> 8 * i & 255) * ones & own;
      const word alive = ((bits + sevens) >> 7 & ones) * 255;
      for (std::size_t k = 0; k < 8; ++k) bytes[8 * i + k] = static_cast<unsigned char>(alive >> 8 * k);
    }
    __builtin_memcpy(pixels + (x - first), bytes, last - x < 64 ? last - x : 64);
  }
}

}  // namespace
}  // namespace HEDDLE_ISA

sliced_kernels HEDDLE_JOIN(HEDDLE_ISA, _sliced_kernels)() {
  return {advance, population, count_columns, count_squares, spread_cells};
}

}  // namespace heddle::life
