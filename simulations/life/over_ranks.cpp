#include "life/engine.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/halo_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/core.h>

namespace heddle::life {
namespace {

/// A block of rows on each rank, and around it rows of its neighbours, as many as generations are advanced
/// from one exchange to the next.
class over_ranks final : public engine {
 public:
  over_ranks(algorithm which, const bounds& size, const rule& law, const ranks& all)
      : size_(size), halos_(all, even_rows(size.height, all.size()), size.torus) {
    if (which == algorithm::block)
      fail(fmt::format(
          "life: the algorithm 'block' is one block of a GPU, and there are {} ranks: take packed, "
          "shared or per-cell",
          all.size()));
    constexpr std::size_t most_rows = 16;
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
    depth_ = *std::min_element(depths.begin(), depths.end());
  }

  void load(const grid& cells) override {
    if (own_) own_->load_rows(first_, cells.part({0, halos_.first_row(), size_.width, halos_.rows()}));
    start(false);
    halos_.finish();
  }

  void advance(std::uint64_t generations) override {
    if (halos_.is_whole()) {
      if (own_) own_->advance(generations);
      return;
    }
    while (generations > 0) {
      // Where a rank has no rows those of others have one, and are advanced one by one.
      const std::uint64_t now = own_ ? own_->at_once(std::min<std::uint64_t>(generations, depth_)) : 1;
      advance_block(now);
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

  grid cells() override {
    grid all(size_.width, size_.height);
    const grid mine = own_ ? own_->cells_of_rows(first_, halos_.rows()) : grid(size_.width, 0);
    const array<std::uint64_t> words = halos_.all().all_gather(mine.words());
    std::copy(words.begin(), words.end(), all.row(0));
    return all;
  }

 private:
  /// Sends the rows at the edges of a grid, and receives those beside them.
  void start(bool of_other) {
    const std::size_t bytes = own_ ? own_->row_bytes() : 0;
    const auto part = [&](std::size_t first) -> memory_part {
      return own_ ? memory_part{own_->rows(of_other) + first * bytes, depth_ * bytes} : memory_part{};
    };
    halos_.start(part(first_), part(last() - depth_), part(first_ - (halos_.has_before() ? depth_ : 0)),
                 part(last()));
  }

  /// The edges, and then what is between them while they go to the neighbours.
  void advance_block(std::uint64_t generations) {
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
    if (own_) own_->exchange_grids();
  }

  std::size_t last() const { return first_ + halos_.rows(); }

  bounds size_;
  halo_exchange halos_;
  std::size_t first_ = 0, depth_ = 0;  // the first own row in the block, and the rows around it
  std::unique_ptr<row_engine> own_;
};

}  // namespace

std::unique_ptr<engine> make_engine(algorithm which, const bounds& size, const rule& law, const ranks& all) {
  if (all.size() == 1) return make_engine(which, size, law, all.where());
  return std::make_unique<over_ranks>(which, size, law, all);
}

}  // namespace heddle::life
