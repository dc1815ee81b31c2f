// Conway's Life as a stencil: one int a cell on a torus, and many generations in one call of one function.
// Change `life` to another rule, or hd::periodic to hd::fixed{0}: then the world ends at its edges.
// Sides need be no multiple of a block. `heddle life --watch` shows a far faster one, 64 cells a word.
#include "../on_each_target.hpp"
#include <heddle/reduce.hpp>
#include <heddle/stencil.hpp>

namespace hd = heddle;

struct life {
  template <class Cells>
  HD_FN int operator()(const Cells& u) const {
    const int around = u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1);
    return around == 3 || (around == 2 && u(0, 0) == 1) ? 1 : 0;
  }
};

/// One generation by a plain loop.
std::vector<int> next(const std::vector<int>& now, std::size_t rows, std::size_t columns) {
  std::vector<int> then(now.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      int around = -now[r * columns + c];
      for (std::size_t i = rows - 1; i <= rows + 1; ++i) {
        for (std::size_t j = columns - 1; j <= columns + 1; ++j) {
          around += now[(r + i) % rows * columns + (c + j) % columns];
        }
      }
      then[r * columns + c] = around == 3 || (around == 2 && now[r * columns + c] == 1);
    }
  }
  return then;
}

void show(const hd::target& where) {
  const std::size_t rows = 45, columns = 77, generations = 20;
  std::vector<int> soup(rows * columns);
  unsigned random = 1;
  for (int& cell : soup) cell = (random = random * 1664525 + 1013904223) >> 30 == 0;  // one in four is alive

  const hd::array<int> in(soup, where);
  hd::array<int> out({rows, columns}, where);
  hd::stencil(where, in.reshaped({rows, columns}), out, hd::periodic{}, life{}, generations);

  std::vector<int> wanted = soup;
  for (std::size_t g = 0; g < generations; ++g) wanted = next(wanted, rows, columns);
  examples::expect(out.to_vector() == wanted, "the cells that a plain loop makes");
  std::printf("  %zu x %zu cells: %d alive, and %d after %zu generations\n", rows, columns,
              hd::reduce(where, in), hd::reduce(where, out), generations);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
