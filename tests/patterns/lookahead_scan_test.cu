#include "core/masked_operators.hpp"
#include "tests/elements.hpp"
#include "tests/looped_scan.hpp"
#include "tests/sizes.hpp"
#include <heddle/impl/patterns/scan/gpu/scan.cuh>
#include <heddle/machine.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <gtest/gtest.h>

// The launch that scans large arrays, here on small ones, which compute-sanitizer can watch.

namespace hd = heddle;
using namespace heddle::tests;

namespace heddle::tests {

/// Two words, combined by an operator that keeps order.
template <class Word>
struct step {
  Word factor, offset;
  friend bool operator==(const step&, const step&) = default;
};
struct after {
  template <class Word>
  HD_FN step<Word> operator()(const step<Word>& f, const step<Word>& g) const {
    return {static_cast<Word>(1u * g.factor * f.factor),
            static_cast<Word>(1u * g.factor * f.offset + g.offset)};
  }
};

/// Words, each added by itself.
template <class Word, unsigned Words>
struct words {
  Word word[Words];
  friend bool operator==(const words&, const words&) = default;
};
struct add_each {
  static constexpr bool commutative = true;
  template <class Word, unsigned Words>
  HD_FN words<Word, Words> operator()(words<Word, Words> x, const words<Word, Words>& y) const {
    for (unsigned w = 0; w < Words; ++w) x.word[w] = static_cast<Word>(x.word[w] + y.word[w]);
    return x;
  }
};

/// The operator that stands for maxima of signed integers in the library's kernels, of unsigned ones there.
template <class T>
struct largest_by_mask : hd::impl::extremes_by_mask {
  static constexpr extremes_by_mask mask = hd::impl::mask_of_extremes<std::make_signed_t<T>, hd::maximum>();
  HD_FN largest_by_mask() : extremes_by_mask(mask) {}
};

template <class T>
struct element_of {
  static T at(std::size_t i) { return static_cast<T>(random_bits(i)); }
};
template <class Word>
struct element_of<step<Word>> {
  static step<Word> at(std::size_t i) {
    return {static_cast<Word>(random_bits(2 * i) | 1), static_cast<Word>(random_bits(2 * i + 1))};
  }
};
template <class Word, unsigned Words>
struct element_of<words<Word, Words>> {
  static words<Word, Words> at(std::size_t i) {
    words<Word, Words> x;
    for (unsigned w = 0; w < Words; ++w) x.word[w] = static_cast<Word>(random_bits(Words * i + w));
    return x;
  }
};

}  // namespace heddle::tests

namespace {

/// Rows that begin `first` elements behind the start of an array, and elsewhere in another one unless the
/// scan is in place, between elements that must stay.
template <class T, class Op>
void check(std::size_t rows, std::size_t length, std::size_t first, bool exclusive, bool has_init,
           bool in_place) {
  const hd::target gpu = hd::target::gpu();
  const std::size_t n = rows * length, to = in_place ? first : first + first % 2;
  const Op op{};
  const T init = element_of<T>::at(n + 9);
  hd::array<T> want(n + 2 * first + 1);
  for (std::size_t i = 0; i < want.size(); ++i) want.data()[i] = element_of<T>::at(i);
  hd::array<T> x = want.on(gpu), elsewhere = want.on(gpu);
  hd::array<T>& out = in_place ? x : elsewhere;
  hd::gpu::scan_work<T, Op> work{x.data() + first, out.data() + to, op, rows, length, 1, 0, 0,
                                 exclusive,        has_init,        {}, {}};
  work.init[0] = init;
  hd::gpu::launch_lookahead_scan(gpu, work);
  hd::array<T> scanned(n);
  std::copy_n(want.data() + first, n, scanned.data());
  for (std::size_t row = 0; row < rows; ++row) {
    hd::array<T> line(length);
    std::copy_n(scanned.data() + row * length, length, line.data());
    const hd::array<T> sums = looped<T>(line, exclusive, has_init ? &init : nullptr, op);
    std::copy_n(sums.data(), length, want.data() + to + row * length);
  }
  const hd::array<T> have = out.on(hd::target::serial());
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(have.data()[i], want.data()[i])
        << rows << " rows of " << length << " from " << first << " to " << to << ", at " << i
        << (exclusive ? ", exclusive" : "") << (has_init ? ", with init" : "")
        << (in_place ? ", in place" : "");
  }
}

template <class T, class Op>
void check_sizes() {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  using tuning = hd::gpu::scan_tuning<T>;
  constexpr std::size_t tile = tuning::tile, row = tuning::warps * tuning::row;
  constexpr std::size_t last = std::max<std::size_t>(16 / sizeof(T), 2) - 1;
  unsigned turn = 0;
  for (const std::size_t length :
       {std::size_t{1}, row - 1, row, row + 1, tile - 1, tile, 2 * tile + row + 5}) {
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}, last}) {
      check<T, Op>(1, length, first, false, turn & 1, turn & 2);
      check<T, Op>(1, length, first, true, true, turn & 4);
      ++turn;
    }
  }
  for (const std::size_t rows : {2, 5}) {
    check<T, Op>(rows, tile + row + 3, 1, false, false, true);
    check<T, Op>(rows, row + 1, 0, true, true, false);
  }
  // The eighth tile has elements in rows that begin inside a vec16, and none in others.
  check<T, Op>(3, 7 * tile - 1, 1, true, true, false);
}

}  // namespace

TEST(lookahead_scan_Gpu, of_bytes) {
  check_sizes<std::uint8_t, hd::plus>();
}
TEST(lookahead_scan_Gpu, of_words) {
  check_sizes<std::uint32_t, hd::plus>();
}
TEST(lookahead_scan_Gpu, of_packed_maxima) {
  check_sizes<std::uint8_t, largest_by_mask<std::uint8_t>>();
  check_sizes<std::uint16_t, largest_by_mask<std::uint16_t>>();
}
TEST(lookahead_scan_Gpu, of_maxima_of_eight_bytes) {
  check_sizes<std::int64_t, hd::maximum>();
  check_sizes<double, hd::maximum>();
}
TEST(lookahead_scan_Gpu, of_four_and_eight_bytes_in_order) {
  check_sizes<step<std::uint16_t>, after>();
  check_sizes<step<std::uint32_t>, after>();
}
TEST(lookahead_scan_Gpu, of_elements_that_fill_no_vec16) {
  check_sizes<words<std::uint8_t, 3>, add_each>();
  check_sizes<words<std::uint16_t, 3>, add_each>();
  check_sizes<words<std::uint32_t, 3>, add_each>();
  check_sizes<words<std::uint64_t, 3>, add_each>();
}
TEST(lookahead_scan_Gpu, of_large_elements) {
  check_sizes<words<std::uint64_t, 4>, add_each>();
  check_sizes<words<std::uint32_t, 17>, add_each>();
  check_sizes<words<std::uint32_t, 34>, add_each>();
  check_sizes<words<std::uint32_t, 65>, add_each>();
  check_sizes<words<std::uint32_t, 130>, add_each>();
  check_sizes<words<std::uint64_t, 64>, add_each>();
  // Of what a single warp scans, as much as shared memory holds, and more.
  check_sizes<words<std::uint64_t, 210>, add_each>();
  check_sizes<words<std::uint64_t, 230>, add_each>();
}
TEST(lookahead_scan_Gpu, of_sixteen_bytes_in_order) {
  check_sizes<step<std::uint64_t>, after>();
}
TEST(lookahead_scan_Gpu, of_many_tiles) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  if (largest_size() < 10'000'000) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is small";
  check<std::uint32_t, hd::plus>(1, 5'000'003, 1, false, true, true);
  check<step<std::uint64_t>, after>(1, 700'001, 0, true, true, false);
  check<words<std::uint32_t, 3>, add_each>(1, 900'001, 0, true, true, false);
  check<std::uint8_t, largest_by_mask<std::uint8_t>>(1, 20'000'003, 3, false, true, true);
}
