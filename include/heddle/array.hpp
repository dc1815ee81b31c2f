#pragma once

#include <heddle/compiler.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {
namespace detail {

/// Bytes on a target, freed with their lifetime. On a GPU they come from a pool that outlives them, and both
/// allocating and freeing take their place in the order of the target's stream.
class memory {
 public:
  memory() noexcept = default;
  memory(std::size_t bytes, const target& where);
  memory(memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        where_(other.where_) {}
  memory& operator=(memory&& other) noexcept {
    memory taken(std::move(other));
    std::swap(data_, taken.data_);
    std::swap(bytes_, taken.bytes_);
    std::swap(where_, taken.where_);
    return *this;
  }
  ~memory();

  /// Frees it in the order of another stream, which all that uses it comes before.
  void free_on(const target& where) noexcept {
    where_ = where;
    *this = memory();
  }

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  const target& where() const noexcept { return where_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  target where_;
};

/// Copies bytes between targets. Returns once a copy to the CPU has arrived and once bytes on the CPU have
/// been read; a copy from one GPU array to another is put on the destination's stream.
void copy(void* to, const target& to_where, const void* from, const target& from_where, std::size_t bytes);

/// Work put on `later` from here on waits for what is on `earlier` now. Nothing to do on one stream or on the
/// CPU.
void order(const target& earlier, const target& later);
/// The same where nothing may be thrown; it waits for `earlier` when it cannot put them in order.
void order_or_wait(const target& earlier, const target& later) noexcept;

/// Memory of the calling thread that a GPU can write a value of so many bytes to and a CPU can read; null for
/// more than there is. The next call gives the same.
void* value_slot(const target& gpu, std::size_t bytes);

/// Fills `elements` elements of `element_bytes` bytes each with copies of *value.
void fill(void* data, const target& where, std::size_t elements, const void* value,
          std::size_t element_bytes);

[[noreturn]] void fail_not_on_cpu(const char* what, const target& where);
[[noreturn]] void fail_index(const char* what, std::size_t index, std::size_t size);
[[noreturn]] void fail_range(const char* what, std::size_t first, std::size_t last);
[[noreturn]] void fail_axes(const char* what, std::size_t wanted, const shape& have);
[[noreturn]] void fail_sizes(const char* what, std::size_t a, std::size_t b);

}  // namespace detail

/// Gives the memory that the pool of a GPU keeps for later arrays back to the system, once what the GPU is
/// doing has finished. Nothing to do on the CPU.
void release_cached_memory(const target& where);

/// What an array may hold: types whose bytes can be copied from one target to another, aligned to 256 bytes
/// at most.
template <class T>
concept element = std::is_trivially_copyable_v<T> && !std::is_const_v<T> && alignof(T) <= 256;

/// (row, column) and (plane, row, column) indexing of an array's elements, small enough to capture in a
/// function that runs on any target. It does not own the elements, and is valid only where they are.
template <class T, int Axes>
struct accessor {
  T* data;
  std::size_t extent[Axes];

  template <class... I>
  requires(sizeof...(I) == Axes) HD_INLINE T& operator()(I... index) const {
    const std::size_t at[] = {static_cast<std::size_t>(index)...};
    std::size_t offset = 0;
    for (int axis = 0; axis < Axes; ++axis) offset = offset * extent[axis] + at[axis];
    return data[offset];
  }
};

template <element T>
class array;

/// Elements of somebody else's array, contiguous in C order: a slice, a row, or the whole. Cheap to copy;
/// valid while the owner lives. T is const for elements that must not change.
template <class T>
class array_view {
 public:
  using value_type = std::remove_cv_t<T>;

  array_view(T* data, heddle::shape lengths, const target& where = {})
      : data_(data), size_(lengths.elements()), shape_(std::move(lengths)), where_(where) {}
  array_view(std::span<T> values) : array_view(values.data(), heddle::shape{values.size()}) {}
  template <class R>
  requires(std::convertible_to<R&&, std::span<T>> && !std::is_same_v<std::remove_cvref_t<R>, std::span<T>>)
      array_view(R&& values)
      : array_view(std::span<T>(std::forward<R>(values))) {}
  template <class U>
  requires(std::is_same_v<const U, T>) array_view(const array_view<U>& other)
      : data_(other.data()), size_(other.size()), shape_(other.shape()), where_(other.where()) {}

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  const heddle::shape& shape() const noexcept { return shape_; }
  const target& where() const noexcept { return where_; }

  /// Entries first, first+1, … last−1 of the slowest axis.
  array_view slice(std::size_t first, std::size_t last) const {
    if (shape_.axes() == 0) detail::fail_axes("slice", 1, shape_);
    if (last > shape_[0]) detail::fail_index("slice", last, shape_[0]);
    if (first > last) detail::fail_range("slice", first, last);
    const std::size_t stride = shape_[0] == 0 ? 0 : size_ / shape_[0];
    return {data_ + first * stride, shape_.with_length(0, last - first), where_};
  }

  /// Entry `index` of the slowest axis, as an array with one axis less.
  array_view row(std::size_t index) const {
    if (shape_.axes() == 0) detail::fail_axes("row", 1, shape_);
    if (index >= shape_[0]) detail::fail_index("row", index, shape_[0]);
    return {data_ + index * (size_ / shape_[0]), shape_.without_axis(0), where_};
  }

  /// The same elements under another shape of as many.
  array_view reshaped(heddle::shape lengths) const {
    if (lengths.elements() != size_) detail::fail_sizes("reshaped", lengths.elements(), size_);
    return {data_, std::move(lengths), where_};
  }

  /// One element, by its place in C order or by an index along each axis; waits for it when it is on a GPU.
  template <std::integral... I>
  requires(sizeof...(I) >= 1) value_type operator()(I... index) const { return read(offset(index...)); }
  value_type operator[](std::size_t index) const {
    if (index >= size_) detail::fail_index("element", index, size_);
    return read(index);
  }
  value_type front() const { return (*this)[0]; }
  value_type back() const { return (*this)[size_ == 0 ? 0 : size_ - 1]; }

  /// Sets one element.
  template <std::integral... I>
  requires(sizeof...(I) >= 1 && !std::is_const_v<T>) void set(const value_type& value, I... index) const {
    detail::copy(data_ + offset(index...), where_, &value, target(), sizeof(T));
  }

  /// Sets every element to `value`; asynchronous on a GPU.
  void fill(const value_type& value) const requires(!std::is_const_v<T>) {
    detail::fill(data_, where_, size_, &value, sizeof(T));
  }

  /// Copies as many elements from `values`, wherever they are.
  void copy_from(const array_view<const value_type>& values) const requires(!std::is_const_v<T>) {
    if (values.size() != size_) detail::fail_sizes("copy_from", values.size(), size_);
    detail::copy(data_, where_, values.data(), values.where(), size_ * sizeof(T));
  }
  /// Copies the elements out to `values`, which has as many.
  void copy_to(std::span<value_type> values) const {
    if (values.size() != size_) detail::fail_sizes("copy_to", size_, values.size());
    detail::copy(values.data(), target(), data_, where_, size_ * sizeof(T));
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

  /// The elements themselves, on the CPU; an error when they are on a GPU.
  std::span<T> span() const {
    if (where_.is_gpu()) detail::fail_not_on_cpu("span", where_);
    return {data_, size_};
  }

  /// Indexing for functions that run where the elements are: `auto at = x.template access<2>();` then
  /// `at(row, column)`.
  template <int Axes>
  accessor<T, Axes> access() const {
    if (shape_.axes() != Axes) detail::fail_axes("access", Axes, shape_);
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
    if (sizeof...(I) != shape_.axes()) detail::fail_axes("element", sizeof...(I), shape_);
    std::size_t result = 0;
    for (std::size_t axis = 0; axis < sizeof...(I); ++axis) {
      if (at[axis] >= shape_[axis]) detail::fail_index("element", at[axis], shape_[axis]);
      result = result * shape_[axis] + at[axis];
    }
    return result;
  }
  value_type read(std::size_t index) const {
    alignas(value_type) unsigned char bytes[sizeof(value_type)];
    detail::copy(bytes, target(), data_ + index, where_, sizeof(value_type));
    return *reinterpret_cast<value_type*>(bytes);
  }

  T* data_;
  std::size_t size_;
  heddle::shape shape_;
  target where_;
};

/// Elements of type T that live on a target, contiguous in C order, freed with the array's lifetime. It can
/// be moved and not copied by accident: `on(target)` makes a copy, on the same target or on another.
///
///     hd::array<float> x(1'000'000);                 // on the CPU, not initialised
///     hd::array<float> m({rows, columns}, hd::target::gpu());
///     m.fill(0);
///
/// Everything that array_view does, an array does too. Memory that a GPU works on is freed in the order of
/// the stream of the target that the array was made with; patterns that run on another stream are ordered
/// with it.
template <element T>
class array {
 public:
  using value_type = T;

  array() = default;
  /// Not initialised. Throws heddle::error when there is no memory.
  explicit array(heddle::shape lengths, const target& where = {})
      : shape_(std::move(lengths)), size_(shape_.elements()), memory_(allocate(size_, where)) {}
  explicit array(std::size_t size, const target& where = {}) : array(heddle::shape{size}, where) {}
  /// A copy of the elements of a vector, a span or another contiguous range.
  template <class R>
  requires std::convertible_to<R&&, std::span<const T>>
  explicit array(R&& values, const target& where = {})
      : array(std::span<const T>(std::forward<R>(values)).size(), where) {
    view().copy_from(array_view<const T>(std::span<const T>(std::forward<R>(values))));
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
  void view() && = delete;  // of a temporary array it would outlive the elements; so below
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
  requires(sizeof...(I) >= 1) T operator()(I... index) const { return view()(index...); }
  T operator[](std::size_t index) const { return view()[index]; }
  T front() const { return view().front(); }
  T back() const { return view().back(); }
  template <std::integral... I>
  requires(sizeof...(I) >= 1) void set(const T& value, I... index) { view().set(value, index...); }

  void fill(const T& value) { view().fill(value); }
  void copy_from(const array_view<const T>& values) { view().copy_from(values); }
  void copy_to(std::span<T> values) const { view().copy_to(values); }
  std::vector<T> to_vector() const { return view().to_vector(); }
  array on(const target& where) const { return view().on(where); }
  std::span<T> span() & { return view().span(); }
  std::span<const T> span() const& { return view().span(); }
  void span() && = delete;
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

  /// The same elements under another shape of as many: a view of this array, or of a temporary one the array
  /// itself.
  array_view<T> reshaped(heddle::shape lengths) & { return view().reshaped(std::move(lengths)); }
  array_view<const T> reshaped(heddle::shape lengths) const& { return view().reshaped(std::move(lengths)); }
  array reshaped(heddle::shape lengths) && {
    if (lengths.elements() != size_) detail::fail_sizes("reshaped", lengths.elements(), size_);
    shape_ = std::move(lengths);
    return std::move(*this);
  }

 private:
  static detail::memory allocate(std::size_t size, const target& where) {
    detail::operation running("array", size, detail::type_name<T>());
    running.runs_on(where);
    std::size_t bytes;
    if (__builtin_mul_overflow(size, sizeof(T), &bytes)) detail::fail("more bytes than 64 bits can count");
    return detail::memory(bytes, where);
  }

  heddle::shape shape_{0};
  std::size_t size_ = 0;
  detail::memory memory_;
};

template <class R>
array(R&&, const target& = {}) -> array<typename std::remove_cvref_t<R>::value_type>;

template <class T>
array<std::remove_cv_t<T>> array_view<T>::on(const target& where) const {
  array<value_type> copy(shape_, where);
  detail::copy(copy.data(), copy.where(), data_, where_, size_ * sizeof(T));
  return copy;
}

/// An uninitialised array with the shape, the element type and the place of `x`.
template <class T>
array<std::remove_cv_t<T>> empty_like(const array_view<T>& x) {
  return array<std::remove_cv_t<T>>(x.shape(), x.where());
}
template <class T>
array<T> empty_like(const array<T>& x) {
  return array<T>(x.shape(), x.where());
}

namespace detail {

template <class X>
struct view_of_range {};
template <element T>
struct view_of_range<array<T>> {
  using type = T;
};
template <class T>
struct view_of_range<array_view<T>> {
  using type = std::remove_cv_t<T>;
};
template <class T, std::size_t N>
struct view_of_range<std::span<T, N>> {
  using type = std::remove_cv_t<T>;
};
template <class T, std::size_t N>
struct view_of_range<std::array<T, N>> {
  using type = std::remove_cv_t<T>;
};
template <class T, class A>
requires(!std::is_same_v<T, bool>) struct view_of_range<std::vector<T, A>> {
  using type = T;
};

}  // namespace detail

/// What a pattern takes as an array: array, array_view, std::vector, std::array, std::span.
template <class X>
concept array_like = requires {
  typename detail::view_of_range<std::remove_cvref_t<X>>::type;
};

/// The element type of an array_like.
template <array_like X>
using element_of = typename detail::view_of_range<std::remove_cvref_t<X>>::type;

namespace detail {

/// The elements of an array_like in C order, less their shape: what most patterns need, and free to make.
template <class T>
struct elements {
  T* data;
  std::size_t size;
  target where;
};

template <array_like X>
elements<const element_of<X>> input(const X& x) {
  if constexpr (requires { x.where(); }) {
    return {x.data(), x.size(), x.where()};
  } else {
    return {x.data(), x.size(), target()};
  }
}
template <array_like X>
auto output(X& x) {
  using T = std::remove_pointer_t<decltype(x.data())>;
  static_assert(!std::is_const_v<T>, "the output of a pattern must not be const");
  if constexpr (requires { x.where(); }) {
    return elements<T>{x.data(), x.size(), x.where()};
  } else {
    return elements<T>{x.data(), x.size(), target()};
  }
}
template <array_like X>
shape shape_of(const X& x) {
  if constexpr (requires { x.shape(); }) {
    return x.shape();
  } else {
    return shape{x.size()};
  }
}

[[noreturn]] void fail_overlap();

/// Throws when `out` shares some of its elements with x but does not begin with them: a pattern that works in
/// place reads each element before it writes it, and no other.
template <class T, class U>
void check_in_place(const elements<const T>& x, const elements<U>& out) {
  if (!same_memory(x.where, out.where)) return;
  const auto* const from = reinterpret_cast<const std::byte*>(x.data);
  const auto* const to = reinterpret_cast<const std::byte*>(out.data);
  const bool apart = from + x.size * sizeof(T) <= to || to + out.size * sizeof(U) <= from;
  if (!apart && !(from == to && sizeof(T) == sizeof(U))) fail_overlap();
}

/// Input elements where code on `where` can read them: as they are, or a copy that lives as long as this.
template <class T>
class staged_input {
 public:
  staged_input(const elements<const T>& x, const target& where)
      : data_(x.data), from_(x.where), where_(where) {
    if (same_memory(x.where, where)) {
      order(x.where, where);
    } else {
      copy_ = memory(x.size * sizeof(T), where);
      copy(copy_.data(), where, x.data, x.where, x.size * sizeof(T));
      data_ = static_cast<const T*>(copy_.data());
      from_ = where;
    }
  }
  /// The owner of the elements may free them on its own stream: that has to come after the reading.
  ~staged_input() { order_or_wait(where_, from_); }
  staged_input(const staged_input&) = delete;
  staged_input& operator=(const staged_input&) = delete;

  const T* data() const noexcept { return data_; }

 private:
  const T* data_;
  target from_, where_;
  memory copy_;
};

/// Output elements where code on `where` can write them; `deliver` brings them home.
template <class T>
class staged_output {
 public:
  staged_output(const elements<T>& out, const target& where) : out_(out), where_(where), data_(out.data) {
    if (same_memory(out.where, where)) {
      order(out.where, where);
    } else {
      copy_ = memory(out.size * sizeof(T), where);
      data_ = static_cast<T*>(copy_.data());
    }
  }
  T* data() const noexcept { return data_; }
  void deliver() {
    if (copy_.data() != nullptr) {
      copy(out_.data, out_.where, data_, where_, out_.size * sizeof(T));
    } else {
      order(where_, out_.where);
    }
  }

 private:
  elements<T> out_;
  target where_;
  T* data_;
  memory copy_;
};

}  // namespace detail
}  // namespace heddle
