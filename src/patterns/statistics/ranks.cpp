#include <heddle/any_distributed.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/quantile/front.hpp>
#include <heddle/statistics.hpp>
#include <heddle/support/threads.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace heddle {
namespace {

/// x in the type that its elements are added in; f is called with it.
template <class F>
auto in_sum_type(const any_distributed_array& x, const F& f) {
  const dtype type = impl::sum_dtype(x.dtype());
  return x.dtype() == type ? f(x) : f(converted(x, type));
}

std::size_t doubles_in(dtype of_sums, std::size_t count) {
  return of_sums == dtype::complex128 ? 2 * count : count;
}

any_value divided(const any_value& sum, double divisor, dtype type) {
  alignas(largest_element_bytes) std::byte result[largest_element_bytes];
  impl::library_divide(static_cast<const double*>(sum.data()), doubles_in(sum.dtype(), 1), divisor,
                       impl::has_float_parts(type), result, target::serial());
  return {type, result};
}
any_distributed_array divided(const any_distributed_array& sums, double divisor, dtype type) {
  const ranks& all = sums.all();
  any_distributed_array out(all, type, sums.shape(), sums.begins());
  if (out.local().size() > 0)
    impl::library_divide(static_cast<const double*>(sums.local().data()),
                         doubles_in(sums.dtype(), out.local().size()), divisor, impl::has_float_parts(type),
                         out.local().data(), all.where());
  return out;
}

double divisor_of(std::size_t length, std::size_t ddof) {
  return length > ddof ? static_cast<double>(length - ddof) : 0;
}

/// The squared distances of all elements from the centres of the lines of this rank's block.
any_distributed_array squared_deviations(const any_distributed_array& x, const axis_lines& lines,
                                         const void* centres) {
  const target& where = x.all().where();
  any_const_view own = x.local();
  std::optional<any_array> on_cpu;
  if (own.where().is_gpu()) own = on_cpu.emplace(own.on(target()));
  array<double> squares(own.shape());
  cpu::squared_deviations(where.is_gpu() ? available_cores() : where.threads(), x.dtype(), own.data(), lines,
                          centres, lines.inner, squares.data());
  return {x.all(), x.shape(), x.begins(), any_array(where.is_gpu() ? squares.on(where) : std::move(squares))};
}

/// The length of the lines along axis `a`, which have elements.
std::size_t length_along(const char* pattern, const ranks& all, const any_distributed_array& x,
                         std::size_t a) {
  impl::check_ranks(pattern, all, x.all());
  const std::size_t length = x.shape()[a];
  impl::require_elements_of_lines(pattern, length, x.shape().without_axis(a).elements());
  return length;
}

any_distributed_array mean_along(const any_distributed_array& x, axis along_axis, std::size_t length,
                                 dtype type) {
  return divided(in_sum_type(x, [&](const auto& y) { return reduce(y.all(), y, along_axis); }),
                 static_cast<double>(length), type);
}
any_value mean_of_all(const any_distributed_array& x, dtype type) {
  return divided(in_sum_type(x, [](const auto& y) { return reduce(y.all(), y); }),
                 static_cast<double>(x.size()), type);
}

}  // namespace

any_value mean(const ranks& all, const any_distributed_array& x) {
  impl::check_ranks("mean", all, x.all());
  impl::require_elements_of_lines("mean", x.size(), 1);
  return mean_of_all(x, impl::mean_dtype(x.dtype()));
}
any_distributed_array mean(const ranks& all, const any_distributed_array& x, axis along_axis) {
  const std::size_t length = length_along("mean", all, x, x.shape().resolve_axis(along_axis.index));
  return mean_along(x, along_axis, length, impl::mean_dtype(x.dtype()));
}

any_value variance(const ranks& all, const any_distributed_array& x, std::size_t ddof) {
  impl::check_ranks("variance", all, x.all());
  impl::require_elements_of_lines("variance", x.size(), 1);
  const any_value centre = mean_of_all(x, impl::sum_dtype(x.dtype()));
  return divided(reduce(all, squared_deviations(x, {1, x.local().size(), 1}, centre.data())),
                 divisor_of(x.size(), ddof), impl::variance_dtype(x.dtype()));
}
any_distributed_array variance(const ranks& all, const any_distributed_array& x, axis along_axis,
                               std::size_t ddof) {
  const std::size_t a = x.shape().resolve_axis(along_axis.index),
                    length = length_along("variance", all, x, a);
  const any_distributed_array means = mean_along(x, along_axis, length, impl::sum_dtype(x.dtype()));
  // Along the slowest axis every rank has elements of every line.
  const any_array centres = a == 0 ? means.gather() : means.local().on(target());
  const any_distributed_array squares = squared_deviations(x, along(x.local().shape(), a), centres.data());
  return divided(reduce(all, squares, along_axis), divisor_of(length, ddof), impl::variance_dtype(x.dtype()));
}

}  // namespace heddle
