#pragma once

#include <heddle/any_array.hpp>
#include <heddle/interruption.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

/// Access to Python and NumPy that the bindings share.
namespace heddle::python {

namespace nb = nanobind;

/// Objects of NumPy and of heddle's own Python, looked up once, when the package is imported.
struct [[gnu::visibility("hidden")]] interpreter {
  nb::object error, axis_error, ndarray, generic;
  nb::object array, asarray, copyto, empty, from_dlpack, moveaxis, dtype, can_cast, promote_types,
      array2string;
  nb::object dtypes[13], scalars[13];
  nb::object enclosing_target;  ///< `get` of the contextvars.ContextVar of `with heddle.target(…)`
};
const interpreter& python();
void use(nb::handle numpy, nb::handle error, nb::handle target_variable);

/// Sets the Python exception for what the library throws.
void translate_errors();

[[noreturn]] void raise(nb::handle type, const std::string& message);

nb::handle numpy_dtype(dtype type);
/// The element type that a dtype, or what numpy.dtype takes, stands for.
dtype dtype_from(nb::handle what);
/// The value as NumPy's scalar of its type.
nb::object numpy_scalar(const any_value& value);
/// A Python number, or a scalar of NumPy, as an element of that type, with NumPy's errors where it is none.
any_value value_from(nb::handle number, dtype type);
nb::object tuple_of(const shape& lengths);
/// A text of Python's; UnicodeEncodeError for one that is no Unicode.
std::string text_of(nb::handle text);

/// Runs Python's handlers of the signals that have come, where the calling thread is the main one, and throws
/// what they raise: KeyboardInterrupt after Ctrl-C. Takes the GIL.
void check_signals();
/// The least time between two of these.
std::chrono::nanoseconds between_checks() noexcept;
/// Tests choose by it the moment of a signal: `function` is called at every place where the work of the main
/// thread can be interrupted, without regard to time. None ends that.
void call_at_checks(nb::object function);

/// Releases the GIL while it lives; where a call on so many bytes is worth it, which takes more than some
/// microseconds. What the library does meanwhile is interrupted by what a handler of a signal raises.
class without_gil {
 public:
  without_gil() { release(); }
  without_gil(std::size_t bytes, const target& where) {
    if (bytes > (std::size_t{1} << 15) || where.is_gpu()) release();
  }
  ~without_gil();
  without_gil(const without_gil&) = delete;
  without_gil& operator=(const without_gil&) = delete;

 private:
  static constexpr auto ask = [] { check_signals(); };
  void release() {
    released_ = PyEval_SaveThread();
    interrupts_.emplace(ask, between_checks());
  }

  PyThreadState* released_ = nullptr;
  std::optional<interruptible> interrupts_;
};

}  // namespace heddle::python
