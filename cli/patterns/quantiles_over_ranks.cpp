#include "quantiles_over_ranks.hpp"

#include "cli/files/distributed_input.hpp"
#include "quantiles.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace heddle::cli {
namespace {

/// Of `length` sorted elements, element i of which is at(i), the median or the quantile of a fraction; NaN
/// where the last is NaN, as all NaNs are.
template <class At>
double value_of(const reduction& op, const At& at, std::size_t length, double fraction) {
  const auto greatest = at(length - 1);
  if (greatest != greatest) return std::numeric_limits<double>::quiet_NaN();
  return op.becomes == outcome::median ? median_of(at, length) : quantile_of(at, length - 1, fraction);
}

/// Calls f with the number of each result of a line, and the fraction; a median has none.
template <class F>
void for_each_fraction(std::span<const double> fractions, const F& f) {
  if (fractions.empty()) return f(std::size_t{0}, 0.0);
  for (std::size_t i = 0; i < fractions.size(); ++i) f(i, fractions[i]);
}

/// A row of an array over ranks, as a flat array in even blocks.
any_array part_of_row(const any_distributed_array& x, std::size_t row) {
  const ranks& all = x.all();
  const shape columns{x.shape().without_axis(0).elements()};
  const auto& begins = x.begins();
  const auto owner =
      static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end() - 1, row) - begins.begin());
  std::vector<std::size_t> on_owner(begins.size(), 0);
  std::fill(on_owner.begin() + static_cast<std::ptrdiff_t>(owner), on_owner.end(), columns[0]);
  any_array own(x.dtype(), {0}, all.where());
  if (static_cast<std::size_t>(all.rank()) + 1 == owner)
    own = x.local().slice(row - x.first_row(), row - x.first_row() + 1).on(all.where()).reshaped(columns);
  const any_distributed_array even =
      any_distributed_array(all, columns, on_owner, std::move(own)).redistributed(even_begins(all, columns));
  return even.local().on(target());
}

/// The rows of a sorted array that the results are made of, each rank's part of their columns.
std::map<std::size_t, any_array> rows_between(const reduction& op, const any_distributed_array& sorted,
                                              std::span<const double> fractions) {
  const std::size_t length = sorted.shape()[0];
  std::map<std::size_t, any_array> rows;
  const auto bring = [&](std::size_t row) {
    if (!rows.contains(row)) rows.emplace(row, part_of_row(sorted, row));
  };
  bring(length - 1);
  if (op.becomes == outcome::median) {
    bring((length - 1) / 2);
    bring(length / 2);
  }
  for (const double fraction : fractions) {
    const quantile_place place(length - 1, fraction);
    bring(place.below);
    bring(place.above);
  }
  return rows;
}

/// Flat arrays of one length, one after another in even blocks.
any_distributed_array one_after_another(const ranks& all, std::size_t length,
                                        const std::vector<std::size_t>& begins,
                                        std::vector<array<double>> parts) {
  if (parts.size() == 1) return {all, shape{length}, begins, any_array(std::move(parts.front()))};
  const shape together{parts.size() * length};
  const std::vector<std::size_t> blocks = even_begins(all, together);
  const auto me = static_cast<std::size_t>(all.rank());
  array<double> own(blocks[me + 1] - blocks[me]);
  double* next = own.data();
  const ranks on_cpu = all.on(target::serial());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<std::size_t> to;
    for (const std::size_t b : blocks) to.push_back(std::clamp(b, i * length, (i + 1) * length) - i * length);
    const any_distributed_array moved =
        any_distributed_array(on_cpu, shape{length}, begins, any_array(std::move(parts[i])))
            .redistributed(to);
    if (moved.rows() == 0) continue;
    std::memcpy(next, moved.local().data(), moved.rows() * sizeof(double));
    next += moved.rows();
  }
  return {all, together, blocks, any_array(std::move(own))};
}

}  // namespace

void quantiles_over_ranks(const reduction& op, const any_distributed_array& x,
                          std::span<const double> fractions, double* out) {
  const any_distributed_array sorted = sort(x.all(), x);
  with_type(x.dtype(), [&]<class T>(T) {
    if constexpr (!heddle::is_complex<T>) {
      const auto at = [&](std::size_t i) { return element_at(sorted, i).as<T>(); };
      for_each_fraction(
          fractions, [&](std::size_t i, double fraction) { out[i] = value_of(op, at, x.size(), fraction); });
    }
  });
}

any_distributed_array quantiles_along_over_ranks(const reduction& op, const any_distributed_array& x,
                                                 axis along_axis, std::span<const double> fractions) {
  const ranks& all = x.all();
  const std::size_t axis_number = x.shape().resolve_axis(along_axis.index), length = x.shape()[axis_number];
  const shape rest = x.shape().without_axis(axis_number);
  const std::size_t in_row = rest.without_axis(0).elements(), lines = rest.elements();
  std::vector<std::size_t> begins = even_begins(all, shape{lines});
  if (axis_number > 0) {
    begins = x.begins();
    for (std::size_t& b : begins) b *= in_row;
  }
  const auto me = static_cast<std::size_t>(all.rank());
  const std::size_t own = begins[me + 1] - begins[me];
  std::vector<array<double>> parts;
  for_each_fraction(fractions, [&](std::size_t, double) { parts.emplace_back(own); });
  if (lines == 0) return one_after_another(all, lines, begins, std::move(parts));

  const any_distributed_array sorted = sort(all, x, along_axis);
  const auto fill = [&](const auto& sorted_line) {
    for (std::size_t line = 0; line < own; ++line)
      for_each_fraction(fractions, [&](std::size_t i, double fraction) {
        parts[i].data()[line] = value_of(op, sorted_line(line), length, fraction);
      });
  };
  with_type(x.dtype(), [&]<class T>(T) {
    if constexpr (!heddle::is_complex<T>) {
      if (axis_number > 0) {
        const any_array local = sorted.local().on(target());
        const axis_lines of_block = along(local.shape(), axis_number);
        fill([&](std::size_t line) {
          const T* const begin = static_cast<const T*>(local.data()) + of_block.begin_of(line);
          return [=, &of_block](std::size_t i) { return begin[i * of_block.inner]; };
        });
      } else {
        const std::map<std::size_t, any_array> rows = rows_between(op, sorted, fractions);
        fill([&](std::size_t line) {
          return [&rows, line](std::size_t i) { return static_cast<const T*>(rows.at(i).data())[line]; };
        });
      }
    }
  });
  return one_after_another(all, lines, begins, std::move(parts));
}

}  // namespace heddle::cli
