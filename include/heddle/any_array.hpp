#pragma once

#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/core/any_array.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <iosfwd>
#include <type_traits>
#include <utility>

/// Arrays whose element type is known at run time. They do what array and array_view do, under the same
/// names. any_patterns.hpp has the patterns on them.
namespace heddle {

class any_array;

/// One element, on the CPU, whose type is known at run time. Any number becomes one: `hd::any_value(2.5f)`.
class any_value {
 public:
  template <class T>
    requires has_dtype<T>
  any_value(const T& value) noexcept : dtype_(dtype_of<T>) {
    std::memcpy(bytes_.data(), &value, sizeof(T));
  }
  /// The element at `element`, which is on the CPU.
  any_value(heddle::dtype type, const void* element) noexcept : dtype_(type) {
    std::memcpy(bytes_.data(), element, size_of(type));
  }

  heddle::dtype dtype() const noexcept { return dtype_; }
  const void* data() const noexcept { return bytes_.data(); }

  /// The value; throws heddle::error naming both types when T is not that of the element.
  template <class T>
    requires has_dtype<T>
  T as() const {
    if (dtype_of<T> != dtype_) impl::fail_dtype(dtype_, dtype_of<T>);
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    return value;
  }

  /// The number converted to another type. Throws heddle::error when that type cannot hold it: an integer out
  /// of range, a fraction for an integer, a number other than 0 and 1 for bool, an imaginary part other than
  /// 0 for a real type, or a finite number that would become infinite. A real number is rounded.
  any_value converted(heddle::dtype type) const;
  template <class T>
    requires has_dtype<T>
  T to() const {
    return converted(dtype_of<T>).template as<T>();
  }

 private:
  alignas(largest_element_bytes) std::array<std::byte, largest_element_bytes> bytes_{};
  heddle::dtype dtype_;
};

template <class Void>
class basic_any_view;

/// A view of elements that something else owns, of a type known at run time, contiguous in C order. Cheap to
/// copy; valid while the owner lives. `any_view` may change the elements, `any_const_view` may not; the first
/// converts to the second. The constructors from an array or a view of a built-in type are explicit, so that
/// what does not compile for elements of a static type still does not.
///
///     void print_sum(const hd::any_const_view& x) {
///       hd::visit(x, [](const auto& y) { std::cout << hd::reduce(hd::target::parallel(), y); });
///     }
///     print_sum(hd::any_const_view(samples));                     // hd::array<float> samples
template <class Void>
class basic_any_view {
  static constexpr bool is_const = std::is_const_v<Void>;
  template <class T>
  using element_as = std::conditional_t<is_const, const T, T>;

 public:
  /// `data` is aligned for the type, and has as many elements as `lengths` says.
  basic_any_view(Void* data, heddle::dtype type, heddle::shape lengths, const target& where = {});
  template <class T>
    requires(has_dtype<T> && (is_const || !std::is_const_v<T>))
  explicit basic_any_view(const array_view<T>& x)
      : basic_any_view(x.data(), dtype_of<T>, x.shape(), x.where()) {}
  template <class T>
    requires(has_dtype<T> && is_const)
  explicit basic_any_view(const array<T>& x) : basic_any_view(x.data(), dtype_of<T>, x.shape(), x.where()) {}
  template <class T>
    requires(has_dtype<T> && !is_const)
  explicit basic_any_view(array<T>& x) : basic_any_view(x.data(), dtype_of<T>, x.shape(), x.where()) {}
  template <class Other>
    requires(std::is_same_v<const Other, Void> && !std::is_const_v<Other>)
  basic_any_view(const basic_any_view<Other>& other)
      : basic_any_view(other.data(), other.dtype(), other.shape(), other.where()) {}

  Void* data() const noexcept { return data_; }
  heddle::dtype dtype() const noexcept { return dtype_; }
  /// The number of elements, and the bytes of all of them.
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * size_of(dtype_); }
  const heddle::shape& shape() const noexcept { return shape_; }
  const target& where() const noexcept { return where_; }

  /// The elements with their static type; throws heddle::error naming both types when T is another one.
  template <class T>
    requires(has_dtype<T> && !std::is_const_v<T>)
  array_view<element_as<T>> as() const {
    if (dtype_of<T> != dtype_) impl::fail_dtype(dtype_, dtype_of<T>);
    return {static_cast<element_as<T>*>(data_), shape_, where_};
  }

  /// Entries first, first+1, … last−1 of the slowest axis.
  basic_any_view slice(std::size_t first, std::size_t last) const;
  /// Entry `index` of the slowest axis, with one axis less.
  basic_any_view row(std::size_t index) const;
  /// The same elements in another shape, which has as many.
  basic_any_view reshaped(heddle::shape lengths) const;

  /// One element, by its index in C order. Waits on a GPU.
  any_value operator[](std::size_t index) const;
  any_value front() const { return (*this)[0]; }
  any_value back() const { return (*this)[size_ == 0 ? 0 : size_ - 1]; }

  /// Sets one element, or all. The value is converted as any_value::converted says; `fill` is asynchronous on
  /// a GPU.
  template <class V = Void>
    requires(!std::is_const_v<V>)
  void set(const any_value& value, std::size_t index) const {
    impl::set_element(*this, value, index);
  }
  template <class V = Void>
    requires(!std::is_const_v<V>)
  void fill(const any_value& value) const {
    impl::fill_elements(*this, value);
  }
  /// Copies the elements of `values`, which has as many of the same type, on any target.
  template <class V = Void>
    requires(!std::is_const_v<V>)
  void copy_from(const basic_any_view<const void>& values) const {
    impl::copy_elements(*this, values);
  }

  /// A copy of the elements on `where`.
  any_array on(const target& where) const;
  /// A copy on the same target, converted to another type as NumPy's astype does (see npy_file::read).
  /// Elements on a GPU are converted on the CPU.
  any_array converted(heddle::dtype type) const;

  /// Returns once the work that fills these elements has finished.
  void wait() const { where_.wait(); }

 private:
  Void* data_;
  std::size_t size_;
  heddle::shape shape_;
  target where_;
  heddle::dtype dtype_;
};

using any_view = basic_any_view<void>;
using any_const_view = basic_any_view<const void>;

extern template class basic_any_view<void>;
extern template class basic_any_view<const void>;

/// Owns elements of a type known at run time, contiguous in C order, on a target. It can be moved, and not
/// copied by accident: `on(target)` makes a copy.
///
///     hd::any_array x = hd::read_npy("samples.npy");
///     if (x.dtype() == hd::dtype::float32) {
///       hd::array_view<float> samples = x.as<float>();          // the elements themselves
///       hd::array<float> owned = std::move(x).as<float>();      // and their memory, without a copy
///     }
class any_array {
 public:
  /// No elements, of type bool.
  any_array() = default;
  /// Not initialised. Throws heddle::error when there is no memory.
  any_array(heddle::dtype type, heddle::shape lengths, const target& where = {});
  /// Takes over the memory of an array, without a copy.
  template <class T>
    requires has_dtype<T>
  any_array(array<T>&& x) noexcept
      : shape_(std::exchange(x.shape_, heddle::shape{0})),
        size_(std::exchange(x.size_, 0)),
        memory_(std::move(x.memory_)),
        dtype_(dtype_of<T>) {}
  /// A copy of the elements of a view, on the same target.
  explicit any_array(const any_const_view& x);
  any_array(any_array&& other) noexcept
      : shape_(std::exchange(other.shape_, heddle::shape{0})),
        size_(std::exchange(other.size_, 0)),
        memory_(std::move(other.memory_)),
        dtype_(other.dtype_) {}
  any_array& operator=(any_array&& other) noexcept {
    any_array taken(std::move(other));
    std::swap(shape_, taken.shape_);
    std::swap(size_, taken.size_);
    std::swap(memory_, taken.memory_);
    std::swap(dtype_, taken.dtype_);
    return *this;
  }

  any_view view() & { return {data(), dtype_, shape_, where()}; }
  any_const_view view() const& { return {data(), dtype_, shape_, where()}; }
  void view() && = delete;  // a view of a temporary would outlive its elements; likewise below
  operator any_view() & { return view(); }
  operator any_const_view() const& { return view(); }

  void* data() noexcept { return memory_.data(); }
  const void* data() const noexcept { return memory_.data(); }
  heddle::dtype dtype() const noexcept { return dtype_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * size_of(dtype_); }
  const heddle::shape& shape() const noexcept { return shape_; }
  const target& where() const noexcept { return memory_.where(); }

  /// The elements with their static type: a view, or, of a temporary, an array that takes over the memory.
  /// Throws heddle::error naming both types when T is another one.
  template <class T>
    requires has_dtype<T>
  array_view<T> as() & {
    return view().template as<T>();
  }
  template <class T>
    requires has_dtype<T>
  array_view<const T> as() const& {
    return view().template as<T>();
  }
  template <class T>
    requires has_dtype<T>
  array<T> as() && {
    if (dtype_of<T> != dtype_) impl::fail_dtype(dtype_, dtype_of<T>);
    size_ = 0;
    return array<T>(std::exchange(shape_, heddle::shape{0}), std::move(memory_));
  }

  any_view slice(std::size_t first, std::size_t last) & { return view().slice(first, last); }
  any_const_view slice(std::size_t first, std::size_t last) const& { return view().slice(first, last); }
  void slice(std::size_t, std::size_t) && = delete;
  any_view row(std::size_t index) & { return view().row(index); }
  any_const_view row(std::size_t index) const& { return view().row(index); }
  void row(std::size_t) && = delete;
  any_value operator[](std::size_t index) const { return view()[index]; }
  any_value front() const { return view().front(); }
  any_value back() const { return view().back(); }
  void set(const any_value& value, std::size_t index) { view().set(value, index); }
  void fill(const any_value& value) { view().fill(value); }
  void copy_from(const any_const_view& values) { view().copy_from(values); }
  any_array on(const target& where) const { return view().on(where); }
  any_array converted(heddle::dtype type) const { return view().converted(type); }
  void wait() const { where().wait(); }

  /// The same elements in another shape, which has as many: a view, or, of a temporary, the array itself.
  any_view reshaped(heddle::shape lengths) & { return view().reshaped(std::move(lengths)); }
  any_const_view reshaped(heddle::shape lengths) const& { return view().reshaped(std::move(lengths)); }
  any_array reshaped(heddle::shape lengths) &&;

 private:
  friend struct impl::array_access;
  heddle::shape shape_{0};
  std::size_t size_ = 0;
  memory memory_;
  heddle::dtype dtype_ = heddle::dtype::boolean;
};

/// Writes the elements as of an array_view, and one element as NumPy writes a scalar.
std::ostream& operator<<(std::ostream& out, const any_const_view& x);
std::ostream& operator<<(std::ostream& out, const any_value& x);

/// Calls f with an array_view of the static element type and returns its result, which must have the same
/// type for all element types. f is compiled 13 times, once for each type of `dtype`.
///
///     std::size_t zeros = hd::visit(x, [](const auto& elements) {
///       return std::count(elements.begin(), elements.end(), 0);
///     });
template <class Void, class F>
decltype(auto) visit(const basic_any_view<Void>& x, F&& f) {
  return with_type(x.dtype(), [&]<class T>(T) -> decltype(auto) { return f(x.template as<T>()); });
}
template <class F>
decltype(auto) visit(any_array& x, F&& f) {
  return visit(x.view(), f);
}
template <class F>
decltype(auto) visit(const any_array& x, F&& f) {
  return visit(x.view(), f);
}

}  // namespace heddle
