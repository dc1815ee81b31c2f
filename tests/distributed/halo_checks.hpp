#pragma once

#include "distributed_checks.hpp"
#include <heddle/support/halo_exchange.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::tests {

/// Rows of numbers between neighbours, in even blocks, uneven ones and empty ones, against the numbers that
/// the rows around a block have in the whole grid.
inline void check_halos(const ranks& all) {
  constexpr std::size_t columns = 5;
  for (const std::size_t rows : {1, 2, 5, 40}) {
    const std::vector<std::size_t> even = even_rows(rows, all.size());
    const std::size_t least = rows / static_cast<std::size_t>(all.size());
    for (std::size_t r = 0; r + 1 < even.size(); ++r)
      expect(even[r + 1] - even[r] == least || even[r + 1] - even[r] == least + 1, "even rows");
    for (const auto& begins : blocks_to_try(all, shape{rows, columns})) {
      for (const bool periodic : {false, true}) {
        halo_exchange halos(all, begins, periodic);
        for (std::size_t depth = 1; depth <= std::min<std::size_t>(halos.least_rows(), 3); ++depth) {
          const std::size_t own = halos.rows(), first = halos.first_row(), size = depth * columns;
          std::vector<int> here((own + 2 * depth) * columns, -1);
          for (std::size_t i = 0; i < own * columns; ++i)
            here[size + i] = static_cast<int>(first * columns + i);
          array<int> there(here, all.where());
          int* const x = there.data();
          const std::size_t bytes = size * sizeof(int);
          const auto part = [&](std::size_t row) { return memory_part{x + row * columns, bytes}; };
          halos.start(part(depth), part(own), part(0), part(own + depth));
          halos.finish();
          const array<int> after = there.on(target());
          const bool alone = halos.is_whole() || own == 0;
          expect(alone ? !halos.has_before() && !halos.has_after()
                       : halos.has_before() == (periodic || first > 0) &&
                             halos.has_after() == (periodic || first + own < rows),
                 "neighbours");
          for (std::size_t i = 0; i < size; ++i) {
            const auto wanted = [&](std::size_t row) {
              return static_cast<int>(row % rows * columns + i % columns);
            };
            if (halos.has_before())
              expect(after[i] == wanted(first + rows - depth + i / columns), "rows before those of a rank");
            if (halos.has_after())
              expect(after[(own + depth) * columns + i] == wanted(first + own + i / columns),
                     "rows after those of a rank");
          }
        }
      }
    }
  }
  std::string message;
  try {
    halo_exchange(all, {0, 4, 3}, false);
  } catch (const error& e) {
    message = e.what();
  }
  expect(message.find("begin at [0, 4, 3]: give") != std::string::npos, "'" + message + "' names no blocks");
}

}  // namespace heddle::tests
