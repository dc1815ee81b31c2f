#pragma once

#include "array.hpp"
#include "interpreter.hpp"
#include "strided.hpp"
#include "target.hpp"
#include <heddle/any_array.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace heddle::python {

/// An argument that holds numbers, as elements that are contiguous in C order: where it is such an array, its
/// own, and else a copy.
class operand {
 public:
  /// Which order elements may have: C's, or for what goes along an axis Fortran's too.
  enum class order : std::uint8_t { c, any };
  explicit operand(nb::handle x, order may_be = order::c);
  ~operand();
  operand(const operand&) = delete;
  operand& operator=(const operand&) = delete;

  any_const_view view() const { return {data_, type_, lengths_, where_}; }
  any_const_view view(const shape& lengths) const { return {data_, type_, lengths, where_}; }
  dtype type() const { return type_; }
  const shape& lengths() const { return lengths_; }
  const target& where() const { return where_; }
  std::size_t size() const { return lengths_.elements(); }
  std::size_t bytes() const { return size() * size_of(type_); }
  bool is_read_only() const { return read_only_; }
  /// Whether the elements are a copy that was made for this call.
  bool is_copy() const { return is_copy_; }
  /// Whether the owner may free the elements in no order with the default stream.
  bool is_of_another_stream() const { return waits_ || !(on_default_stream(where_) == where_); }

  /// Whether results are a heddle.Array: the argument is one, or an array that is not NumPy's.
  bool gives_array() const { return gives_array_; }

  /// Whether the elements are in Fortran's order, so that in memory the axes come in reverse.
  bool is_reversed() const { return reversed_; }
  /// Copies elements in Fortran's order into C's.
  void put_in_c_order();

  /// Converts the elements, as astype does.
  void convert(dtype type);
  /// Moves axes to the end, in their order.
  void move_to_end(const std::size_t* axes, std::size_t count);
  /// Elements that were made for this operand, which belong to nobody else; empty where there are none.
  std::optional<any_array>& converted() { return converted_; }

  /// The target that is wanted, where arrays on a GPU stay on theirs for "auto".
  target place_for(const target& wanted) const {
    return wanted.is_automatic() && gives_array_ && where_.is_gpu() ? on_default_stream(where_) : wanted;
  }

  /// The object that keeps the elements alive.
  nb::object keeper() const;

 private:
  bool take_array(nb::handle x);
  bool take_others(nb::handle x, order may_be);
  bool take_buffer(nb::handle x, order may_be = order::c);
  bool leave_stream();
  void take_copy(nb::handle numpy_array, dtype type);
  void take_gathered(const void* first, const shape& lengths, const strides& apart);
  bool take_dlpack(nb::handle x);
  bool take_cuda(nb::handle x);
  void release();

  nb::object held_;
  std::optional<Py_buffer> buffer_;
  std::optional<any_array> converted_;
  const void* data_ = nullptr;
  dtype type_ = dtype::boolean;
  shape lengths_;
  target where_;
  bool gives_array_ = false, read_only_ = true, reversed_ = false, is_copy_ = false;
  bool waits_ =
      false;  ///< whether the owner may free the elements in no order with the stream that reads them
};

/// Raises TypeError if `out` is no array that could receive a result.
void require_array_as_output(nb::handle out);

/// Where elements of a result go: to a new array of NumPy's or a new heddle.Array, or to `out`.
class output {
 public:
  /// `out` is None, an array of NumPy's or a heddle.Array; elements of `in` at its beginning may be
  /// overwritten where `in_place` says so. Elements of `in` and `other` are not overwritten otherwise.
  output(nb::handle out, bool as_array, dtype type, const shape& lengths, const target& where,
         const operand& in, bool in_place = false, const operand* other = nullptr);

  any_view view(const shape& lengths) const { return {data_, type_, lengths, place_}; }
  /// The result of the function.
  nb::object finish();

 private:
  bool write_to(nb::handle out, const operand& in, bool in_place, const operand* other);

  nb::object out_;
  std::optional<any_array> own_;
  void* data_ = nullptr;
  dtype type_;
  shape lengths_;
  target place_;
  bool is_new_ = true, as_array_;
};

}  // namespace heddle::python
