#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/distributed/transport.hpp>
#include <heddle/impl/patterns/stencil/front.hpp>
#include <heddle/neighbours.hpp>
#include <heddle/ranks.hpp>
#include <heddle/stencil.hpp>
#include <heddle/support/halo_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace heddle::impl {

/// Rows first … last−1 of an array, which are at row `at` of a rank's block and its halo.
struct halo_rows {
  std::size_t first, last, at;
};
/// The block of a rank with `depth` rows around it: as many as there are, or, of periodic rows, all.
struct block_with_halo {
  std::size_t first, rows;  // its first row in the array, and how many it has
  std::size_t block;        // the row at which the block begins
  std::vector<halo_rows> halo;
};
block_with_halo block_and_halo(const std::vector<std::size_t>& begins, int rank, std::size_t depth,
                               bool periodic);

/// Sends rows to the halos of other ranks, and receives its own halos; a row has `row_bytes` bytes. `rows`
/// begins with row 0 of the block and its halo.
void exchange_halos(const ranks& all, const std::vector<std::size_t>& begins, std::size_t depth,
                    bool periodic, void* rows, std::size_t row_bytes);

/// Whether blocks are so large that computing their edges twice costs less than waiting for an exchange of
/// `depth` rows.
bool hides_exchange(const halo_exchange& halos, std::size_t depth);

/// How many generations are computed between two exchanges.
std::size_t generations_at_once(const std::vector<std::size_t>& begins, std::size_t reach, std::size_t steps);

inline namespace HD_BUILD {

/// A stencil's function, which gets the indices of the whole array.
template <class F, class U>
struct with_rows_of_array {
  F f;
  std::size_t first, rows;

  HD_INLINE std::size_t row(std::size_t i) const { return (first + i) % rows; }
  HD_INLINE auto operator()(const U& u) const
    requires(takes_indices<F, U, 0>)
  {
    return f(u);
  }
  HD_INLINE auto operator()(const U& u, std::size_t i) const
    requires(takes_indices<F, U, 1>)
  {
    return f(u, row(i));
  }
  HD_INLINE auto operator()(const U& u, std::size_t i, std::size_t j) const
    requires(takes_indices<F, U, 2>)
  {
    return f(u, row(i), j);
  }
  HD_INLINE auto operator()(const U& u, std::size_t i, std::size_t j, std::size_t k) const
    requires(takes_indices<F, U, 3>)
  {
    return f(u, row(i), j, k);
  }
};

/// Each rank computes its block and, where several generations follow each other without an exchange, fewer
/// and fewer rows around it. Where blocks are large the rows at their edges are computed first, and go to the
/// neighbours while the others are computed.
template <int Reach, class T, class F>
void stencil_over_ranks(const ranks& all, const distributed_array<T>& in, distributed_array<T>& out,
                        const boundary<T>& around, const F& f, std::size_t steps) {
  const target& where = all.where();
  const shape& lengths = in.shape();
  const std::size_t fused = generations_at_once(in.begins(), Reach, steps), depth = Reach * fused,
                    row_bytes = row_elements(lengths) * sizeof(T);
  const bool periodic = around.kind == edge::periodic;
  const block_with_halo own = block_and_halo(in.begins(), all.rank(), depth, periodic);
  array<T> now(with_rows(lengths, own.rows), where), next(with_rows(lengths, own.rows), where);
  const auto block_of = [&](array<T>& x) { return x.slice(own.block, own.block + in.rows()); };
  if (in.rows() > 0) block_of(now).copy_from(in.local());
  // From row `first` of the block and its halo on.
  const auto compute = [&](const array_view<T>& from, const array_view<T>& to, std::size_t first,
                           std::size_t generations) {
    const with_rows_of_array<F, neighbours<T, Reach>> function{f, own.first + first,
                                                               std::max<std::size_t>(lengths[0], 1)};
    if (from.size() > 0) heddle::stencil<Reach>(where, from, to, around, function, generations);
  };

  halo_exchange halos(all, in.begins(), periodic);
  const bool hides = hides_exchange(halos, depth) && steps > fused;
  const bool before = hides && halos.has_before(), after = hides && halos.has_after();
  const std::size_t begin = before ? own.block : 0, end = after ? own.block + in.rows() : own.rows;
  const shape edge = with_rows(lengths, 3 * depth);
  array<T> first_rows(before ? edge : shape{0}, where), last_rows(after ? edge : shape{0}, where);
  const auto part = [&](array<T>& x, std::size_t row, bool exists) {
    return exists ? memory_part{x.data() + row * row_elements(lengths), depth * row_bytes} : memory_part{};
  };
  for (std::size_t done = 0; done < steps; done += fused) {
    if (done == 0 || !hides) exchange_halos(all, in.begins(), depth, periodic, now.data(), row_bytes);
    if (hides && done + fused < steps) {
      if (before) compute(now.slice(0, 3 * depth), first_rows.view(), 0, fused);
      if (after)
        compute(now.slice(own.rows - 3 * depth, own.rows), last_rows.view(), own.rows - 3 * depth, fused);
      halos.start(part(first_rows, depth, before), part(last_rows, depth, after), part(next, 0, before),
                  part(next, end, after));
      compute(now.slice(begin, end), next.slice(begin, end), begin, fused);
      halos.finish();
      if (before) next.slice(begin, begin + depth).copy_from(first_rows.slice(depth, 2 * depth));
      if (after) next.slice(end - depth, end).copy_from(last_rows.slice(depth, 2 * depth));
    } else {
      compute(now.view(), next.view(), 0, std::min(fused, steps - done));
    }
    std::swap(now, next);
  }
  if (in.rows() > 0) out.local().copy_from(block_of(now));
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
