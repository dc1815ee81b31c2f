#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/statistics.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

/// A call for one value of each line.
class statistic {
 public:
  statistic(const char* pattern, const target& requested, const any_const_view& x, const axis* along_axis,
            std::size_t times_read = 1)
      : call_(pattern, untyped(x), along_axis), are_values_(along_axis == nullptr) {
    if (call_.lines().length == 0 && call_.lines().count() > 0)
      fail(fmt::format("there are no elements, and so no {}", pattern));
    call_.choose_target(requested, {.read = times_read});
  }
  /// Count arrays, which write(void* const (&to)[Count]) writes on the target. Values of the whole x
  /// are on the CPU, and come there together.
  template <std::size_t Count, class Write>
  std::array<any_array, Count> results(dtype type, const Write& write) {
    std::array<any_array, Count> out;
    void* to[Count];
    for (std::size_t k = 0; k < Count; ++k) {
      out[k] = any_array(type, call_.without_lines(), are_values_ ? target() : where());
      to[k] = out[k].data();
    }
    if (!are_values_) return write(to), std::move(out);
    struct alignas(16) element {
      std::byte bytes[16];  // of any built-in type
    };
    using elements = std::array<element, Count>;
    const auto values = written_value<elements>(where(), [&](elements* on_target) {
      for (std::size_t k = 0; k < Count; ++k) to[k] = &(*on_target)[k];
      write(to);
    });
    for (std::size_t k = 0; k < Count; ++k) std::memcpy(out[k].data(), &values[k], size_of(type));
    return out;
  }
  const void* data() { return call_.data(); }
  const axis_lines& lines() const { return call_.lines(); }
  const target& where() const { return call_.where(); }

 private:
  call_along_lines call_;
  bool are_values_;
};

}  // namespace

any_array mean_along(const target& requested, const any_const_view& x, const axis* along_axis) {
  statistic of("mean", requested, x, along_axis);
  auto [means] = of.results<1>(mean_dtype(x.dtype()), [&](void* const(&to)[1]) {
    library_mean(x.dtype(), of.data(), of.lines(), to[0], of.where());
  });
  return std::move(means);
}

any_array variance_along(const target& requested, const any_const_view& x, const axis* along_axis,
                         std::size_t ddof) {
  statistic of("variance", requested, x, along_axis, 2);
  auto [variances] = of.results<1>(variance_dtype(x.dtype()), [&](void* const(&to)[1]) {
    library_variance(x.dtype(), of.data(), of.lines(), ddof, to[0], of.where());
  });
  return std::move(variances);
}

minmax_result<any_array> minmax_along(const target& requested, const any_const_view& x,
                                      const axis* along_axis) {
  statistic of("minmax", requested, x, along_axis);
  auto [smallest, largest] = of.results<2>(x.dtype(), [&](void* const(&to)[2]) {
    library_minmax(x.dtype(), of.data(), of.lines(), to[0], to[1], of.where());
  });
  return {std::move(smallest), std::move(largest)};
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
