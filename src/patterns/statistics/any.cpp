#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/statistics.hpp>

#include <cstddef>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

/// A call for one value of each line.
class statistic {
 public:
  statistic(const char* pattern, const target& requested, const any_const_view& x, const axis* along_axis,
            std::size_t times_read = 1)
      : call_(pattern, untyped(x), along_axis) {
    if (call_.lines().length == 0 && call_.lines().count() > 0)
      fail(fmt::format("there are no elements, and so no {}", pattern));
    call_.choose_target(requested, {.read = times_read});
  }
  any_array results(dtype type) const { return {type, call_.without_lines(), call_.where()}; }
  const void* data() { return call_.data(); }
  const axis_lines& lines() const { return call_.lines(); }
  const target& where() const { return call_.where(); }

 private:
  call_along_lines call_;
};

}  // namespace

any_array mean_along(const target& requested, const any_const_view& x, const axis* along_axis) {
  statistic of("mean", requested, x, along_axis);
  any_array out = of.results(mean_dtype(x.dtype()));
  library_mean(x.dtype(), of.data(), of.lines(), out.data(), of.where());
  return out;
}

any_array variance_along(const target& requested, const any_const_view& x, const axis* along_axis,
                         std::size_t ddof) {
  statistic of("variance", requested, x, along_axis, 2);
  any_array out = of.results(variance_dtype(x.dtype()));
  library_variance(x.dtype(), of.data(), of.lines(), ddof, out.data(), of.where());
  return out;
}

minmax_result<any_array> minmax_along(const target& requested, const any_const_view& x,
                                      const axis* along_axis) {
  statistic of("minmax", requested, x, along_axis);
  minmax_result<any_array> out{of.results(x.dtype()), of.results(x.dtype())};
  library_minmax(x.dtype(), of.data(), of.lines(), out.min.data(), out.max.data(), of.where());
  return out;
}

}  // namespace heddle::impl

namespace heddle {

any_value mean(const target& where, const any_const_view& x) {
  return impl::mean_along(where, x, nullptr).front();
}
any_array mean(const target& where, const any_const_view& x, axis along_axis) {
  return impl::mean_along(where, x, &along_axis);
}
any_value variance(const target& where, const any_const_view& x, std::size_t ddof) {
  return impl::variance_along(where, x, nullptr, ddof).front();
}
any_array variance(const target& where, const any_const_view& x, axis along_axis, std::size_t ddof) {
  return impl::variance_along(where, x, &along_axis, ddof);
}
minmax_result<any_value> minmax(const target& where, const any_const_view& x) {
  impl::require_order("minmax", x.dtype());
  const auto both = impl::minmax_along(where, x, nullptr);
  return {both.min.front(), both.max.front()};
}
minmax_result<any_array> minmax(const target& where, const any_const_view& x, axis along_axis) {
  impl::require_order("minmax", x.dtype());
  return impl::minmax_along(where, x, &along_axis);
}

}  // namespace heddle
