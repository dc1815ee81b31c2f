#pragma once

#include <heddle/array_like.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/array_view.hpp>
#include <heddle/impl/core/conversion.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/impl/core/print.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

/// Indexing of an array's elements by (row, column) or (plane, row, column), small enough to capture in a
/// function that runs on any target. It does not own the elements, and works only where they are.
template <class T, int Axes>
struct accessor {
  T* data;
  std::size_t extent[static_cast<std::size_t>(Axes)];

  template <class... I>
    requires(sizeof...(I) == Axes)
  HD_INLINE T& operator()(I... index) const {
    const std::size_t at[] = {static_cast<std::size_t>(index)...};
    std::size_t offset = 0;
    for (int axis = 0; axis < Axes; ++axis) offset = offset * extent[axis] + at[axis];
    return data[offset];
  }
};

template <element T>
class array;
template <class T>
class array_view;

/// A reference to one element of an array on any target, to read, assign, change or swap it: `T x = a[i];
/// a[i] = x; a[i] += x; ++a[i]; swap(a[i], a[j]);` or `std::ranges::swap`. A change reads the element,
/// changes the copy and writes it back; on a GPU each read and each write waits. Conversions are checked: a
/// fraction for an integer does not compile, and an integer that T cannot hold throws heddle::error. Arrays
/// return it const, so that a member function that would change a copy of the element alone does not compile.
template <class T>
class element_reference : public impl::element_reader<T> {
 public:
  using impl::element_reader<T>::element_reader;
  element_reference(const element_reference&) = delete;
  // NOLINTNEXTLINE(modernize-use-equals-default): not trivial, so that printf("%d", a[i]) does not compile
  ~element_reference() {}

  // On a temporary alone: `auto x = a[i]; x = 1;` would look like an assignment to a variable.
  void operator=(const impl::given<T>& value) const&& { write(value); }
  void operator=(const element_reference& other) const&& {
    heddle::copy(this->heddle_at_, this->heddle_where_, other.heddle_at_, other.heddle_where_, sizeof(T));
  }

  /// a[i] OP= value, where T has this operator. Returns the new value.
#define HD_COMPOUND_ASSIGNMENT(OP)                                                                   \
  template <class V = T>                                                                             \
    requires(std::is_constructible_v<impl::right_operand<T, V>, const V&> &&                         \
             requires(T& element, const impl::converted_operand<T, V>& value) { element OP value; }) \
  T operator OP(const V& value) const&& {                                                            \
    const impl::right_operand<T, V> operand(value);                                                  \
    const impl::converted_operand<T, V>& converted = operand;                                        \
    return changed([&](T& element) { element OP converted; });                                       \
  }
  HD_COMPOUND_ASSIGNMENT(+=)
  HD_COMPOUND_ASSIGNMENT(-=)
  HD_COMPOUND_ASSIGNMENT(*=)
  HD_COMPOUND_ASSIGNMENT(/=)
  HD_COMPOUND_ASSIGNMENT(%=)
  HD_COMPOUND_ASSIGNMENT(&=)
  HD_COMPOUND_ASSIGNMENT(|=)
  HD_COMPOUND_ASSIGNMENT(^=)
  HD_COMPOUND_ASSIGNMENT(<<=)
  HD_COMPOUND_ASSIGNMENT(>>=)
#undef HD_COMPOUND_ASSIGNMENT

  T operator++() const&&
    requires(!std::is_same_v<T, bool> && requires(T& element) { ++element; })
  {
    return changed([](T& element) { ++element; });
  }
  T operator--() const&&
    requires(!std::is_same_v<T, bool> && requires(T& element) { --element; })
  {
    return changed([](T& element) { --element; });
  }
  /// Returns the former value; so does `--`.
  T operator++(int) const&&
    requires(!std::is_same_v<T, bool> && requires(T& element) { element++; })
  {
    const T former = read();
    T element = former;
    element++;
    write(element);
    return former;
  }
  T operator--(int) const&&
    requires(!std::is_same_v<T, bool> && requires(T& element) { element--; })
  {
    const T former = read();
    T element = former;
    element--;
    write(element);
    return former;
  }

  friend void swap(const element_reference&& a, const element_reference&& b) {  // NOLINT: copies throw
    const T of_a = a.read();
    std::move(a) = b;
    b.write(of_a);
  }
  friend void swap(const element_reference&& a, T& b) {
    const T of_a = a.read();
    a.write(b);
    b = of_a;
  }
  friend void swap(T& a, const element_reference&& b) { swap(std::move(b), a); }

 private:
  T read() const { return impl::read_element(this->heddle_at_, this->heddle_where_); }
  template <class Change>
  T changed(const Change& change) const {
    T element = read();
    change(element);
    write(element);
    return element;
  }
  void write(const T& value) const {
    heddle::copy(this->heddle_at_, this->heddle_where_, &value, target(), sizeof(T));
  }
};

/// A view of elements that something else owns, contiguous in C order: a whole array, a slice or a row. Cheap
/// to copy; valid while the owner lives. T is const for a view that does not change them.
template <class T>
class array_view {
 public:
  using value_type = std::remove_cv_t<T>;

  array_view(T* data, heddle::shape lengths, const target& where = {})
      : data_(data), size_(lengths.elements()), shape_(std::move(lengths)), where_(where) {}
  array_view(std::span<T> values) : array_view(values.data(), heddle::shape{values.size()}) {}
  template <class R>
    requires(std::convertible_to<R&&, std::span<T>> &&
             !std::is_same_v<std::remove_cvref_t<R>, std::span<T>> &&
             !impl::is_array_or_view<std::remove_cvref_t<R>>)
  array_view(R&& values) : array_view(std::span<T>(std::forward<R>(values))) {}
  /// The elements from `first` up to `last`, on the CPU unless a target is given; throws heddle::error where
  /// `last` comes before `first`.
  template <std::contiguous_iterator First, std::sized_sentinel_for<First> Last>
    requires std::is_convertible_v<std::remove_reference_t<std::iter_reference_t<First>> (*)[], T (*)[]>
  array_view(First first, Last last, const target& where = {})
      : array_view(std::to_address(first), heddle::shape{impl::distance("array_view", last - first)}, where) {
  }
  template <class U>
    requires(std::is_same_v<const U, T>)
  array_view(const array_view<U>& other)
      : data_(other.data()), size_(other.size()), shape_(other.shape()), where_(other.where()) {}

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  const heddle::shape& shape() const noexcept { return shape_; }
  const target& where() const noexcept { return where_; }

  /// Entries first, first+1, … last−1 of the slowest axis.
  array_view slice(std::size_t first, std::size_t last) const {
    if (shape_.axes() == 0) impl::fail_axes("slice", 1, shape_);
    if (last > shape_[0]) impl::fail_index("slice", last, shape_[0]);
    if (first > last) impl::fail_range("slice", first, last);
    const std::size_t stride = shape_[0] == 0 ? 0 : size_ / shape_[0];
    return {data_ + first * stride, shape_.with_length(0, last - first), where_};
  }

  /// Entry `index` of the slowest axis, as an array with one axis less.
  array_view row(std::size_t index) const {
    if (shape_.axes() == 0) impl::fail_axes("row", 1, shape_);
    if (index >= shape_[0]) impl::fail_index("row", index, shape_[0]);
    return {data_ + index * (size_ / shape_[0]), shape_.without_axis(0), where_};
  }

  /// The same elements in another shape, which has as many.
  array_view reshaped(heddle::shape lengths) const {
    if (lengths.elements() != size_) impl::fail_sizes("reshaped", lengths.elements(), size_);
    return {data_, std::move(lengths), where_};
  }

  /// The result of (row, column) and of [i]: the value if T is const, otherwise a reference to the element.
  using reference = std::conditional_t<std::is_const_v<T>, value_type, const element_reference<value_type>>;

  /// One element, by its index in C order or by an index along each axis. On a GPU reading it and assigning
  /// it wait.
  template <std::integral... I>
    requires(sizeof...(I) >= 1)
  reference operator()(I... index) const {
    return at(offset(index...));
  }
  reference operator[](std::size_t index) const {
    if (index >= size_) impl::fail_index("element", index, size_);
    return at(index);
  }
  value_type front() const { return array_view<const value_type>(*this)[0]; }
  value_type back() const { return array_view<const value_type>(*this)[size_ == 0 ? 0 : size_ - 1]; }

  /// Sets one element.
  template <std::integral... I>
    requires(sizeof...(I) >= 1 && !std::is_const_v<T>)
  void set(const impl::given<value_type>& value, I... index) const {
    const value_type& converted = value;
    heddle::copy(data_ + offset(index...), where_, &converted, target(), sizeof(T));
  }

  /// Sets every element to `value`; asynchronous on a GPU.
  void fill(const impl::given<value_type>& value) const
    requires(!std::is_const_v<T>)
  {
    const value_type& converted = value;
    heddle::fill(data_, where_, size_, &converted, sizeof(T));
  }

  /// Copies the elements of `values`, which has as many, on any target.
  void copy_from(const array_view<const value_type>& values) const
    requires(!std::is_const_v<T>)
  {
    if (values.size() != size_) impl::fail_sizes("copy_from", values.size(), size_);
    heddle::copy(data_, where_, values.data(), values.where(), size_ * sizeof(T));
  }
  /// Copies the elements to `values`, which has as many.
  void copy_to(std::span<value_type> values) const {
    if (values.size() != size_) impl::fail_sizes("copy_to", size_, values.size());
    heddle::copy(values.data(), target(), data_, where_, size_ * sizeof(T));
  }
  std::vector<value_type> to_vector() const {
    std::vector<value_type> values(size_);
    if constexpr (std::is_same_v<value_type, bool>) {
      const auto bytes = on(target());
      for (std::size_t i = 0; i < size_; ++i) values[i] = bytes.data()[i];
    } else {
      copy_to(values);
    }
    return values;
  }

  /// A copy of the elements on `where`.
  array<value_type> on(const target& where) const;

  /// The elements, on the CPU; throws heddle::error when they are on a GPU.
  std::span<T> span() const {
    if (where_.is_gpu()) impl::fail_not_on_cpu("span", where_);
    return {data_, size_};
  }

  /// Iterators over the elements, on the CPU; throws heddle::error when they are on a GPU.
  T* begin() const {
    if (where_.is_gpu()) impl::fail_not_on_cpu("begin", where_);
    return data_;
  }
  T* end() const { return begin() + size_; }

  /// Indexing for functions that run where the elements are: `auto at = x.template access<2>();` then
  /// `at(row, column)`.
  template <int Axes>
  accessor<T, Axes> access() const {
    if (shape_.axes() != Axes) impl::fail_axes("access", Axes, shape_);
    accessor<T, Axes> result{data_, {}};
    for (int axis = 0; axis < Axes; ++axis) result.extent[axis] = shape_[axis];
    return result;
  }

  /// Returns once the work that fills these elements has finished.
  void wait() const { where_.wait(); }

 private:
  template <class... I>
  std::size_t offset(I... index) const {
    const std::size_t at[] = {static_cast<std::size_t>(index)...};
    if (sizeof...(I) != shape_.axes()) impl::fail_axes("element", sizeof...(I), shape_);
    std::size_t result = 0;
    for (std::size_t axis = 0; axis < sizeof...(I); ++axis) {
      if (at[axis] >= shape_[axis]) impl::fail_index("element", at[axis], shape_[axis]);
      result = result * shape_[axis] + at[axis];
    }
    return result;
  }
  reference at(std::size_t index) const {
    if constexpr (std::is_const_v<T>) {
      return impl::read_element(data_ + index, where_);
    } else {
      return {data_ + index, where_};
    }
  }

  T* data_;
  std::size_t size_;
  heddle::shape shape_;
  target where_;
};

/// Writes the elements as NumPy's `str` does: `[[0.  1.5]\n [2.  3. ]]`. Of more than 1000 elements it writes
/// the first and the last three along each axis. Elements of a user's type are written by their own operator.
/// Copies what it writes from a GPU, and waits for it.
template <class T>
std::ostream& operator<<(std::ostream& out, const array_view<T>& x) {
  return impl::print_elements<std::remove_const_t<T>>(out, x.data(), x.shape(), x.where());
}

template <class First, class Last>
array_view(First, Last) -> array_view<std::remove_reference_t<std::iter_reference_t<First>>>;
template <class First, class Last>
array_view(First, Last, const target&) -> array_view<std::remove_reference_t<std::iter_reference_t<First>>>;

}  // namespace heddle

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<heddle::array_view<T>> = true;
