#pragma once

#include "elements.hpp"
#include "sizes.hpp"
#include <heddle/stencil.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

/// `stencil` against a plain loop over every cell, which follows each boundary cell by cell.
namespace heddle::tests {

/// Where a walk of |i| steps from cell 0, or of i − n + 1 from cell n − 1, ends when it turns round at the
/// ends.
HD_FN inline long walked(long i, long n, bool rests_at_ends) {
  if (i >= 0 && i < n) return i;
  long at = i < 0 ? 0 : n - 1, direction = i < 0 ? 1 : -1;
  long steps = i < 0 ? -i : i - (n - 1);
  if (rests_at_ends) --steps;  // the first step stays on the outermost cell, seen in the mirror
  for (; steps > 0; --steps) {
    if (at + direction < 0 || at + direction >= n) {
      direction = -direction;
      if (rests_at_ends || n == 1) continue;
    }
    at += direction;
  }
  return at;
}

/// The lengths of an array as three axes, the last of which are its own.
struct solid {
  long cells[3];
  int axes;
};

template <class T>
struct plain_neighbours {
  using value_type = T;
  const T* x;
  const solid& size;
  const boundary<T>& around;
  long p, r, c;

  HD_FN T at(long dp, long dr, long dc) const {
    long index[3] = {p + dp, r + dr, c + dc};
    for (int axis = 0; axis < 3; ++axis) {
      const long n = size.cells[axis];
      long& i = index[axis];
      if (i >= 0 && i < n) continue;
      switch (around.kind) {
        case impl::edge::periodic:
          while (i < 0) i += n;
          while (i >= n) i -= n;
          break;
        case impl::edge::clamp:
          i = i < 0 ? 0 : n - 1;
          break;
        case impl::edge::reflect:
          i = walked(i, n, false);
          break;
        case impl::edge::symmetric:
          i = walked(i, n, true);
          break;
        default:
          return around.value;
      }
    }
    return x[(index[0] * size.cells[1] + index[1]) * size.cells[2] + index[2]];
  }
  HD_FN T operator()(long dc) const { return at(0, 0, dc); }
  HD_FN T operator()(long dr, long dc) const { return at(0, dr, dc); }
  HD_FN T operator()(long dp, long dr, long dc) const { return at(dp, dr, dc); }
};

template <int Reach, class T, class F>
std::vector<T> plain_stencil(std::vector<T> x, const solid& size, const boundary<T>& around, const F& f,
                             int steps) {
  for (int step = 0; step < steps; ++step) {
    std::vector<T> next = x;
    std::size_t i = 0;
    for (long p = 0; p < size.cells[0]; ++p) {
      for (long r = 0; r < size.cells[1]; ++r) {
        for (long c = 0; c < size.cells[2]; ++c, ++i) {
          const long at[3] = {p, r, c};
          bool is_edge = false;
          for (int axis = 3 - size.axes; axis < 3; ++axis) {
            is_edge = is_edge || at[axis] < Reach || at[axis] >= size.cells[axis] - Reach;
          }
          if (around.kind == impl::edge::dirichlet && is_edge) continue;
          const plain_neighbours<T> u{x.data(), size, around, p, r, c};
          const auto row = static_cast<std::size_t>(r), column = static_cast<std::size_t>(c),
                     plane = static_cast<std::size_t>(p);
          if constexpr (std::is_invocable_v<const F&, decltype(u)>) {
            next[i] = f(u);
          } else if constexpr (std::is_invocable_v<const F&, decltype(u), std::size_t>) {
            next[i] = f(u, column);
          } else if constexpr (std::is_invocable_v<const F&, decltype(u), std::size_t, std::size_t>) {
            next[i] = f(u, row, column);
          } else {
            next[i] = f(u, plane, row, column);
          }
        }
      }
    }
    x = next;
  }
  return x;
}

// Functions that tell every neighbour from every other, and whose sums round differently in another order.

template <int Reach>
struct along_a_row {
  template <class U>
  HD_FN typename U::value_type operator()(const U& u) const {
    return static_cast<typename U::value_type>(u(-Reach) * 3 + u(0) - u(Reach) * 2);
  }
};
struct in_a_table {
  template <class U>
  HD_FN auto operator()(const U& u) const {
    return 0.3f * u(-1, 0) + 0.25f * u(1, 0) + (0.2f * u(0, -1) + 0.15f * u(0, 1)) - 0.125f * u(1, -1) +
           0.1f * u(-1, 1);
  }
};
/// Conway's rule.
struct life_rule {
  template <class U>
  HD_FN std::uint8_t operator()(const U& u) const {
    int alive = 0;
    for (int r = -1; r <= 1; ++r) {
      for (int c = -1; c <= 1; ++c) alive += u(r, c);
    }
    return alive == 3 || (alive == 4 && u(0, 0));
  }
};
struct far_in_a_table {
  template <class U>
  HD_FN std::int32_t operator()(const U& u) const {
    return static_cast<std::int32_t>(
        3u * static_cast<std::uint32_t>(u(-2, 1)) + 5u * static_cast<std::uint32_t>(u(2, 2)) -
        7u * static_cast<std::uint32_t>(u(1, -2)) + static_cast<std::uint32_t>(u(0, 0)));
  }
};
struct in_a_block {
  template <class U>
  HD_FN double operator()(const U& u) const {
    return 0.1 * u(-1, 0, 0) + 0.2 * u(1, 0, 0) + 0.15 * u(0, -1, 0) + 0.25 * u(0, 1, 1) +
           0.05 * u(0, 0, -1) + 0.12 * u(1, -1, 1);
  }
};
struct with_column {
  template <class U>
  HD_FN std::uint64_t operator()(const U& u, std::size_t column) const {
    return u(-1) + 2 * u(1) + static_cast<std::uint64_t>(column);
  }
};
struct with_row_and_column {
  template <class U>
  HD_FN double operator()(const U& u, std::size_t row, std::size_t column) const {
    return (row + column) % 2 == 0 ? 0.25 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)) : u(0, 0) + row * 1e-3;
  }
};
struct with_plane {
  template <class U>
  HD_FN float operator()(const U& u, std::size_t plane, std::size_t row, std::size_t column) const {
    return 0.5f * (u(1, 0, 0) + u(0, -1, 1)) + static_cast<float>(100 * plane + 10 * row + column) * 1e-3f;
  }
};

/// Every boundary for elements of T; the value of a fixed one is not 0.
template <class T>
std::vector<boundary<T>> boundaries() {
  return {periodic{}, fixed{3}, clamp{}, reflect{}, symmetric{}, dirichlet{}};
}
inline const char* const boundary_names[] = {"periodic", "fixed",     "clamp",
                                             "reflect",  "symmetric", "dirichlet"};

template <int Reach, class T, class F>
void check_stencil(const target& where, const solid& size, const F& f, const std::vector<int>& steps) {
  std::vector<std::size_t> lengths;
  for (int axis = 3 - size.axes; axis < 3; ++axis)
    lengths.push_back(static_cast<std::size_t>(size.cells[axis]));
  const shape whole{std::span<const std::size_t>(lengths)};
  std::vector<T> x(whole.elements());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = random_value<T>(i);
    if constexpr (std::is_same_v<T, std::uint8_t>) x[i] %= 2;
  }
  array<T> in(whole, where), out(whole, where);
  int number = 0;
  for (const boundary<T>& around : boundaries<T>()) {
    // Threads do the same at every edge but periodic and dirichlet ones.
    if (seeks_races && number > 0 && around.kind != impl::edge::dirichlet) {
      ++number;
      continue;
    }
    std::vector<T> want = x;
    int done = 0;
    for (const int step : steps) {
      want = plain_stencil<Reach>(want, size, around, f, step - done);
      done = step;
      const std::string note =
          whole.text() + " " + boundary_names[number] + " " + std::to_string(step) + " steps";
      in.copy_from(x);
      out.fill(T{});
      stencil<Reach>(where, in, out, around, f, static_cast<std::size_t>(step));
      ASSERT_TRUE(same_elements<T>(out.to_vector(), want)) << note;
      ASSERT_TRUE(same_elements<T>(in.to_vector(), x)) << note << ": the input was written to";
      stencil<Reach>(where, in, in, around, f, static_cast<std::size_t>(step));
      ASSERT_TRUE(same_elements<T>(in.to_vector(), want)) << note << " in place";
    }
    ++number;
  }
}

inline void check_rows(const target& where) {
  for (const long n : {0L, 1L, 2L, 3L, 5L, 64L, 1000L}) {
    check_stencil<1, float>(where, {{1, 1, n}, 1}, along_a_row<1>{}, {0, 1, 2, 7});
    check_stencil<3, double>(where, {{1, 1, n}, 1}, along_a_row<3>{}, {1, 2, 5});
  }
  check_stencil<1, std::uint64_t>(where, {{1, 1, 40'007}, 1}, with_column{}, {1, 40});
}
inline void check_tables(const target& where) {
  const long sizes[][2] = {{0, 5}, {5, 0}, {1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 70}, {70, 3}, {33, 65}};
  for (const auto& [rows, columns] : sizes) {
    check_stencil<1, float>(where, {{1, rows, columns}, 2}, in_a_table{}, {0, 1, 2, 9});
    check_stencil<1, std::uint8_t>(where, {{1, rows, columns}, 2}, life_rule{}, {1, 5});
    check_stencil<2, std::int32_t>(where, {{1, rows, columns}, 2}, far_in_a_table{}, {1, 2, 3});
    check_stencil<1, double>(where, {{1, rows, columns}, 2}, with_row_and_column{}, {1, 3});
  }
}
/// More than a tile along either axis, and more generations than one pass does.
inline void check_large_tables(const target& where) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  check_stencil<1, float>(where, {{1, 150, 1100}, 2}, in_a_table{}, {1, 5});
  check_stencil<1, double>(where, {{1, 260, 521}, 2}, with_row_and_column{}, {3});
#else
  check_stencil<1, float>(where, {{1, 150, 1100}, 2}, in_a_table{}, {1, 10});
  check_stencil<1, double>(where, {{1, 260, 521}, 2}, with_row_and_column{}, {7});
#endif
}
inline void check_blocks(const target& where) {
  const long sizes[][3] = {{0, 2, 3}, {1, 1, 1}, {1, 4, 3}, {2, 1, 5}, {3, 3, 1}, {5, 6, 7}, {19, 18, 35}};
  for (const auto& [planes, rows, columns] : sizes) {
    check_stencil<1, double>(where, {{planes, rows, columns}, 3}, in_a_block{}, {0, 1, 2, 4});
    check_stencil<1, float>(where, {{planes, rows, columns}, 3}, with_plane{}, {1, 2});
  }
}

}  // namespace heddle::tests
