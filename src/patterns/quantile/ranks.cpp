#include "core/any_arguments.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>
#include <heddle/impl/patterns/gather/front.hpp>
#include <heddle/impl/patterns/quantile/ranks.hpp>
#include <heddle/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace heddle::impl {

array<double> values_of_sorted(const ranks& all, dtype type, const block_to_read& sorted,
                               const sorted_line_values& of) {
  const auto me = static_cast<std::size_t>(all.rank());
  const std::size_t first = sorted.begins[me], last = sorted.begins[me + 1];
  std::vector<std::size_t> own;
  for (const std::size_t index : of.indices())
    if (first <= index && index < last) own.push_back(index - first);
  any_array chosen(type, {own.size()}, all.where());
  if (!own.empty()) {
    const array<std::size_t> there(own, all.where());
    library_gather(sorted.data, {1, last - first, 1}, size_of(type),
                   {dtype::uint64, there.data(), own.size()}, chosen.data(), all.where());
  }
  const any_array elements =
      any_distributed_array(all.on(target::serial()), chosen.on(target::serial())).gather();
  array<double> values(of.count());
  of.compute(type, elements.data(), {1, elements.size(), 1}, 1, values.data());
  return values;
}

std::vector<distributed_array<double>> values_along_over_ranks(const char* pattern, const ranks& all,
                                                               dtype type, const block_to_read& x,
                                                               std::size_t a, const sorted_line_values& of,
                                                               pattern_on_column of_column) {
  const rest_of_axes rest = without_axis(pattern, all, x.shape, x.begins, a);
  const auto me = static_cast<std::size_t>(all.rank());
  const std::size_t own = (rest.begins[me + 1] - rest.begins[me]) * row_elements(rest.lengths),
                    count = of.count();
  // All values of a line side by side, as one element.
  array<double> side_by_side({own, count});
  const memory results(side_by_side.size() * sizeof(double), all.where());
  values_along(
      all, x, a, {rest.lengths, rest.begins, count * sizeof(double), results.data()},
      [&](const void* lines, const shape& lengths, axis along_axis, void* out) {
        const any_const_view elements(lines, type, lengths, all.where());
        const array<double> values = values_of_lines(pattern, all.where(), elements, &along_axis, of);
        for (std::size_t line = 0; line < own; ++line)
          for (std::size_t i = 0; i < count; ++i)
            side_by_side.data()[line * count + i] = values.data()[i * own + line];
        copy(out, all.where(), side_by_side.data(), target(), side_by_side.size() * sizeof(double));
      },
      of_column);
  copy(side_by_side.data(), target(), results.data(), all.where(), results.bytes());
  std::vector<distributed_array<double>> made;
  for (std::size_t i = 0; i < count; ++i) {
    array<double> values(with_rows(rest.lengths, rest.begins[me + 1] - rest.begins[me]));
    for (std::size_t line = 0; line < own; ++line)
      values.data()[line] = side_by_side.data()[line * count + i];
    made.emplace_back(all, rest.lengths, rest.begins, values.on(all.where()));
  }
  return made;
}

distributed_array<float> rounded(const distributed_array<double>& x) {
  const array<double> own = x.local().on(target());
  array<float> values(own.shape());
  for (std::size_t i = 0; i < own.size(); ++i) values.data()[i] = static_cast<float>(own.data()[i]);
  return {x.all(), x.shape(), x.begins(), values.on(x.all().where())};
}

}  // namespace heddle::impl

namespace heddle {
namespace {

/// Calls f with the array of the static type, which has an order; f returns R.
template <class R, class F>
R visit_in_order(const char* pattern, const any_distributed_array& x, const F& f) {
  impl::require_order(pattern, x.dtype());
  return x.visit([&]<class T>(const distributed_array<T>& y) -> R {
    if constexpr (is_complex<T>) {
      fail("complex numbers have no order");
    } else {
      return f(y);
    }
  });
}

}  // namespace

array<double> quantile(const ranks& all, const any_distributed_array& x, const std::vector<double>& q) {
  return visit_in_order<array<double>>("quantile", x, [&](const auto& y) { return quantile(all, y, q); });
}
std::vector<distributed_array<double>> quantile(const ranks& all, const any_distributed_array& x,
                                                const std::vector<double>& q, axis along) {
  return visit_in_order<std::vector<distributed_array<double>>>(
      "quantile", x, [&](const auto& y) { return quantile(all, y, q, along); });
}
any_value median(const ranks& all, const any_distributed_array& x) {
  return visit_in_order<any_value>("median", x, [&](const auto& y) { return any_value(median(all, y)); });
}
any_distributed_array median(const ranks& all, const any_distributed_array& x, axis along) {
  return visit_in_order<any_distributed_array>(
      "median", x, [&](const auto& y) { return any_distributed_array(median(all, y, along)); });
}

}  // namespace heddle
