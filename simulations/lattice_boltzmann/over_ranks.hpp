#pragma once

#include "lattice_boltzmann/engine.hpp"
#include <heddle/array.hpp>
#include <heddle/support/halo_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::lbm {

/// The engine of a whole flow, of those of its blocks of rows. Every rank makes the same calls with the same
/// rows, and gets the answers of all.
template <class S>
class engine_over_ranks final : public engine<S> {
  using R = arithmetic<S>;

 public:
  engine_over_ranks(const flow_plan& plan, std::unique_ptr<engine<S>> own)
      : halos_(plan.halos), width_(static_cast<std::size_t>(plan.width)), own_(std::move(own)) {
    find_kinds(plan);
  }

  void rest() override { own_->rest(); }

  void load(std::ptrdiff_t first, std::ptrdiff_t count, const S* from) override {
    const part mine = part_of(first, count, me());
    if (mine.count == 0) return;
    std::vector<S> rows(velocities * mine.count * width_);
    for (std::size_t i = 0; i < velocities; ++i)
      std::copy_n(from + (i * static_cast<std::size_t>(count) + mine.at) * width_, mine.count * width_,
                  rows.data() + i * mine.count * width_);
    own_->load(mine.own, static_cast<std::ptrdiff_t>(mine.count), rows.data());
  }

  void store(std::ptrdiff_t first, std::ptrdiff_t count, S* to) override {
    const part mine = part_of(first, count, me());
    std::vector<S> rows(velocities * mine.count * width_);
    if (mine.count > 0) own_->store(mine.own, static_cast<std::ptrdiff_t>(mine.count), rows.data());
    const array<S> of_ranks = halos_->all().all_gather(rows);
    const S* from = of_ranks.data();
    for (std::size_t r = 0; r + 1 < halos_->begins().size(); ++r) {
      const part there = part_of(first, count, r);
      for (std::size_t i = 0; i < velocities; ++i, from += there.count * width_)
        std::copy_n(from, there.count * width_,
                    to + (i * static_cast<std::size_t>(count) + there.at) * width_);
    }
  }

  void step(std::uint64_t number, std::uint64_t count) override { own_->step(number, count); }

  void read(std::ptrdiff_t first, std::ptrdiff_t count, moments<R>* to) override {
    gather_rows(first, count, width_, to, [&](const part& mine, moments<R>* rows) {
      own_->read(mine.own, static_cast<std::ptrdiff_t>(mine.count), rows);
    });
  }

  std::vector<double> excess_of_rows() override { return gathered(own_->excess_of_rows()); }

  double mass_brought() override {
    // Whole units, of which any order gives the same sum.
    const array<double> of_ranks = halos_->all().all_gather(own_->mass_brought());
    return std::accumulate(of_ranks.begin(), of_ranks.end(), 0.0);
  }

  link_forces on_links() override {
    const link_forces mine = own_->on_links();
    const std::vector<std::uint8_t> kinds = gathered(kinds_);
    const std::vector<double> x = gathered(mine.x), y = gathered(mine.y);
    // Links lie kind by kind and direction by direction, and those in the order of rows.
    std::vector<std::size_t> order(kinds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return kinds[a] < kinds[b]; });
    link_forces of;
    for (const std::size_t i : order) {
      of.x.push_back(x[i]);
      of.y.push_back(y[i]);
    }
    return of;
  }

  std::optional<std::size_t> blown_up() override {
    std::optional<std::size_t> lowest = own_->blown_up();
    const std::size_t none = halos_->begins().back() * width_;
    const array<std::size_t> of_ranks =
        halos_->all().all_gather(lowest ? halos_->first_row() * width_ + *lowest : none);
    const std::size_t least = *std::min_element(of_ranks.begin(), of_ranks.end());
    return least == none ? std::nullopt : std::optional(least);
  }

  std::optional<double> change() override {
    const std::optional<double> mine = own_->change();
    const array<double> of_ranks = halos_->all().all_gather(mine.value_or(0));
    return mine ? std::optional(*std::max_element(of_ranks.begin(), of_ranks.end())) : std::nullopt;
  }
  void set_plan(const flow_plan& plan) override {
    own_->set_plan(plan);
    find_kinds(plan);
  }
  void put(const std::vector<std::size_t>& cells, const std::vector<S>& of_cells) override {
    const std::size_t begin = halos_->first_row() * width_, end = begin + halos_->rows() * width_;
    std::vector<std::size_t> own_cells;
    std::vector<S> of_own;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (cells[k] < begin || cells[k] >= end) continue;
      own_cells.push_back(cells[k] - begin);
      for (std::size_t i = 0; i < velocities; ++i) of_own.push_back(of_cells[k * velocities + i]);
    }
    own_->put(own_cells, of_own);
  }
  array<moments<R>> moments_in_place() override { return own_->moments_in_place(); }
  void load_compared(std::ptrdiff_t first, std::ptrdiff_t count, const R* from) override {
    const part mine = part_of(first, count, me());
    own_->load_compared(mine.own, static_cast<std::ptrdiff_t>(mine.count), from + mine.at * 2 * width_);
  }
  void store_compared(std::ptrdiff_t first, std::ptrdiff_t count, R* to) override {
    gather_rows(first, count, 2 * width_, to, [&](const part& mine, R* rows) {
      own_->store_compared(mine.own, static_cast<std::ptrdiff_t>(mine.count), rows);
    });
  }

 private:
  void find_kinds(const flow_plan& plan) {
    kinds_.clear();
    const std::size_t curved = plan.links.size() - plan.links.curved;
    for (std::size_t i = plan.links.walls + plan.links.moving; i < plan.links.size(); ++i)
      kinds_.push_back(static_cast<std::uint8_t>(plan.links.places[i] % 8 + (i < curved ? 0 : 8)));
  }

  /// The part of some rows that a rank has: how many, where they are among these, and where among its own.
  struct part {
    std::size_t count, at;
    std::ptrdiff_t own;
  };
  part part_of(std::ptrdiff_t first, std::ptrdiff_t count, std::size_t rank) const {
    const auto low = static_cast<std::size_t>(first), high = static_cast<std::size_t>(first + count);
    const std::size_t begin = std::max(low, halos_->begins()[rank]);
    const std::size_t end = std::min(high, halos_->begins()[rank + 1]);
    if (begin >= end) return {0, 0, 0};
    return {end - begin, begin - low, static_cast<std::ptrdiff_t>(begin - halos_->begins()[rank])};
  }
  std::size_t me() const { return static_cast<std::size_t>(halos_->all().rank()); }

  template <class T>
  std::vector<T> gathered(const std::vector<T>& mine) const {
    const array<T> of_ranks = halos_->all().all_gather(mine);
    return {of_ranks.begin(), of_ranks.end()};
  }

  /// Rows of so many numbers each, which `read_own` brings from this rank.
  template <class T, class F>
  void gather_rows(std::ptrdiff_t first, std::ptrdiff_t count, std::size_t numbers, T* to,
                   const F& read_own) {
    const part mine = part_of(first, count, me());
    std::vector<T> rows(mine.count * numbers);
    if (mine.count > 0) read_own(mine, rows.data());
    const array<T> of_ranks = halos_->all().all_gather(rows);
    std::copy(of_ranks.begin(), of_ranks.end(), to);
  }

  std::shared_ptr<halo_exchange> halos_;
  std::size_t width_;
  std::unique_ptr<engine<S>> own_;
  std::vector<std::uint8_t> kinds_;  // of the links whose forces are asked for
};

}  // namespace heddle::lbm
