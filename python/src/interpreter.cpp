#include "interpreter.hpp"

#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <complex>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <cxxabi.h>
#include <unistd.h>

namespace heddle::python {
namespace {

std::atomic<const interpreter*> used = nullptr;
std::atomic<PyInterpreterState*> used_by = nullptr;

/// Set and read under the GIL; never destroyed, as the interpreter may end before static objects do.
nb::object& called_at_checks() {
  constinit static made_once<nb::object*> function;
  return *function.get([] { return new nb::object; });
}
std::atomic<bool> is_called_at_checks = false;

/// The class of Python's for an error of the library, by what its text says.
PyObject* class_of(std::string_view text) {
  const auto says = [&](std::string_view words) { return text.find(words) != text.npos; };
  if (says("out of memory")) return PyExc_MemoryError;
  if (says("does not exist in shape")) return python().axis_error.ptr();
  if (text.starts_with("target \"")) return PyExc_ValueError;
  for (const char* const words :
       {"is not defined on", "have no order", ": the type is ", "is not associative", ": the kernel takes "})
    if (says(words)) return PyExc_TypeError;
  for (const char* const words :
       {"CUDA", "GPU", "NVRTC", "compile", "cannot be loaded", "assertion '", "called __trap()",
        "wait for one another", "of the parent process was", "MPI cannot be used"})
    if (says(words)) return python().error.ptr();
  return PyExc_ValueError;
}

/// OSError, of the class that the number of the error makes it, for a file that cannot be opened or written.
bool set_error_of_file(std::string_view text) {
  const auto set = [](int number, std::string_view reason, std::string_view path) {
    const nb::object name =
        nb::steal(PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
    const nb::object error = nb::handle(PyExc_OSError)(number, nb::str(reason.data(), reason.size()), name);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    return true;
  };
  constexpr std::string_view folder = "is a folder, where a file is needed";
  if (text.ends_with(folder)) return set(EISDIR, folder, text.substr(0, text.size() - folder.size() - 2));
  for (const std::string_view what :
       {": cannot open: ", ": cannot write: ", ": cannot write to its folder: ", ": cannot read: "}) {
    const std::size_t at = text.find(what);
    if (at == text.npos) continue;
    const std::string_view reason = text.substr(at + what.size());
    constexpr int numbers = 134;
    for (int number = 1; number < numbers; ++number)
      if (reason == std::strerror(number)) return set(number, reason, text.substr(0, at));
  }
  return false;
}

/// The text as Python's, also where a message shows a part of a character.
void set_error(nb::handle type, std::string_view text) {
  const nb::object shown =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (shown.is_valid()) PyErr_SetObject(type.ptr(), shown.ptr());
}

}  // namespace

const interpreter& python() {
  return *used.load(std::memory_order_acquire);
}

void use(nb::handle numpy, nb::handle error, nb::handle target_variable) {
  PyInterpreterState* first = nullptr;
  if (!used_by.compare_exchange_strong(first, PyInterpreterState_Get()) && first != PyInterpreterState_Get())
    raise(PyExc_ImportError, "heddle is in use by another interpreter of this process, and takes one only");
  // Never destroyed: what it refers to may be gone before static objects are.
  auto* const found = new interpreter;
  found->error = nb::borrow(error);
  found->axis_error = nb::hasattr(numpy, "exceptions")
                          ? nb::object(numpy.attr("exceptions").attr("AxisError"))
                          : nb::object(numpy.attr("AxisError"));
  found->ndarray = numpy.attr("ndarray");
  found->generic = numpy.attr("generic");
  found->array = numpy.attr("array");
  found->asarray = numpy.attr("asarray");
  found->copyto = numpy.attr("copyto");
  found->empty = numpy.attr("empty");
  found->from_dlpack = numpy.attr("from_dlpack");
  found->moveaxis = numpy.attr("moveaxis");
  found->dtype = numpy.attr("dtype");
  found->can_cast = numpy.attr("can_cast");
  found->promote_types = numpy.attr("promote_types");
  found->array2string = numpy.attr("array2string");
  for (int i = 0; i < 13; ++i) {
    found->dtypes[i] = found->dtype(name(static_cast<dtype>(i)));
    found->scalars[i] = found->dtypes[i].attr("type");
  }
  found->enclosing_target = target_variable.attr("get");
  used.store(found, std::memory_order_release);
}

without_gil::~without_gil() {
  if (released_ == nullptr) return;
  try {
    PyEval_RestoreThread(released_);
  } catch (const abi::__forced_unwind&) {
    // Python before 3.14 ends a daemon thread so when the interpreter has ended. Later ones let it wait.
    while (true) pause();
  }
}

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const heddle::error& e) {
      // Ctrl-C ends a compiler too, which is not what is to be told.
      if (PyErr_CheckSignals() != 0) return;
      if (!set_error_of_file(e.what())) set_error(class_of(e.what()), e.what());
    }
  });
}

void raise(nb::handle type, const std::string& message) {
  set_error(type, message);
  throw nb::python_error();
}

void check_signals() {
  // Handlers run on the main thread alone. Others must not take the GIL here: Python unwinds a thread that
  // does so while the interpreter ends, which patterns do not outlive.
  if (gettid() != getpid()) return;
  const nb::gil_scoped_acquire held;
  if (is_called_at_checks) called_at_checks()();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

std::chrono::nanoseconds between_checks() noexcept {
  return std::chrono::milliseconds(is_called_at_checks ? 0 : 50);
}

void call_at_checks(nb::object function) {
  is_called_at_checks = !function.is_none();
  called_at_checks() = std::move(function);
}

nb::handle numpy_dtype(dtype type) {
  return python().dtypes[static_cast<int>(type)];
}

dtype dtype_from(nb::handle what) {
  const interpreter& py = python();
  for (int i = 0; i < 13; ++i)
    if (what.is(py.dtypes[i]) || what.is(py.scalars[i])) return static_cast<dtype>(i);
  const nb::object found = py.dtype(what).attr("newbyteorder")("=");
  for (int i = 0; i < 13; ++i)
    if (found.equal(py.dtypes[i])) return static_cast<dtype>(i);
  raise(
      PyExc_TypeError,
      std::string(nb::str(found).c_str()) +
          " is no element type of Heddle, which are bool, int8 to int64, uint8 to uint64, float32, float64, "
          "complex64 and complex128: convert the array with astype");
}

nb::object numpy_scalar(const any_value& value) {
  const nb::object number = with_type(value.dtype(), [&]<class T>(T) -> nb::object {
    const T element = value.as<T>();
    if constexpr (std::is_same_v<T, bool>) {
      return nb::bool_(element);
    } else if constexpr (is_complex<T>) {
      return nb::steal(PyComplex_FromDoubles(element.real(), element.imag()));
    } else if constexpr (std::is_floating_point_v<T>) {
      return nb::steal(PyFloat_FromDouble(element));
    } else if constexpr (std::is_signed_v<T>) {
      return nb::steal(PyLong_FromLongLong(element));
    } else {
      return nb::steal(PyLong_FromUnsignedLongLong(element));
    }
  });
  return python().scalars[static_cast<int>(value.dtype())](number);
}

any_value value_from(nb::handle number, dtype type) {
  const nb::object element = python().asarray(number, numpy_dtype(type));
  if (nb::cast<std::size_t>(element.attr("size")) != 1)
    raise(PyExc_ValueError, "the initial value is one number");
  Py_buffer bytes;
  if (PyObject_GetBuffer(element.ptr(), &bytes, PyBUF_SIMPLE) != 0) throw nb::python_error();
  const any_value value(type, bytes.buf);
  PyBuffer_Release(&bytes);
  return value;
}

std::string text_of(nb::handle text) {
  Py_ssize_t bytes = 0;
  const char* const first = PyUnicode_AsUTF8AndSize(text.ptr(), &bytes);
  if (first == nullptr) throw nb::python_error();
  return {first, static_cast<std::size_t>(bytes)};
}

nb::object tuple_of(const shape& lengths) {
  const nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(lengths.axes())));
  if (!all.is_valid()) throw nb::python_error();
  for (std::size_t k = 0; k < lengths.axes(); ++k) {
    PyObject* const length = PyLong_FromSize_t(lengths[k]);
    if (length == nullptr) throw nb::python_error();
    PyTuple_SetItem(all.ptr(), static_cast<Py_ssize_t>(k), length);
  }
  return all;
}

}  // namespace heddle::python
