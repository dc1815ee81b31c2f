#pragma once

#include "interpreter.hpp"
#include "operand.hpp"
#include <heddle/kernel.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

/// An argument that a kernel or an expression expects.
struct expected_argument {
  std::string place;  ///< "saxpy: argument 2 (a)"
  const kernel_parameter& parameter;
  bool takes_value, takes_array;
  bool may_write;  ///< to the array
};

/// "saxpy: argument 2 (a)".
std::string place_of_argument(const std::string& callee, std::size_t index, const std::string& parameter);

/// "takes 1 argument, and 2 were given".
std::string number_of_arguments(std::size_t takes, std::size_t given);

/// An argument of a launch: a number or a structure by value, or the address of the elements of an array. It
/// raises TypeError for what is not taken, and ValueError for a number that does not fit and for an array
/// that would have to be copied and may be written.
class given_argument {
 public:
  given_argument(nb::handle x, const expected_argument& by);
  ~given_argument();
  given_argument(const given_argument&) = delete;
  given_argument& operator=(const given_argument&) = delete;

  const untyped_argument& is() const { return is_; }
  std::size_t size_in_bytes() const { return is_.is_array ? is_.lengths.elements() * is_.bytes : is_.bytes; }
  bool is_null() const { return is_.is_array && is_.data == nullptr && is_.bytes == 0; }
  /// Whether results are a heddle.Array.
  bool gives_array() const { return elements_ && elements_->gives_array(); }

 private:
  void take_array(nb::handle x, const expected_argument& by);
  void take_buffer(const nb::object& x, const expected_argument& by);
  void take_number(nb::handle x, const expected_argument& by);
  void take_half(nb::handle x, const expected_argument& by);
  void take_bytes(nb::handle x, const expected_argument& by);
  template <class T>
  void take_integer(nb::handle x, const expected_argument& by);
  void take_floating(nb::handle x, const expected_argument& by);
  void take_components(nb::handle x, const expected_argument& by);
  template <class T>
  void put(const T& value, kernel_number type = kernel_number_of<T>);

  untyped_argument is_;
  std::vector<std::byte> value_;
  std::optional<Py_buffer> buffer_;
  std::optional<operand> elements_;
};

}  // namespace heddle::python
