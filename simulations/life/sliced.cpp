#include "life/engine.hpp"
#include "life/kernels.hpp"
#include <heddle/array.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

namespace heddle::life {
namespace {

using word = std::uint64_t;

sliced_kernels kernels_of_this_processor() {
#if defined(HEDDLE_X86_KERNELS)
  const std::string_view set = cpu_instruction_set();
  if (set == "avx512") return avx512_sliced_kernels();
  if (set == "avx2") return avx2_sliced_kernels();
#endif
  return baseline_sliced_kernels();
}

const sliced_kernels& kernels() {
  constinit static made_once<sliced_kernels> chosen;
  return chosen.get(kernels_of_this_processor);
}

/// Bit j of word i becomes bit i of word j: squares of half the size change places until they are single bits
/// (Warren, Hacker's Delight, 7-3).
void transpose(word (&square)[64]) {
  word mask = ~word{0} >> 32;
  for (unsigned half = 32; half != 0; half /= 2, mask ^= mask << half) {
    for (unsigned i = 0; i < 64; i = (i + half + 1) & ~half) {
      const word other = (square[i] >> half ^ square[i + half]) & mask;
      square[i] ^= other << half;
      square[i + half] ^= other;
    }
  }
}

class sliced final : public row_engine {
 public:
  sliced(const bounds& size, const rule& law, int threads)
      : shape_(sliced_shape::of(size.width, size.height, size.torus)),
        law_(law),
        threads_(threads),
        now_(bytes_of_all(), target()),
        next_(bytes_of_all(), target()) {
    grid all(size.width, 1);
    all.set_run(0, 0, size.width);
    mask_.resize(shape_.words_in_row());
    slice_row(all.row(0), all.words_in_row(), mask_.data());
  }

  void load(const grid& cells) override { load_rows(0, cells); }
  void load_rows(std::size_t first, const grid& cells) override {
    each_row(cells.height(), [&](std::size_t y) {
      word* const to = row(now_, first + y);
      slice_row(cells.row(y), cells.words_in_row(), to);
      if (!shape_.exact() && shape_.torus) {
        to[shape_.word_of(shape_.width)] |= (to[0] & 1) << shape_.bit_of(shape_.width);
      }
    });
  }

  grid cells() override { return cells_of_rows(0, shape_.height); }
  grid cells_of_rows(std::size_t first, std::size_t count) override {
    grid result(shape_.width, count);
    each_row(count, [&](std::size_t y) {
      join_row(row(now_, first + y), {0, shape_.width}, result.row(y), result.words_in_row());
    });
    return result;
  }

  std::uint64_t population() override { return population_of_rows(0, shape_.height); }
  std::uint64_t population_of_rows(std::size_t first, std::size_t count) override {
    std::atomic<std::uint64_t> live{0};
    cpu::for_slices(threads_, count, grain(), [&](std::size_t from, std::size_t to) {
      live += kernels().population(shape_, row(now_, first + from), to - from, mask_.data());
    });
    return live;
  }

  void advance(std::uint64_t generations) override {
    while (generations > 0) {
      const std::uint64_t now = std::min(generations, generations_for(shape_.height));
      advance_rows(0, shape_.height, now);
      exchange_grids();
      generations -= now;
    }
  }

  std::uint64_t at_once(std::uint64_t generations) const override {
    return std::min(generations, generations_for(shape_.height));
  }
  void advance_rows(std::size_t first, std::size_t last, std::size_t generations) override {
    const std::size_t height = last - first, chunks = chunks_of(height);
    cpu::for_slices(threads_, chunks, 1, [&](std::size_t from, std::size_t to) {
      // A thread keeps what it works in.
      thread_local std::vector<word> work;
      if (work.size() < work_words(shape_, generations)) work.resize(work_words(shape_, generations));
      for (std::size_t chunk = from; chunk < to; ++chunk) {
        kernels().advance(shape_, law_,
                          {static_cast<const word*>(now_.data()), static_cast<word*>(next_.data()),
                           first + height * chunk / chunks, first + height * (chunk + 1) / chunks,
                           generations, work.data()});
      }
    });
  }
  void exchange_grids() override { std::swap(now_, next_); }

  std::vector<std::uint8_t> draw(const squares& what) override {
    std::vector<std::uint8_t> pixels(what.columns * what.rows);
    std::vector<std::size_t> edges;
    for (std::size_t i = 0; i <= what.columns; ++i) edges.push_back(what.columns_of(i, shape_.width).first);
    const span_of_cells seen{edges.front(), edges.back()};
    const std::vector<std::uint8_t> levels = brightness_of_small(what);
    cpu::for_slices(threads_, what.rows, 1, [&](std::size_t from, std::size_t to) {
      const std::size_t words = (shape_.width + 63) / 64, line_words = words + 1;
      std::vector<std::uint64_t> live(what.columns);
      std::vector<word> planes(most_planes * shape_.words_in_row()), lines(most_planes * line_words);
      for (std::size_t j = from; j < to; ++j) {
        const span_of_cells in = what.rows_of(j, shape_.height);
        std::uint8_t* const pixels_of_row = pixels.data() + j * what.columns;
        if (what.side == 1) {
          if (in.first == in.last) continue;
          std::fill_n(lines.begin(), line_words, word{0});
          join_row(row(now_, in.first), seen, lines.data(), words);
          kernels().spread_cells(lines.data(), seen.first, seen.last, pixels_of_row + columns_before(what));
          continue;
        }
        std::fill(live.begin(), live.end(), 0);
        for (std::size_t y = in.first; y < in.last; y += most_rows_counted) {
          // Few planes, and not each row, are taken out of the slices.
          const std::size_t rows = std::min(most_rows_counted, in.last - y);
          kernels().count_columns(shape_, row(now_, y), rows, planes.data());
          const auto count = static_cast<std::size_t>(std::bit_width(rows));
          std::fill_n(lines.begin(), count * line_words, word{0});
          for (std::size_t level = 0; level < count; ++level)
            join_row(&planes[level * shape_.words_in_row()], seen, &lines[level * line_words], words);
          kernels().count_squares(lines.data(), line_words, count, edges.data(), what.columns, live.data());
        }
        for (std::size_t i = 0; i < what.columns; ++i)
          pixels_of_row[i] = levels.empty() ? brightness(live[i], what.cells()) : levels[live[i]];
      }
    });
    return pixels;
  }

  std::size_t row_bytes() const override { return shape_.words_in_row() * sizeof(word); }
  std::uint64_t bytes_of(std::uint64_t generations) const override {
    return bytes_of_rows(shape_.height, generations);
  }
  std::byte* rows(bool of_other) const override {
    return static_cast<std::byte*>((of_other ? next_ : now_).data());
  }

 private:
  // Chunks compute rows beyond their edges, for each generation of a pass, of which there must be few
  // compared with their own; and the rows that wait between the generations must stay in the second-level
  // cache.
  static constexpr std::size_t rows_a_generation = 24;
  std::size_t chunks_of(std::size_t height) const {
    constexpr std::size_t least_bytes_of_chunk = 16384;
    const std::size_t rows_worth_it =
        std::max<std::size_t>(rows_a_generation, least_bytes_of_chunk / row_bytes());
    const std::size_t most_chunks = threads_ == 1 ? 1 : 2 * static_cast<std::size_t>(threads_);
    return std::clamp<std::size_t>(height / rows_worth_it, 1, most_chunks);
  }
  std::uint64_t generations_for(std::size_t height) const {
    constexpr std::size_t bytes_in_flight = std::size_t{3} << 18, most_generations = 16;
    return std::max<std::size_t>(1, std::min({most_generations, bytes_in_flight / (4 * row_bytes()),
                                              height / chunks_of(height) / rows_a_generation}));
  }

  std::size_t bytes_of_all() const { return shape_.height * row_bytes(); }
  std::size_t grain() const { return std::max<std::size_t>(1, 4096 / shape_.words_in_row()); }
  word* row(const memory& of, std::size_t y) const {
    return static_cast<word*>(of.data()) + y * shape_.words_in_row();
  }

  template <class F>
  void each_row(std::size_t count, const F& f) const {
    cpu::for_slices(threads_, count, grain(), [&](std::size_t first, std::size_t last) {
      for (std::size_t y = first; y < last; ++y) f(y);
    });
  }

  /// Squares of 64 slices and 64 positions change between the layouts by transposition.
  void slice_row(const word* from, std::size_t words, word* to) const {
    // Most rows of sparse patterns are empty.
    if (std::all_of(from, from + words, [](word cells) { return cells == 0; })) {
      std::fill_n(to, shape_.words_in_row(), word{0});
      return;
    }
    word square[64];
    for (std::size_t group = 0; group < block_words; ++group) {
      for (std::size_t position = 0; position < shape_.positions; position += 64) {
        const std::size_t count = std::min<std::size_t>(64, shape_.positions - position);
        for (std::size_t l = 0; l < 64; ++l) {
          square[l] = bits_of_run(from, words, (group * 64 + l) * shape_.positions + position, count);
        }
        transpose(square);
        for (std::size_t k = 0; k < count; ++k) to[(position + k) * block_words + group] = square[k];
      }
    }
  }

  /// Of a pixel a cell: how many pixels are left of the first column.
  static std::size_t columns_before(const squares& what) {
    return what.left < 0 ? std::min(what.columns, static_cast<std::size_t>(-what.left)) : 0;
  }

  /// The brightness by the number of live cells, where they are few.
  static std::vector<std::uint8_t> brightness_of_small(const squares& what) {
    constexpr std::size_t longest_side = 32;
    std::vector<std::uint8_t> all;
    if (what.side > longest_side) return all;
    for (std::uint64_t live = 0; live <= what.cells(); ++live) all.push_back(brightness(live, what.cells()));
    return all;
  }

  /// Eight words of 64 slices, a position each: of every eight slices byte l has the eight positions of slice
  /// l.
  static void transpose_bytes(const word (&square)[64], word (&runs)[block_words]) {
    static_assert(block_words == 8);
    for (std::size_t part = 0; part < 8; ++part) {
      word run = 0;
      for (std::size_t k = 0; k < 8; ++k) run |= (square[k] >> 8 * part & 255) << 8 * k;
      for (const auto& [shift, mask] : {std::pair<unsigned, word>{7, 0x00aa00aa00aa00aa},
                                        {14, 0x0000cccc0000cccc},
                                        {28, 0x00000000f0f0f0f0}}) {
        const word other = (run ^ run >> shift) & mask;
        run ^= other ^ other << shift;
      }
      runs[part] = run;
    }
  }

  /// The cells of `columns`, and others beside them.
  void join_row(const word* from, const span_of_cells& columns, word* to, std::size_t words) const {
    word square[64];
    const std::size_t columns_of_group = 64 * shape_.positions;
    for (std::size_t group = columns.first / columns_of_group; group * columns_of_group < columns.last;
         ++group) {
      for (std::size_t position = 0; position < shape_.positions; position += 64) {
        const std::size_t count = std::min<std::size_t>(64, shape_.positions - position);
        for (std::size_t k = 0; k < 64; ++k) {
          square[k] = k < count ? from[(position + k) * block_words + group] : 0;
        }
        if (shape_.positions == 8 && shape_.exact()) {
          word runs[block_words];
          transpose_bytes(square, runs);
          for (std::size_t part = 0; part < 8; ++part) to[group * 8 + part] = runs[part];
          continue;
        }
        transpose(square);
        for (std::size_t l = 0; l < 64; ++l) {
          const std::size_t column = (group * 64 + l) * shape_.positions + position;
          if (column >= shape_.width) break;
          const std::size_t bits = std::min(count, shape_.width - column);
          const word run = bits < 64 ? square[l] & ((word{1} << bits) - 1) : square[l];
          to[column / 64] |= run << column % 64;
          if (column % 64 + bits > 64 && column / 64 + 1 < words)
            to[column / 64 + 1] |= run >> (64 - column % 64);
        }
      }
    }
  }

  sliced_shape shape_;
  rule law_;
  int threads_;
  memory now_, next_;
  std::vector<word> mask_;
};

}  // namespace

std::unique_ptr<row_engine> sliced_engine(const bounds& size, const rule& law, const target& where) {
  return std::make_unique<sliced>(size, law, where.threads());
}

}  // namespace heddle::life
