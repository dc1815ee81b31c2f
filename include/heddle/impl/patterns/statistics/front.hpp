#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/operators.hpp>

#include <complex>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace heddle {

template <class T>
struct minmax_result;

}  // namespace heddle

namespace heddle::impl {

/// Sums of each of `all` segments of x in double, or in complex<double>; all arrays are on `where`.
void library_wide_sums(dtype type, const void* x, axis_lines all, void* sums, const target& where);

/// The means and the variances of each of `all` segments of x, which have elements, as the patterns below
/// say.
void library_mean(dtype type, const void* x, axis_lines all, void* out, const target& where);
void library_variance(dtype type, const void* x, axis_lines all, std::size_t ddof, void* out,
                      const target& where);

/// The smallest and the largest element of each of `all` segments of x, which have elements.
void library_minmax(dtype type, const void* x, axis_lines all, void* smallest, void* largest,
                    const target& where);

/// Throws: there are no elements, and so no such value.
[[noreturn]] void fail_no_value(const char* pattern);

template <class T>
struct statistics_of {
  using mean = std::conditional_t<std::is_integral_v<T>, double, T>;
  using variance = mean;
};
template <class T>
struct statistics_of<std::complex<T>> {
  using mean = std::complex<T>;
  using variance = T;
};

/// One value of all elements of x, or one of each row or column along an axis: what it is computed from,
/// where, and the shape of the results.
template <class X>
class statistic {
 public:
  using T = element_of<X>;

  statistic(const char* pattern, const target& requested, const X& x, const axis* along_axis,
            std::size_t times_read = 1)
      : in_(input(x)), running_(pattern, in_.size, type_name<T>()) {
    if (along_axis == nullptr) {
      all_ = {1, in_.size, 1};
    } else {
      const heddle::shape whole = shape_of(x);
      const std::size_t axis = whole.resolve_axis(along_axis->index);
      all_ = along(whole, axis);
      lengths_ = whole.without_axis(axis);
    }
    if (all_.length == 0 && all_.count() > 0) fail_no_value(pattern);
    where_ = resolve(requested, {times_read * in_.size * sizeof(T), 0, in_.where, true});
    running_.runs_on(where_);
    staged_.emplace(in_, where_);
  }

  const T* data() const noexcept { return staged_->data(); }
  const axis_lines& all() const noexcept { return all_; }
  const heddle::shape& lengths() const noexcept { return lengths_; }
  const target& where() const noexcept { return where_; }

 private:
  elements<const T> in_;
  operation running_;
  axis_lines all_;
  heddle::shape lengths_;
  target where_;
  std::optional<staged_input<T>> staged_;
};

template <class X, class T = element_of<X>>
array<typename statistics_of<T>::mean> mean_along(const target& requested, const X& x,
                                                  const axis* along_axis) {
  const statistic<X> of("mean", requested, x, along_axis);
  array<typename statistics_of<T>::mean> out(of.lengths(), of.where());
  library_mean(dtype_of<T>, of.data(), of.all(), out.data(), of.where());
  return out;
}

template <class X, class T = element_of<X>>
array<typename statistics_of<T>::variance> variance_along(const target& requested, const X& x,
                                                          const axis* along_axis, std::size_t ddof) {
  const statistic<X> of("variance", requested, x, along_axis, 2);
  array<typename statistics_of<T>::variance> out(of.lengths(), of.where());
  library_variance(dtype_of<T>, of.data(), of.all(), ddof, out.data(), of.where());
  return out;
}

template <class X, class T = element_of<X>>
minmax_result<array<T>> minmax_along(const target& requested, const X& x, const axis* along_axis) {
  const statistic<X> of("minmax", requested, x, along_axis);
  minmax_result<array<T>> out{array<T>(of.lengths(), of.where()), array<T>(of.lengths(), of.where())};
  library_minmax(dtype_of<T>, of.data(), of.all(), out.min.data(), out.max.data(), of.where());
  return out;
}

/// Elements of a built-in type.
template <class X>
concept numbers = array_like<X> && has_dtype<element_of<X>>;

/// Those that have an order: all but complex ones.
template <class X>
concept numbers_in_order = numbers<X> && library_has<element_of<X>, minimum>();

}  // namespace heddle::impl
