#include "kernel_argument.hpp"

#include <heddle/support/fork.hpp>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include <nanobind/stl/string.h>

namespace heddle::python {
namespace {

using number = kernel_number;

bool is_scalar_of_numpy(nb::handle x) {
  // numpy.generic, of which all scalars are.
  constinit static made_once<nb::handle> generic;
  return nb::isinstance(
      x, generic.get([] { return nb::object(python().scalars[0].attr("__mro__")[1]).release(); }));
}

bool has_axes(nb::handle x) {
  return nb::hasattr(x, "ndim") && nb::cast<std::size_t>(x.attr("ndim")) != 0;
}

bool is_array_of_some_library(nb::handle x) {
  if (is_scalar_of_numpy(x)) return false;
  return nb::isinstance<device_array>(x) || PyObject_CheckBuffer(x.ptr()) != 0 ||
         nb::hasattr(x, "__dlpack__") || nb::hasattr(x, "__cuda_array_interface__");
}

/// With its module, unless that is Python's own.
std::string name_of_type(nb::handle x) {
  const nb::handle type = x.type();
  const std::string module = nb::cast<std::string>(type.attr("__module__")),
                    name = nb::cast<std::string>(type.attr("__qualname__"));
  return module == "builtins" ? name : module + "." + name;
}

[[noreturn]] void refuse(const expected_argument& by, nb::handle given, const char* hint = "") {
  const bool is_element = by.takes_array && !by.takes_value && !by.parameter.is_pointer;
  const std::string takes = is_element              ? "an array of " + by.parameter.text()
                            : by.parameter.is_known ? by.parameter.text()
                            : by.parameter.size == 0
                                ? "a value"
                                : "a value of " + std::to_string(by.parameter.size) + " bytes";
  raise(PyExc_TypeError,
        by.place + ": the kernel takes " + takes + ", and " + name_of_type(given) + " was given" + hint);
}

/// The type of the elements of a buffer, and whether their bytes are in the machine's order.
struct element_format {
  number type = number::other;
  bool is_native = true;
};
element_format format_of(const Py_buffer& buffer) {
  const char* format = buffer.format == nullptr ? "B" : buffer.format;
  constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
  element_format result;
  if (*format == foreign || *format == '!') result.is_native = buffer.itemsize == 1;
  if (*format != 0 && std::strchr("@=<>!", *format) != nullptr) ++format;
  if (format[0] == 0 || format[1] != 0) return result;
  constexpr number integers[2][4] = {{number::u8, number::u16, number::u32, number::u64},
                                     {number::i8, number::i16, number::i32, number::i64}};
  const bool is_signed = std::strchr("bhilqn", *format) != nullptr;
  for (std::size_t k = 0; k < 4 && (is_signed || std::strchr("BHILQN", *format) != nullptr); ++k)
    if (buffer.itemsize == Py_ssize_t{1} << k) result.type = integers[is_signed ? 1 : 0][k];
  if (*format == '?') result.type = number::boolean;
  if (*format == 'e') result.type = number::f16;
  if (*format == 'f') result.type = number::f32;
  if (*format == 'd') result.type = number::f64;
  return result;
}

number number_of(dtype type) {
  return with_type(type, []<class T>(T) { return kernel_number_of<T>; });
}

const char* numpy_name(number type) {
  constexpr const char* names[] = {"V",  "?",  "i1", "i2", "i4", "i8", "u1",
                                   "u2", "u4", "u8", "f2", "f4", "f8"};
  return names[static_cast<int>(type)];
}

/// Calls f with a value of the C++ type of an integer.
template <class F>
void with_integer(number type, const F& f) {
  switch (type) {
    case number::boolean:
      return f(bool{});
    case number::i8:
      return f(std::int8_t{});
    case number::i16:
      return f(std::int16_t{});
    case number::i32:
      return f(std::int32_t{});
    case number::i64:
      return f(std::int64_t{});
    case number::u8:
      return f(std::uint8_t{});
    case number::u16:
      return f(std::uint16_t{});
    case number::u32:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace

std::string place_of_argument(const std::string& callee, std::size_t index, const std::string& parameter) {
  std::string place = callee + ": argument " + std::to_string(index + 1);
  if (!parameter.empty()) place += " (" + parameter + ")";
  return place;
}

std::string number_of_arguments(std::size_t takes, std::size_t given) {
  return "takes " + std::to_string(takes) + (takes == 1 ? " argument, and " : " arguments, and ") +
         std::to_string(given) + (given == 1 ? " was given" : " were given");
}

given_argument::given_argument(nb::handle x, const expected_argument& by) {
  if (by.takes_array && x.is_none()) {
    is_ = {nullptr, 0, true, true};
  } else if (by.takes_array && is_array_of_some_library(x)) {
    take_array(x, by);
  } else if (!by.takes_value) {
    refuse(by, x);
  } else if (by.parameter.is_known && by.parameter.type != number::other && by.parameter.components == 1) {
    take_number(x, by);
  } else {
    take_bytes(x, by);
  }
}

given_argument::~given_argument() {
  if (buffer_) PyBuffer_Release(&*buffer_);
}

template <class T>
void given_argument::put(const T& value, number type) {
  value_.resize(sizeof value);
  std::memcpy(value_.data(), &value, sizeof value);
  is_ = {value_.data(), sizeof value, false, false, {}, type};
}

void given_argument::take_array(nb::handle x, const expected_argument& by) {
  if (PyObject_CheckBuffer(x.ptr()) && !nb::isinstance<device_array>(x)) {
    take_buffer(nb::borrow(x), by);
  } else {
    elements_.emplace(x);
    if (by.may_write && elements_->is_copy())
      raise(PyExc_ValueError, by.place +
                                  " is not contiguous in C order, and the kernel may write to it: "
                                  "pass a contiguous copy");
    is_ = {elements_->view().data(),   size_of(elements_->type()), true,
           !elements_->is_read_only(), elements_->where(),         number_of(elements_->type()),
           elements_->lengths()};
  }
  if (!is_.is_written && by.may_write)
    raise(PyExc_ValueError, by.place + " is read-only, and the kernel may write to it: pass a copy");
}

void given_argument::take_buffer(const nb::object& x, const expected_argument& by) {
  if (!x.type().is(python().ndarray) && nb::hasattr(x, "mask"))
    raise(PyExc_TypeError, by.place + ": masked arrays are not supported: fill what is masked");
  Py_buffer buffer;
  if (PyObject_GetBuffer(x.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    refuse(by, x, ", whose elements have a type that kernels have not");
  }
  const element_format format = format_of(buffer);
  const auto bytes = static_cast<std::size_t>(buffer.itemsize);
  const std::size_t alignment = std::min<std::size_t>(bytes & (~bytes + 1), 8);
  const bool is_contiguous = PyBuffer_IsContiguous(&buffer, 'C') != 0;
  const bool is_aligned = alignment == 0 || reinterpret_cast<std::uintptr_t>(buffer.buf) % alignment == 0;
  if (!is_contiguous || !is_aligned || !format.is_native) {
    PyBuffer_Release(&buffer);
    if (by.may_write) {
      const char* const why = !is_contiguous ? " is not contiguous in C order"
                              : !is_aligned  ? " is not aligned"
                                             : " has its bytes swapped";
      raise(PyExc_ValueError, by.place + why + ", and the kernel may write to it: pass a contiguous copy");
    }
    const nb::object array = python().asarray(x);
    return take_buffer(python().array(array, nb::arg("order") = "C",
                                      nb::arg("dtype") = array.attr("dtype").attr("newbyteorder")("=")),
                       by);
  }
  buffer_ = buffer;
  static_assert(sizeof(Py_ssize_t) == sizeof(std::size_t));
  const shape lengths(
      std::span(reinterpret_cast<const std::size_t*>(buffer.shape), static_cast<std::size_t>(buffer.ndim)));
  // A text, for a char*.
  const bool is_text = PyBytes_Check(x.ptr()) && by.parameter.type == number::i8;
  is_ = {buffer.buf, bytes, true, buffer.readonly == 0, {}, is_text ? number::i8 : format.type, lengths};
}

void given_argument::take_number(nb::handle x, const expected_argument& by) {
  if (has_axes(x)) refuse(by, x);
  const number type = by.parameter.type;
  if (type == number::f16) {
    take_half(x, by);
  } else if (type == number::f32 || type == number::f64) {
    take_floating(x, by);
  } else {
    with_integer(type, [&]<class T>(T) { take_integer<T>(x, by); });
  }
}

template <class T>
void given_argument::take_integer(nb::handle x, const expected_argument& by) {
  // NumPy's bool is no index.
  const nb::object given = nb::isinstance(x, python().scalars[0]) ? nb::object(nb::bool_(x)) : nb::borrow(x);
  const nb::object whole = nb::steal(PyNumber_Index(given.ptr()));
  if (!whole.is_valid()) {
    PyErr_Clear();
    refuse(by, x);
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  bool fits = overflow == 0;
  T number = static_cast<T>(value);
  if constexpr (std::is_same_v<T, bool>) {
    fits = fits && (value == 0 || value == 1);
  } else {
    fits = fits && std::in_range<T>(value);
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (overflow > 0) {
        number = PyLong_AsUnsignedLongLong(whole.ptr());
        fits = PyErr_Occurred() == nullptr;
        PyErr_Clear();
      }
    }
  }
  if (!fits)
    raise(PyExc_ValueError,
          by.place + ": " + nb::str(whole).c_str() + " does not fit in " + by.parameter.text());
  put(number);
}

void given_argument::take_floating(nb::handle x, const expected_argument& by) {
  const bool is_complex =
      nb::hasattr(x, "dtype") && nb::cast<std::string>(x.attr("dtype").attr("kind")) == "c";
  const bool is_number = PyFloat_Check(x.ptr()) || PyIndex_Check(x.ptr()) || nb::hasattr(x, "__float__");
  if (is_complex || !is_number) refuse(by, x);
  const nb::object value = nb::steal(PyNumber_Float(x.ptr()));
  if (!value.is_valid()) throw nb::python_error();
  const double number = PyFloat_AsDouble(value.ptr());
  if (by.parameter.type == number::f32) {
    put(static_cast<float>(number));
  } else {
    put(number);
  }
}

void given_argument::take_half(nb::handle x, const expected_argument& by) {
  take_floating(x, by);
  take_bytes(python().asarray(x).attr("astype")("f2"), by);
}

void given_argument::take_bytes(nb::handle x, const expected_argument& by) {
  const kernel_parameter& wanted = by.parameter;
  if (wanted.components > 1 && (PyTuple_Check(x.ptr()) || PyList_Check(x.ptr())))
    return take_components(x, by);
  if (PyComplex_CheckExact(x.ptr()) && wanted.is_known) {
    const std::complex<double> value{PyComplex_RealAsDouble(x.ptr()), PyComplex_ImagAsDouble(x.ptr())};
    if (wanted.size == sizeof(std::complex<float>))
      return put(static_cast<std::complex<float>>(value), number::other);
    if (wanted.size == sizeof value) return put(value, number::other);
  }
  Py_buffer buffer;
  if (!PyObject_CheckBuffer(x.ptr())) {
    refuse(
        by, x,
        wanted.is_known
            ? ""
            : ": the type of the parameter is not known, so pass a scalar of NumPy's, as numpy.float32(2)");
  }
  if (PyObject_GetBuffer(x.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) throw nb::python_error();
  const element_format format = format_of(buffer);
  const bool is_usable = PyBuffer_IsContiguous(&buffer, 'C') && format.is_native;
  if (is_usable) {
    const auto* const first = static_cast<const std::byte*>(buffer.buf);
    value_.assign(first, first + buffer.len);
    const bool is_number = buffer.len == buffer.itemsize && wanted.components == 1;
    is_ = {value_.data(), value_.size(), false, false, {}, is_number ? format.type : number::other};
  }
  PyBuffer_Release(&buffer);
  if (!is_usable) refuse(by, x, ", whose bytes are not in a row, in the order of this machine");
}

void given_argument::take_components(nb::handle x, const expected_argument& by) {
  const kernel_parameter& wanted = by.parameter;
  if (nb::len(x) != wanted.components)
    raise(PyExc_ValueError, by.place + ": the kernel takes " + wanted.text() + ", and " +
                                std::to_string(nb::len(x)) + " numbers were given");
  take_bytes(python().array(x, nb::arg("dtype") = numpy_name(wanted.type)), by);
}

}  // namespace heddle::python
