#include "life/engine.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/support/halo_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace heddle::life {
namespace {

/// A block of rows on each rank, and around it rows of its neighbours, as many as generations are advanced
/// from one exchange to the next. Edges have too few rows to use all of a GPU, so a large block takes several
/// passes between exchanges, of which all but the last compute rows around it too.
class over_ranks final : public engine {
 public:
  over_ranks(algorithm which, const bounds& size, const rule& law, const ranks& all)
      : size_(size), halos_(all, even_rows(size.height, all.size()), size.torus) {
    if (which == algorithm::block)
      fail(fmt::format(
          "life: the algorithm 'block' is one block of a GPU, and there are {} ranks: take packed, "
          "shared or per-cell",
          all.size()));
    constexpr std::size_t most_rows = 32;
    const std::size_t room = halos_.is_whole() ? 0 : std::min(most_rows, halos_.least_rows());
    first_ = halos_.has_before() ? room : 0;
    if (halos_.rows() > 0)
      own_ = make_row_engine(
          which, {size.width, first_ + halos_.rows() + (halos_.has_after() ? room : 0), size.torus}, law,
          all.where());
    const array<std::size_t> row_bytes = all.all_gather(own_ ? own_->row_bytes() : 0);
    const array<std::uint64_t> depths = all.all_gather(own_ ? own_->at_once(room) : std::uint64_t{room});
    for (std::size_t r = 0; r < row_bytes.size(); ++r) {
      if (own_ && row_bytes[r] != 0 && row_bytes[r] != own_->row_bytes())
        fail(fmt::format(
            "life: rank {} keeps a row in {} bytes and rank {} in {}: give all ranks targets of one "
            "kind",
            r, row_bytes[r], all.rank(), own_->row_bytes()));
    }
    at_once_ = *std::min_element(depths.begin(), depths.end());
    if (at_once_ == 0) return;
    // Rows around a block are computed more than once: they are one in 256, or fewer.
    constexpr std::size_t least_part = 256;
    const std::size_t passes = 1 + halos_.least_rows() / least_part / at_once_;
    depth_ = at_once_ * std::min(passes, room / at_once_);
  }

  void load(const grid& cells) override { load_rows(0, cells); }

  void load_rows(std::size_t first, const grid& cells) override {
    const rows_of_rank mine = own_part(first, first + cells.height());
    if (mine.count > 0)
      own_->load_rows(mine.place, cells.part({0, mine.first - first, size_.width, mine.count}));
    start(false);
    halos_.finish();
  }

  void advance(std::uint64_t generations) override {
    if (halos_.is_whole()) {
      if (own_) own_->advance(generations);
      return;
    }
    while (generations > 0) {
      const std::uint64_t now = std::min<std::uint64_t>(generations, depth_);
      advance_to_exchange(now);
      generations -= now;
    }
    halos_.all().where().wait();
  }

  std::uint64_t population() override {
    std::uint64_t sum = 0;
    for (const std::uint64_t live :
         halos_.all().all_gather(own_ ? own_->population_of_rows(first_, halos_.rows()) : std::uint64_t{0}))
      sum += live;
    return sum;
  }

  grid cells() override { return cells_of_rows(0, size_.height); }

  grid cells_of_rows(std::size_t first, std::size_t count) override {
    grid all(size_.width, count);
    const array<std::uint64_t> words =
        halos_.all().all_gather(cells_of(own_part(first, first + count)).words());
    std::copy(words.begin(), words.end(), all.row(0));
    return all;
  }

  /// Rows of pixels whose cells are those of one rank are drawn there. Of the others each rank counts the
  /// cells that it has.
  std::vector<std::uint8_t> draw(const squares& what) override {
    std::vector<std::size_t> owners;  // of each row of pixels, or how many ranks there are
    const auto ranks = static_cast<std::size_t>(halos_.all().size());
    const auto me = static_cast<std::size_t>(halos_.all().rank());
    const std::vector<std::size_t>& begins = halos_.begins();
    for (std::size_t j = 0; j < what.rows; ++j) {
      const span_of_cells in = what.rows_of(j, size_.height);
      std::size_t owner = ranks;
      // Cells beside a block are those of others: what is partly outside of the grid is counted.
      if (in.last - in.first == what.side)
        for (std::size_t r = 0; r < ranks; ++r)
          if (begins[r] <= in.first && in.last <= begins[r + 1]) owner = r;
      owners.push_back(owner);
    }
    const auto mine = std::find(owners.begin(), owners.end(), me);
    squares own = what;
    own.rows = static_cast<std::size_t>(std::count(owners.begin(), owners.end(), me));
    own.top +=
        static_cast<std::int64_t>(static_cast<std::size_t>(mine - owners.begin()) * what.side + first_) -
        static_cast<std::int64_t>(halos_.first_row());
    const array<std::uint8_t> drawn =
        halos_.all().all_gather(own.rows > 0 ? own_->draw(own) : std::vector<std::uint8_t>());

    std::vector<std::uint64_t> counts;
    for (std::size_t j = 0; j < what.rows; ++j) {
      if (owners[j] != ranks) continue;
      const span_of_cells in = what.rows_of(j, size_.height);
      const grid cells = cells_of(own_part(in.first, in.last));
      std::vector<std::uint64_t> live(what.columns);
      for (std::size_t y = 0; y < cells.height(); ++y) {
        for (std::size_t i = 0; i < what.columns; ++i) {
          const span_of_cells seen = what.columns_of(i, size_.width);
          live[i] += live_in_run(cells.row(y), cells.words_in_row(), seen.first, seen.last);
        }
      }
      counts.insert(counts.end(), live.begin(), live.end());
    }
    const array<std::uint64_t> of_ranks = halos_.all().all_gather(counts);

    std::vector<std::uint8_t> pixels;
    auto next = drawn.begin();  // ranks have rows of pixels in their order
    std::size_t counted = 0;
    for (const std::size_t owner : owners) {
      if (owner != ranks) {
        pixels.insert(pixels.end(), next, next + static_cast<std::ptrdiff_t>(what.columns));
        next += static_cast<std::ptrdiff_t>(what.columns);
        continue;
      }
      for (std::size_t i = 0; i < what.columns; ++i, ++counted) {
        std::uint64_t live = 0;
        for (std::size_t r = 0; r < ranks; ++r) live += of_ranks.data()[r * counts.size() + counted];
        pixels.push_back(brightness(live, what.cells()));
      }
    }
    return pixels;
  }

 private:
  /// The own rows among first … last−1 of all: how many, the first of them, and its place in the block.
  struct rows_of_rank {
    std::size_t count, first, place;
  };
  rows_of_rank own_part(std::size_t first, std::size_t last) const {
    const std::size_t begin = std::max(first, halos_.first_row()),
                      end = std::min(last, halos_.first_row() + halos_.rows());
    return begin < end ? rows_of_rank{end - begin, begin, first_ + begin - halos_.first_row()}
                       : rows_of_rank{};
  }
  grid cells_of(const rows_of_rank& part) const {
    return part.count > 0 ? own_->cells_of_rows(part.place, part.count) : grid(size_.width, 0);
  }

  /// Sends the rows at the edges of a grid, and receives those beside them.
  void start(bool of_other) {
    const std::size_t bytes = own_ ? own_->row_bytes() : 0;
    const auto part = [&](std::size_t first) -> memory_part {
      return own_ ? memory_part{own_->rows(of_other) + first * bytes, depth_ * bytes} : memory_part{};
    };
    halos_.start(part(first_), part(last() - depth_), part(first_ - (halos_.has_before() ? depth_ : 0)),
                 part(last()));
  }

  void advance_to_exchange(std::uint64_t generations) {
    while (generations > 0) {
      // Where a rank has no rows those of others have one, and are advanced one by one.
      const std::uint64_t now = own_ ? own_->at_once(std::min<std::uint64_t>(generations, at_once_)) : 1;
      generations -= now;
      if (generations == 0) {
        advance_edges_first(now);
      } else if (own_) {
        own_->advance_rows(first_ - (halos_.has_before() ? generations : 0),
                           last() + (halos_.has_after() ? generations : 0), now);
      }
      if (own_) own_->exchange_grids();
    }
  }

  /// The edges, and then what is between them while they go to the neighbours.
  void advance_edges_first(std::uint64_t generations) {
    const std::size_t before = halos_.has_before() ? std::min(first_ + depth_, last()) : first_;
    const std::size_t after = halos_.has_after() ? std::max(before, last() - depth_) : last();
    const auto advance_rows = [&](std::size_t from, std::size_t to) {
      if (own_ && from < to) own_->advance_rows(from, to, generations);
    };
    advance_rows(first_, before);
    advance_rows(after, last());
    start(true);
    advance_rows(before, after);
    halos_.finish();
  }

  std::size_t last() const { return first_ + halos_.rows(); }

  bounds size_;
  halo_exchange halos_;
  std::size_t first_ = 0;    // own row in the block
  std::size_t at_once_ = 0;  // generations of a pass
  std::size_t depth_ = 0;    // generations from one exchange to the next, and rows around the block
  std::unique_ptr<row_engine> own_;
};

}  // namespace

std::unique_ptr<engine> make_engine(algorithm which, const bounds& size, const rule& law, const ranks& all) {
  if (all.size() == 1) return make_engine(which, size, law, all.where());
  return std::make_unique<over_ranks>(which, size, law, all);
}

}  // namespace heddle::life
