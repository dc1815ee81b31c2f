#include "session.hpp"
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <initializer_list>

#include <fmt/core.h>
#include <oneapi/tbb/parallel_for.h>

namespace heddle::measure {
namespace {

/// Whether `found` has the running sums of lines × length × inner elements along the length, or their sums.
/// All are small integers, so that sums are exact, or wrap.
template <class T>
bool are_sums(const std::vector<T>& x, const std::vector<T>& found, std::size_t lines, std::size_t length,
              std::size_t inner, bool running) {
  // Up to so many neighbouring columns of a line are a task.
  constexpr std::size_t most_columns = 256;
  const std::size_t tasks_a_line = (inner + most_columns - 1) / most_columns;
  std::atomic<bool> is_right = true;
  tbb::parallel_for(std::size_t{0}, lines * tasks_a_line, [&](std::size_t task) {
    const std::size_t line = task / tasks_a_line, first = task % tasks_a_line * most_columns,
                      columns = std::min(most_columns, inner - first);
    std::int64_t sums[most_columns];
    std::fill_n(sums, columns, 0);
    bool are_right = true;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t row = (line * length + i) * inner + first;
      for (std::size_t k = 0; k < columns; ++k) {
        sums[k] += static_cast<std::int64_t>(x[row + k]);
        if (running) are_right &= found[row + k] == static_cast<T>(sums[k]);
      }
    }
    for (std::size_t k = 0; k < columns && !running; ++k)
      are_right &= found[line * inner + first + k] == static_cast<T>(sums[k]);
    if (!are_right) is_right = false;
  });
  return is_right;
}

template <class T>
void measure_axes_of(const session& with) {
  const target& where = with.where;
  const std::size_t most = most_elements<T>(with);
  // Most are 0, so that sums of every length are exact.
  std::vector<T> values = small_integers<T>(most, 64);
  for (T& value : values) value = value < T(3) ? value : T(0);
  const array<T> x(values, where);
  array<T> out(most, where);
  const auto measure = [&](const char* variant, std::size_t rows, std::size_t columns, std::size_t along) {
    const shape lengths{rows, columns};
    const std::size_t n = rows * columns, length = lengths[along];
    const axis line{static_cast<std::ptrdiff_t>(along)};
    const auto in = x.slice(0, n).reshaped(lengths);
    auto to = out.slice(0, n).reshaped(lengths);
    const std::size_t lines = along == 1 ? rows : 1, inner = along == 1 ? 1 : columns;
    array<T> sums;
    const double bytes = static_cast<double>(n * sizeof(T));
    with.compare({"axes", fmt::format("reduce {}", variant), name(dtype_of<T>), length,
                  bytes * (1 + 1 / static_cast<double>(length))},
                 {{"Heddle", role::ours, [&] { sums = reduce(where, in, line); },
                   [&] { return are_sums(values, sums.to_vector(), lines, length, inner, false); }}});
    with.compare({"axes", fmt::format("scan {}", variant), name(dtype_of<T>), length, 2 * bytes},
                 {{"Heddle", role::ours, [&] { inclusive_scan_into(where, to, in, line); },
                   [&] { return are_sums(values, to.to_vector(), lines, length, inner, true); }}});
  };
  with.compare({"axes", "copy", name(dtype_of<T>), most, 2.0 * static_cast<double>(most * sizeof(T))},
               {copy_of(with, out.data(), x.data(), most * sizeof(T))});
  const std::initializer_list<std::size_t> lengths = {2, 8, 33, 128, 1000, 4097, 65'537, 1'000'003},
                                           columns = {2, 8, 16, 100, 1000, 4095};
  for (const std::size_t length : lengths) {
    if (length > most / 2 || (with.quick && (length == 2 || length == 33 || length == 4097))) continue;
    measure("rows", most / length, length, 1);
    measure("columns", length, most / length, 0);
  }
  for (const std::size_t side_by_side : columns) {
    if (side_by_side > most / 2 || (with.quick && side_by_side != 8 && side_by_side != 1000)) continue;
    measure(fmt::format("{} columns", side_by_side).c_str(), most / side_by_side, side_by_side, 0);
  }
}

}  // namespace

void measure_axes(const session& with) {
  measure_axes_of<float>(with);
  measure_axes_of<std::int8_t>(with);
  if (!with.quick) measure_axes_of<double>(with);
}

}  // namespace heddle::measure
