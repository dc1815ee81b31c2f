#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/impl/patterns/gather/front.hpp>
#include <heddle/impl/patterns/quantile/front.hpp>
#include <heddle/impl/patterns/sort/front.hpp>
#include <heddle/memory.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace heddle::impl {
namespace {

/// The elements of each line at the indices after sorting, on the CPU.
memory sorted_elements_at(call_along_lines& call, const any_const_view& x,
                          const std::vector<std::size_t>& indices, void* own) {
  const target& where = call.where();
  const axis_lines& lines = call.lines();
  const std::size_t element = size_of(x.dtype()), count = indices.size();
  const bool is_in_place = own != nullptr && same_memory(x.where(), where);
  const memory apart(is_in_place ? 0 : lines.elements() * element, where);
  void* const sorted = is_in_place ? own : apart.data();
  library_sort(x.dtype(), call.data(), lines, sort_order::ascending, sorted, where);
  const array<std::size_t> there(indices, where);
  memory chosen(lines.count() * count * element, where);
  library_gather(sorted, lines, element, {dtype::uint64, there.data(), count}, chosen.data(), where);
  if (!where.is_gpu()) return chosen;
  memory on_cpu(chosen.bytes(), target());
  copy(on_cpu.data(), target(), chosen.data(), where, chosen.bytes());
  return on_cpu;
}

shape with_first_axis(std::size_t length, const shape& rest) {
  std::vector<std::size_t> lengths{length};
  lengths.insert(lengths.end(), rest.begin(), rest.end());
  return shape(lengths);
}

/// The target of a call, and the shape of a result with one value a line.
struct plan {
  target where;
  std::size_t length;
  shape of_values;
};
plan plan_of(const char* pattern, const target& requested, const any_const_view& x, const axis* along_axis) {
  require_order(pattern, x.dtype());
  call_along_lines call(pattern, untyped(x), along_axis);
  require_elements_of_lines(pattern, call.lines().length, call.lines().count());
  call.choose_target(requested, of_sort(true));
  return {call.where(), call.lines().length, call.without_lines()};
}

any_array on_target(const target& where, any_array values) {
  return where.is_gpu() ? values.on(where) : std::move(values);
}

}  // namespace

array<double> values_of_lines(const char* pattern, const target& where, const any_const_view& x,
                              const axis* along_axis, const sorted_line_values& of, void* own) {
  call_along_lines call(pattern, untyped(x), along_axis);
  call.choose_target(where, of_sort(true));
  const axis_lines& lines = call.lines();
  array<double> out({of.count(), lines.count()}, where.is_gpu() ? target() : where);
  if (out.size() == 0) return out;
  const memory chosen = sorted_elements_at(call, x, of.indices(), own);
  of.compute(x.dtype(), chosen.data(), {lines.outer, of.indices().size(), lines.inner},
             where.is_gpu() ? available_cores() : where.threads(), out.data());
  return out;
}

array<double> quantiles_of(const target& requested, const any_const_view& x, const axis* along_axis,
                           std::span<const double> fractions, void* own) {
  const plan made = plan_of("quantile", requested, x, along_axis);
  array<double> values = values_of_lines("quantile", made.where, x, along_axis,
                                         sorted_line_values::quantiles(made.length, fractions), own);
  return on_target(made.where, std::move(values).reshaped(with_first_axis(fractions.size(), made.of_values)))
      .as<double>();
}

any_array median_of(const target& requested, const any_const_view& x, const axis* along_axis, void* own) {
  const plan made = plan_of("median", requested, x, along_axis);
  any_array medians(
      values_of_lines("median", made.where, x, along_axis, sorted_line_values::median(made.length), own)
          .reshaped(made.of_values));
  if (x.dtype() == dtype::float32) medians = medians.converted(dtype::float32);
  return on_target(made.where, std::move(medians));
}

array<double> without_first_axis(array<double> quantiles) {
  const shape rest = quantiles.shape().without_axis(0);
  return std::move(quantiles).reshaped(rest);
}

}  // namespace heddle::impl

namespace heddle {

any_array quantile(const target& where, const any_const_view& x, const std::vector<double>& q) {
  return impl::quantiles_of(where, x, nullptr, q);
}
any_array quantile(const target& where, const any_const_view& x, const std::vector<double>& q,
                   axis along_axis) {
  return impl::quantiles_of(where, x, &along_axis, q);
}
any_array quantile(const target& where, any_array&& x, const std::vector<double>& q) {
  return impl::quantiles_of(where, x.view(), nullptr, q, x.data());
}
any_array quantile(const target& where, any_array&& x, const std::vector<double>& q, axis along_axis) {
  return impl::quantiles_of(where, x.view(), &along_axis, q, x.data());
}
any_value median(const target& where, const any_const_view& x) {
  return impl::median_of(where, x, nullptr).front();
}
any_array median(const target& where, const any_const_view& x, axis along_axis) {
  return impl::median_of(where, x, &along_axis);
}
any_value median(const target& where, any_array&& x) {
  return impl::median_of(where, x.view(), nullptr, x.data()).front();
}
any_array median(const target& where, any_array&& x, axis along_axis) {
  return impl::median_of(where, x.view(), &along_axis, x.data());
}

}  // namespace heddle
