#include "life/engine.hpp"
#include "life/gpu_kernels.cuh"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/support/launch.cuh>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace heddle::life {
namespace {

using heddle::gpu::check;
using heddle::gpu::current_device;

/// The pixels of squares: live_in(column, row) counts the live cells of one, on the GPU.
template <class F>
std::vector<std::uint8_t> drawn(const squares& what, const target& where, const F& live_in) {
  const memory on_target(what.columns * what.rows, where);
  auto* const to = static_cast<std::uint8_t*>(on_target.data());
  for_each_index(where, extent{what.rows, what.columns}, [=] HD_FN(std::size_t j, std::size_t i) {
    to[j * what.columns + i] = brightness(live_in(i, j), what.cells());
  });
  std::vector<std::uint8_t> pixels(what.columns * what.rows);
  copy(pixels.data(), target(), to, where, pixels.size());
  return pixels;
}

/// What all engines have: two arrays on a GPU, of which each generation reads one and writes the other.
class on_gpu : public row_engine {
 public:
  on_gpu(const bounds& size, const rule& law, const target& where, std::size_t bytes)
      : size_(size), law_(law), where_(where), now_(bytes, where), next_(bytes, where) {}

  void load(const grid& cells) override { load_rows(0, cells); }
  grid cells() override { return cells_of_rows(0, size_.height); }
  std::uint64_t population() override { return population_of_rows(0, size_.height); }

  void advance(std::uint64_t generations) override {
    while (generations > 0) {
      const std::uint64_t now = at_once(generations);
      advance_rows(0, size_.height, now);
      exchange_grids();
      generations -= now;
    }
    where_.wait();
  }

  std::uint64_t at_once(std::uint64_t) const override { return 1; }
  void exchange_grids() override { std::swap(now_, next_); }
  std::size_t row_bytes() const override { return bytes() / size_.height; }
  std::uint64_t bytes_of(std::uint64_t generations) const override {
    return bytes_of_rows(size_.height, generations);
  }
  std::byte* rows(bool of_other) const override {
    return static_cast<std::byte*>((of_other ? next_ : now_).data());
  }

 protected:
  template <class T>
  T* now() const {
    return static_cast<T*>(now_.data());
  }
  template <class T>
  T* next() const {
    return static_cast<T*>(next_.data());
  }
  std::size_t bytes() const { return now_.bytes(); }
  /// Rows from `first` on, as they lie in memory.
  void to_gpu(memory& to, std::size_t first, const void* from, std::size_t bytes) {
    copy(static_cast<std::byte*>(to.data()) + first * row_bytes(), where_, from, target(), bytes);
  }
  void from_gpu(void* to, const memory& from, std::size_t first, std::size_t bytes) const {
    copy(to, target(), static_cast<const std::byte*>(from.data()) + first * row_bytes(), where_, bytes);
  }

  bounds size_;
  rule law_;
  target where_;
  memory now_, next_;
};

/// A bit a cell: the words of a grid as they are, or in slices. Bits that are no cells are 0.
class of_bits : public on_gpu {
 public:
  of_bits(const bounds& size, const rule& law, const target& where)
      : on_gpu(size, law, where, size.height * words_in_row(size) * sizeof(word)),
        count_(sizeof(unsigned long long), where) {}

  void load_rows(std::size_t first, const grid& cells) override {
    to_gpu(now_, first, cells.words().data(), cells.height() * row_bytes());
  }

  grid cells_of_rows(std::size_t first, std::size_t count) override {
    grid result(size_.width, count);
    from_gpu(result.row(0), now_, first, count * row_bytes());
    return result;
  }

  std::vector<std::uint8_t> draw(const squares& what) override {
    if (what.rows == 0) return {};
    const std::size_t words = row_bytes() / sizeof(std::uint64_t), width = size_.width, height = size_.height;
    const std::size_t first = what.rows_of(0, height).first, last = what.rows_of(what.rows - 1, height).last;
    if (first >= last) return std::vector<std::uint8_t>(what.columns * what.rows);
    const auto* const all = reinterpret_cast<const std::uint64_t*>(in_rows(first, last - first));
    return drawn(what, where_, [=] HD_FN(std::size_t i, std::size_t j) {
      const span_of_cells in_row = what.columns_of(i, width), in_column = what.rows_of(j, height);
      std::uint64_t live = 0;
      for (std::size_t y = in_column.first; y < in_column.last; ++y)
        live += live_in_run(all + y * words, words, in_row.first, in_row.last);
      return live;
    });
  }

  std::uint64_t population_of_rows(std::size_t first, std::size_t rows) override {
    const current_device on(where_);
    auto* const count = static_cast<unsigned long long*>(count_.data());
    check(cudaMemsetAsync(count, 0, sizeof *count, where_.stream()), "cudaMemsetAsync");
    const std::size_t in_row = row_bytes() / sizeof(word), words = rows * in_row;
    const unsigned blocks = std::min(heddle::gpu::grid_for(words, 4 * gpu::count_threads), 4096u);
    gpu::count_bits<<<blocks, gpu::count_threads, 0, where_.stream()>>>(now<word>() + first * in_row, words,
                                                                        count);
    check(cudaGetLastError(), "launch of count_bits");
    unsigned long long live = 0;
    copy(&live, target(), count, where_, sizeof live);
    return live;
  }

 protected:
  using word = gpu::word;
  /// A grid of which some rows are as a grid's are, on the GPU, until cells change.
  virtual const word* in_rows(std::size_t, std::size_t) { return now<word>(); }
  /// Of 32 bits, in a grid's rows.
  static std::size_t words_in_row(const bounds& size) { return (size.width + 63) / 64 * 2; }

  /// Calls f(law) with the code of the rule.
  template <class F>
  void with_law(const F& f) const {
    if (law_ == rule{}) return f(gpu::conway{});
    gpu::any_rule general{};
    for (int n = 0; n < 10; ++n) {
      general.born[n] = n < 9 && (law_.birth >> n & 1) ? ~word{0} : 0;
      general.stays[n] = n > 0 && (law_.survival >> (n - 1) & 1) ? ~word{0} : 0;
    }
    f(general);
  }

 private:
  memory count_;
};

/// Up to 32×32 cells in the registers of one warp, any number of generations a launch.
class in_a_warp final : public of_bits {
 public:
  using of_bits::of_bits;

  std::uint64_t at_once(std::uint64_t generations) const override { return generations; }
  void advance(std::uint64_t generations) override {
    advance_rows(0, size_.height, generations);
    where_.wait();
  }

  /// All of them, in place.
  void exchange_grids() override {}
  void advance_rows(std::size_t, std::size_t, std::size_t generations) override {
    const current_device on(where_);
    const gpu::small_grid all{static_cast<unsigned>(size_.width), static_cast<unsigned>(size_.height),
                              size_.torus};
    with_law([&]<class Law>(const Law& law) {
      auto* const kernel = size_.torus && size_.width == 32 && size_.height == 32
                               ? gpu::advance_in_a_warp<true, Law>
                               : gpu::advance_in_a_warp<false, Law>;
      kernel<<<1, heddle::gpu::warp_size, 0, where_.stream()>>>(now<word>(), all, generations, law);
      check(cudaGetLastError(), "launch of advance_in_a_warp");
    });
  }
};

/// Rows of any length, one generation a launch.
class by_rows final : public of_bits {
 public:
  using of_bits::of_bits;

  void load_rows(std::size_t first, const grid& cells) override {
    of_bits::load_rows(first, cells);
    // The last word of a row may have no cells, and is then never written.
    const current_device on(where_);
    check(cudaMemsetAsync(next_.data(), 0, bytes(), where_.stream()), "cudaMemsetAsync");
  }

  void advance_rows(std::size_t first, std::size_t last, std::size_t) override {
    const current_device on(where_);
    const gpu::row_grid all{size_.width, size_.height, words_in_row(size_), size_.torus, first, last};
    const std::size_t words = (size_.width + 31) / 32 * (last - first);
    with_law([&]<class Law>(const Law& law) {
      gpu::advance_rows<<<heddle::gpu::grid_for(words, gpu::row_threads), gpu::row_threads, 0,
                          where_.stream()>>>(now<word>(), next<word>(), all, law);
      check(cudaGetLastError(), "launch of advance_rows");
    });
  }
};

/// Widths of a multiple of 128, which slice into whole loads of four words: in slices, many generations a
/// launch, in registers.
class in_slices final : public of_bits {
 public:
  using of_bits::of_bits;

  static bool takes(const bounds& size) { return size.width % (32 * 4) == 0; }

  void load_rows(std::size_t first, const grid& cells) override {
    to_gpu(next_, first, cells.words().data(), cells.height() * row_bytes());
    transpose<true>(next<word>(), now<word>(), first, cells.height());
  }

  grid cells_of_rows(std::size_t first, std::size_t count) override {
    in_rows(first, count);
    grid result(size_.width, count);
    from_gpu(result.row(0), next_, first, count * row_bytes());
    return result;
  }

  std::uint64_t at_once(std::uint64_t generations) const override {
    const bool can_eight = size_.torus && law_ == rule{};
    return can_eight && generations >= 8 ? 8 : generations >= 4 ? 4 : 1;
  }
  void advance(std::uint64_t generations) override {
    while (generations > 0) {
      const std::uint64_t now = at_once(generations), passes = generations / now;
      make_passes(0, size_.height, now, passes);
      exchange_grids();
      generations -= now * passes;
    }
    where_.wait();
  }
  void advance_rows(std::size_t first, std::size_t last, std::size_t generations) override {
    make_passes(first, last, generations, 1);
  }

 private:
  std::size_t positions() const { return size_.width / 32; }
  const word* in_rows(std::size_t first, std::size_t count) override {
    transpose<false>(now<word>(), next<word>(), first, count);
    return next<word>();
  }

  /// Passes over some rows, of so many generations each; after the last one the grids are not exchanged.
  void make_passes(std::size_t first, std::size_t last, std::uint64_t generations, std::uint64_t passes) {
    const current_device on(where_);
    with_law([&]<class Law>(const Law& law) {
      if constexpr (std::is_same_v<Law, gpu::conway>) {
        if (generations == 8) return launch<8, true>(first, last, law, passes);
      }
      if (generations == 4) {
        size_.torus ? launch<4, true>(first, last, law, passes) : launch<4, false>(first, last, law, passes);
      } else {
        size_.torus ? launch<1, true>(first, last, law, passes) : launch<1, false>(first, last, law, passes);
      }
    });
  }

  template <int Generations, bool Torus, class Law>
  void launch(std::size_t first, std::size_t last, const Law& law, std::uint64_t passes) {
    using tile = gpu::march_tile<Generations>;
    auto* const kernel = gpu::march<Generations, Torus, Law>;
    const std::size_t tiles = (positions() + tile::kept - 1) / tile::kept;
    // One wave of warps, and chunks long enough that computing rows beyond their edges costs little.
    int blocks_at_once = 1;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, kernel, gpu::march_threads, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const std::size_t warps_at_once = std::size_t{heddle::gpu::multiprocessors(where_)} *
                                      static_cast<std::size_t>(std::max(1, blocks_at_once)) *
                                      (gpu::march_threads / heddle::gpu::warp_size);
    const std::size_t height = last - first;
    // Where warps wait for no other, a shorter chunk is done sooner.
    const std::size_t alone = std::size_t{4} * heddle::gpu::multiprocessors(where_) / tiles;
    const std::size_t most_chunks =
        std::max({std::size_t{1}, height / (4 * Generations), std::min(alone, height / Generations)});
    const std::size_t wanted = std::max<std::size_t>(1, warps_at_once / tiles);
    std::size_t chunks = std::min(wanted, most_chunks);
    const std::size_t rows = (height + chunks - 1) / chunks;
    chunks = (height + rows - 1) / rows;
    const gpu::sliced_grid all{positions(),
                               static_cast<long long>(size_.height),
                               tiles,
                               chunks,
                               static_cast<long long>(rows),
                               static_cast<long long>(first),
                               static_cast<long long>(last)};
    const unsigned grid = heddle::gpu::grid_for(tiles * chunks, gpu::march_threads / heddle::gpu::warp_size);
    for (; passes > 0; --passes) {
      kernel<<<grid, gpu::march_threads, 0, where_.stream()>>>(now<word>(), next<word>(), all, law);
      check(cudaGetLastError(), "launch of march");
      if (passes > 1) exchange_grids();
    }
  }

  template <bool Slice>
  void transpose(const word* from, word* to, std::size_t first, std::size_t rows) {
    const current_device on(where_);
    from += first * positions();
    to += first * positions();
    const std::size_t squares = (positions() + 31) / 32 * rows;
    if (!Slice) check(cudaMemsetAsync(to, 0, rows * row_bytes(), where_.stream()), "cudaMemsetAsync");
    gpu::transpose_squares<Slice>
        <<<heddle::gpu::grid_for(squares, gpu::transpose_threads / heddle::gpu::warp_size),
           gpu::transpose_threads, 0, where_.stream()>>>(from, to, positions(), squares);
    check(cudaGetLastError(), "launch of transpose_squares");
  }
};

/// A byte a cell: the textbook's ways.
class of_bytes final : public on_gpu {
 public:
  of_bytes(algorithm which, const bounds& size, const rule& law, const target& where)
      : on_gpu(size, law, where, size.width * size.height), which_(which) {
    constexpr std::size_t most = gpu::block_shared_bytes / 2;
    if (which == algorithm::block && size.width * size.height > most) {
      fail("life: the algorithm 'block' holds a grid in the shared memory of one block, up to " +
           std::to_string(most) + " cells, and this one has " + std::to_string(size.width) + "x" +
           std::to_string(size.height) + ": take packed, shared or per-cell");
    }
  }

  void load_rows(std::size_t first, const grid& cells) override {
    std::vector<unsigned char> all(size_.width * cells.height());
    for (std::size_t y = 0; y < cells.height(); ++y) {
      for (std::size_t x = 0; x < size_.width; ++x) all[y * size_.width + x] = cells(x, y);
    }
    to_gpu(now_, first, all.data(), all.size());
  }

  grid cells_of_rows(std::size_t first, std::size_t count) override {
    std::vector<unsigned char> all(size_.width * count);
    from_gpu(all.data(), now_, first, all.size());
    grid result(size_.width, count);
    for (std::size_t y = 0; y < count; ++y) {
      for (std::size_t x = 0; x < size_.width; ++x) {
        if (all[y * size_.width + x] != 0) result.set(x, y);
      }
    }
    return result;
  }

  std::uint64_t population_of_rows(std::size_t first, std::size_t count) override {
    return cells_of_rows(first, count).population();
  }

  std::vector<std::uint8_t> draw(const squares& what) override {
    const unsigned char* const all = now<unsigned char>();
    const std::size_t width = size_.width, height = size_.height;
    return drawn(what, where_, [=] HD_FN(std::size_t i, std::size_t j) {
      const span_of_cells in_row = what.columns_of(i, width), in_column = what.rows_of(j, height);
      std::uint64_t live = 0;
      for (std::size_t y = in_column.first; y < in_column.last; ++y) {
        for (std::size_t x = in_row.first; x < in_row.last; ++x) live += all[y * width + x];
      }
      return live;
    });
  }

  std::uint64_t at_once(std::uint64_t generations) const override {
    return which_ == algorithm::block ? generations : 1;
  }
  void exchange_grids() override {
    // A block does all in place.
    if (which_ != algorithm::block) on_gpu::exchange_grids();
  }
  void advance_rows(std::size_t first, std::size_t last, std::size_t generations) override {
    const current_device on(where_);
    const gpu::cell_grid all{size_.width, size_.height, size_.torus, law_.birth, law_.survival, first, last};
    if (which_ == algorithm::block) {
      gpu::advance_in_a_block<<<1, gpu::block_threads, 2 * bytes(), where_.stream()>>>(now<unsigned char>(),
                                                                                       all, generations);
      return check(cudaGetLastError(), "launch of advance_in_a_block");
    }
    auto* const kernel = which_ == algorithm::shared ? gpu::advance_tiles : gpu::advance_cells;
    const std::size_t tiles = ((size_.width + gpu::tile_width - 1) / gpu::tile_width) *
                              ((last - first + gpu::tile_height - 1) / gpu::tile_height);
    kernel<<<heddle::gpu::grid_for(tiles, 1), dim3(gpu::tile_width, gpu::tile_height), 0, where_.stream()>>>(
        now<unsigned char>(), next<unsigned char>(), all, tiles);
    check(cudaGetLastError(), "launch of a generation");
  }

 private:
  algorithm which_;
};

}  // namespace

std::unique_ptr<row_engine> gpu_row_engine(algorithm which, const bounds& size, const rule& law,
                                           const target& where) {
  if (which != algorithm::packed) return std::make_unique<of_bytes>(which, size, law, where);
  if (in_slices::takes(size)) return std::make_unique<in_slices>(size, law, where);
  return std::make_unique<by_rows>(size, law, where);
}

std::unique_ptr<engine> gpu_engine(algorithm which, const bounds& size, const rule& law,
                                   const target& where) {
  if (which == algorithm::packed && size.width <= 32 && size.height <= 32)
    return std::make_unique<in_a_warp>(size, law, where);
  return gpu_row_engine(which, size, law, where);
}

}  // namespace heddle::life
