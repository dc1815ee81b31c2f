#pragma once

#include <heddle/array.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/ranks.hpp>
#include <heddle/shape.hpp>
#include <heddle/support/halo_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace heddle {

/// Puts rows that ranks have computed in any order into one array, in even blocks: its row numbers[i] is row
/// i of `rows` of some rank. `rows` is on the target of its rank. Each element is sent once. Throws
/// heddle::error unless each row is given once.
template <element T>
distributed_array<T> rows_in_order(const ranks& all, const shape& lengths,
                                   const std::vector<std::size_t>& numbers, const array<T>& rows) {
  const std::size_t row = impl::row_elements(lengths);
  if (rows.size() != numbers.size() * row)
    fail("rows_in_order: " + std::to_string(numbers.size()) + " numbers for an array of shape " +
         rows.shape().text());
  const std::vector<std::size_t> begins = even_rows(lengths[0], all.size());
  const auto size = static_cast<std::size_t>(all.size()), me = static_cast<std::size_t>(all.rank());
  const auto rank_of = [&](std::size_t number) {
    return static_cast<std::size_t>(std::upper_bound(begins.begin() + 1, begins.end(), number) -
                                    begins.begin()) -
           1;
  };
  const array<std::size_t> counts = all.all_gather(numbers.size()), of_all = all.all_gather(numbers);
  std::vector<bool> is_given(lengths[0], false);
  for (const std::size_t number : of_all) {
    if (number >= lengths[0] || is_given[number])
      fail("rows_in_order: row " + std::to_string(number) + " of " + std::to_string(lengths[0]) +
           " is not there, or given twice");
    is_given[number] = true;
  }
  if (of_all.size() != lengths[0])
    fail("rows_in_order: " + std::to_string(of_all.size()) + " rows for an array of shape " + lengths.text());

  const impl::on_cpu<T> here(rows.view());
  std::vector<std::size_t> bytes_to(size), bytes_from(size);
  array<T> sent(rows.size()), came((begins[me + 1] - begins[me]) * row);
  T* next = sent.data();
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (rank_of(numbers[i]) != r) continue;
      next = std::copy_n(here.data() + i * row, row, next);
      bytes_to[r] += row * sizeof(T);
    }
  }
  std::vector<std::size_t> order;  // of the rows that come
  std::size_t at = 0;
  for (std::size_t r = 0; r < size; ++r) {
    for (const std::size_t end = at + counts[r]; at < end; ++at) {
      if (rank_of(of_all[at]) != me) continue;
      order.push_back(of_all[at] - begins[me]);
      bytes_from[r] += row * sizeof(T);
    }
  }
  all.between().all_to_all(sent.data(), bytes_to, came.data(), bytes_from);
  array<T> block(impl::with_rows(lengths, order.size()));
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(came.data() + i * row, row, block.data() + order[i] * row);
  return {all, lengths, begins, block.on(all.where())};
}

}  // namespace heddle
