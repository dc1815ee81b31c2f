#pragma once

#include <heddle/array_like.hpp>
#include <heddle/array_view.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/array.hpp>
#include <heddle/impl/core/conversion.hpp>
#include <heddle/impl/core/elements.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

/// Owns elements of type T, contiguous in C order, on a target. It can be moved, and not copied by accident:
/// `on(target)` makes a copy, on the same target or on another.
///
///     hd::array<float> x(1'000'000);                 // on the CPU, not initialised
///     hd::array<float> m({rows, columns}, hd::target::gpu());
///     m.fill(0);
///
/// It does everything that array_view does. GPU memory is freed in stream order, on the stream of the target
/// that the array was made with; patterns on other streams are ordered with that one.
template <element T>
class array {
 public:
  using value_type = T;

  array() = default;
  /// Not initialised. Throws heddle::error when there is no memory.
  explicit array(heddle::shape lengths, const target& where = {})
      : shape_(std::move(lengths)), size_(shape_.elements()), memory_(allocate(size_, where)) {}
  explicit array(std::size_t size, const target& where = {}) : array(heddle::shape{size}, where) {}
  /// The same for `({rows, columns})`. The parameter pack keeps `{x, y}` a list of elements.
  template <std::same_as<target>... Where>
    requires(sizeof...(Where) <= 1)
  explicit array(std::initializer_list<std::size_t> lengths, const Where&... where)
      : array(heddle::shape(lengths), where...) {}
  /// Every element is `value`.
  array(heddle::shape lengths, const impl::given<T>& value, const target& where = {})
      : array(std::move(lengths), where) {
    fill(value);
  }
  template <std::integral Size>
  array(Size size, const impl::given<T>& value, const target& where = {})
      : array(heddle::shape{static_cast<std::size_t>(size)}, value, where) {}
  /// The elements of a list, on the CPU: `hd::array<int>{1, 2, 3}`. A list of one is `{5}`; `(5)` is a size.
  array(std::initializer_list<impl::given<T>> values) : array(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }
  /// A copy of the elements of a vector, a span or another range.
  template <class R>
    requires impl::range_of<R, T>
  explicit array(R&& values, const target& where = {}) : array(std::begin(values), std::end(values), where) {}
  /// Explains what to do where T cannot hold the numbers of the range.
  template <class R>
    requires(
        impl::range<R> && !impl::is_array_or_view<std::remove_cvref_t<R>> && !impl::range_of<R, T> &&
        impl::is_number<T> &&
        impl::is_number<std::remove_cvref_t<std::iter_reference_t<decltype(std::begin(std::declval<R&>()))>>>)
  explicit array(R&&, const target& = {}) {
    static_assert(impl::range_of<R, T>,
                  "array: the numbers of the range lose values as elements, such as double as float: make an "
                  "hd::array(range) of their type and convert it with hd::transform");
  }
  /// A copy of the elements from `first` up to `last`; throws heddle::error where `last` comes before
  /// `first`.
  template <std::forward_iterator First, std::sentinel_for<First> Last>
    requires impl::keeps_element<std::iter_reference_t<First>, T>
  array(First first, Last last, const target& where = {})
      : array(heddle::shape{impl::distance("array", std::ranges::distance(first, last))}, where) {
    if constexpr (std::contiguous_iterator<First> && std::is_same_v<std::iter_value_t<First>, T>) {
      heddle::copy(data(), where, std::to_address(first), target(), size_ * sizeof(T));
    } else if (where.is_gpu()) {
      view().copy_from(array(first, last));
    } else {
      std::ranges::copy(first, last, data());
    }
  }
  array(array&& other) noexcept
      : shape_(std::exchange(other.shape_, heddle::shape{0})),
        size_(std::exchange(other.size_, 0)),
        memory_(std::move(other.memory_)) {}
  array& operator=(array&& other) noexcept {
    array taken(std::move(other));
    std::swap(shape_, taken.shape_);
    std::swap(size_, taken.size_);
    std::swap(memory_, taken.memory_);
    return *this;
  }

  array_view<T> view() & { return {data(), shape_, where()}; }
  array_view<const T> view() const& { return {data(), shape_, where()}; }
  void view() && = delete;  // a view of a temporary would outlive its elements; likewise below
  operator array_view<T>() & { return view(); }
  operator array_view<const T>() const& { return view(); }

  T* data() noexcept { return static_cast<T*>(memory_.data()); }
  const T* data() const noexcept { return static_cast<const T*>(memory_.data()); }
  std::size_t size() const noexcept { return size_; }
  const heddle::shape& shape() const noexcept { return shape_; }
  const target& where() const noexcept { return memory_.where(); }

  array_view<T> slice(std::size_t first, std::size_t last) & { return view().slice(first, last); }
  array_view<const T> slice(std::size_t first, std::size_t last) const& { return view().slice(first, last); }
  void slice(std::size_t, std::size_t) && = delete;
  array_view<T> row(std::size_t index) & { return view().row(index); }
  array_view<const T> row(std::size_t index) const& { return view().row(index); }
  void row(std::size_t) && = delete;

  template <std::integral... I>
    requires(sizeof...(I) >= 1)
  const element_reference<T> operator()(I... index) & {
    return view()(index...);
  }
  template <std::integral... I>
    requires(sizeof...(I) >= 1)
  T operator()(I... index) const& {
    return view()(index...);
  }
  const element_reference<T> operator[](std::size_t index) & { return view()[index]; }
  T operator[](std::size_t index) const& { return view()[index]; }
  T front() const { return view().front(); }
  T back() const { return view().back(); }
  template <std::integral... I>
    requires(sizeof...(I) >= 1)
  void set(const impl::given<T>& value, I... index) {
    view().set(value, index...);
  }

  void fill(const impl::given<T>& value) { view().fill(value); }
  void copy_from(const array_view<const T>& values) { view().copy_from(values); }
  void copy_to(std::span<T> values) const { view().copy_to(values); }
  std::vector<T> to_vector() const { return view().to_vector(); }
  array on(const target& where) const { return view().on(where); }
  std::span<T> span() & { return view().span(); }
  std::span<const T> span() const& { return view().span(); }
  void span() && = delete;
  T* begin() & { return view().begin(); }
  const T* begin() const& { return view().begin(); }
  void begin() && = delete;
  T* end() & { return view().end(); }
  const T* end() const& { return view().end(); }
  void end() && = delete;
  template <int Axes>
  accessor<T, Axes> access() & {
    return view().template access<Axes>();
  }
  template <int Axes>
  accessor<const T, Axes> access() const& {
    return view().template access<Axes>();
  }
  template <int Axes>
  void access() && = delete;
  void wait() const { where().wait(); }

  /// The same elements in another shape, which has as many: a view, or, of a temporary, the array itself.
  array_view<T> reshaped(heddle::shape lengths) & { return view().reshaped(std::move(lengths)); }
  array_view<const T> reshaped(heddle::shape lengths) const& { return view().reshaped(std::move(lengths)); }
  array reshaped(heddle::shape lengths) && {
    if (lengths.elements() != size_) impl::fail_sizes("reshaped", lengths.elements(), size_);
    shape_ = std::move(lengths);
    return std::move(*this);
  }

 private:
  friend class any_array;
  friend struct impl::array_access;
  array(heddle::shape lengths, memory&& elements)
      : shape_(std::move(lengths)), size_(shape_.elements()), memory_(std::move(elements)) {}

  static memory allocate(std::size_t size, const target& where) {
    operation running("array", size, impl::type_name<T>());
    running.runs_on(where);
    std::size_t bytes;
    if (__builtin_mul_overflow(size, sizeof(T), &bytes)) fail("more bytes than 64 bits can count");
    return memory(bytes, where);
  }

  heddle::shape shape_{0};
  std::size_t size_ = 0;
  memory memory_;
};

template <element T>
  requires(!impl::range<T>)
array(std::initializer_list<T>) -> array<T>;
template <impl::range R>
array(R&&, const target& = {}) -> array<std::iter_value_t<decltype(std::begin(std::declval<R&>()))>>;
template <std::forward_iterator First, class Last>
array(First, Last, const target& = {}) -> array<std::iter_value_t<First>>;

template <class T>
array<std::remove_cv_t<T>> array_view<T>::on(const target& where) const {
  array<value_type> copy(shape_, where);
  heddle::copy(copy.data(), copy.where(), data_, where_, size_ * sizeof(T));
  return copy;
}

/// Writes the elements as of an array_view.
template <class T>
std::ostream& operator<<(std::ostream& out, const array<T>& x) {
  return out << x.view();
}

/// An uninitialised array with the shape, the element type and the target of `x`.
template <class T>
array<std::remove_cv_t<T>> empty_like(const array_view<T>& x) {
  return array<std::remove_cv_t<T>>(x.shape(), x.where());
}
template <class T>
array<T> empty_like(const array<T>& x) {
  return array<T>(x.shape(), x.where());
}

}  // namespace heddle
