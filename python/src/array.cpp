#include "array.hpp"

#include "operand.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#if HEDDLE_PYTHON_CUDA
#include <cuda_runtime_api.h>
#endif

namespace heddle::python {
namespace {

const device_array& array_in(nb::handle self) {
  return *nb::inst_ptr<device_array>(self);
}

nb::dlpack::dtype dlpack_type(dtype type) {
  return with_type(type, []<class T>(T) { return nb::dtype<T>(); });
}

template <class... Framework>
nb::ndarray<Framework...> shared(nb::handle self) {
  const device_array& x = array_in(self);
  return nb::ndarray<Framework...>(x.data, x.lengths.axes(), x.lengths.begin(), self, nullptr,
                                   dlpack_type(x.type),
                                   x.where.is_gpu() ? nb::device::cuda::value : nb::device::cpu::value,
                                   x.where.is_gpu() ? x.where.device() : 0, 'C');
}

std::string device_text(const target& where) {
  return where.is_gpu() ? where.text() : "cpu";
}

/// The target that a device of the array API, or a target, names.
target place_from(nb::handle device) {
  if (PyUnicode_Check(device.ptr()) && text_of(device) == "cpu") return {};
  const target where = target_from(device);
  if (where.is_automatic()) raise(PyExc_ValueError, "an array cannot live on \"auto\": name a target");
  return where;
}

bool is_same_place(const target& a, const target& b) {
  return a.is_gpu() == b.is_gpu() && (!a.is_gpu() || a.device() == b.device());
}

nb::object copy_on(const device_array& x, const target& where) {
  std::optional<any_array> copy;
  {
    const without_gil released(x.view().bytes(), where);
    copy.emplace(x.view().on(where));
  }
  return new_array(device_array(std::move(*copy)));
}

nb::object on_cpu(nb::handle self) {
  const device_array& x = array_in(self);
  return numpy_view(x.where.is_gpu() ? copy_on(x, target()) : nb::borrow(self));
}

nb::object item(nb::handle self) {
  const device_array& x = array_in(self);
  if (x.size() != 1) {
    raise(PyExc_TypeError, "only an array of one element is a number, not one of shape " + x.lengths.text());
  }
  return numpy_scalar(x.view()[0]).attr("item")();
}

nb::object array_as_numpy(nb::handle self, nb::handle type, nb::handle copy) {
  nb::object array = on_cpu(self);
  const bool is_copy = array_in(self).where.is_gpu();
  const bool converts = !type.is_none() && !array.attr("dtype").equal(python().dtype(type));
  if (copy.is(Py_False) && (is_copy || converts))
    raise(PyExc_ValueError, "the array cannot be had without a copy");
  if (converts) return array.attr("astype")(type);
  if (copy.is(Py_True) && !is_copy) return array.attr("copy")();
  return array;
}

/// Orders earlier work on an array before later work on the other side's stream, as DLPack numbers it: 1 or
/// None is the default one, 2 that of the thread, and -1 says that the order does not matter.
void put_in_order(const target& where, nb::handle stream) {
#if HEDDLE_PYTHON_CUDA
  const std::intptr_t wanted = stream.is_none() ? 1 : nb::cast<std::intptr_t>(stream);
  if (wanted == -1 || (wanted == 1 && where.stream() == nullptr)) return;
  const auto check = [](cudaError_t status) {
    if (status != cudaSuccess) raise(python().error, std::string("CUDA: ") + cudaGetErrorString(status));
  };
  const auto from = reinterpret_cast<cudaStream_t>(where.stream());
  const cudaStream_t to = wanted == 1   ? cudaStreamLegacy
                          : wanted == 2 ? cudaStreamPerThread
                                        : reinterpret_cast<cudaStream_t>(wanted);
  if (from == to) return;
  int before = 0;
  cudaEvent_t filled = nullptr;
  check(cudaGetDevice(&before));
  check(cudaSetDevice(where.device()));
  cudaError_t status = cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
  if (status == cudaSuccess) status = cudaEventRecord(filled, from);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(to, filled, 0);
  if (filled != nullptr) cudaEventDestroy(filled);
  cudaSetDevice(before);
  check(status);
#else
  static_cast<void>(where);
  static_cast<void>(stream);
#endif
}

nb::object dlpack(nb::handle self, nb::handle stream, nb::handle max_version, nb::handle dl_device,
                  nb::handle copy) {
  nb::object source = nb::borrow(self);
  const device_array& x = array_in(self);
  if (!dl_device.is_none()) {
    const auto kind = nb::cast<int>(dl_device[0]);
    const bool to_gpu = kind == nb::device::cuda::value;
    if (!to_gpu && kind != nb::device::cpu::value)
      raise(PyExc_BufferError, "dl_device is neither a CPU nor a GPU of CUDA's");
    const target where = to_gpu ? target::gpu(nb::cast<int>(dl_device[1])) : target();
    if (!is_same_place(where, x.where)) {
      if (copy.is(Py_False))
        raise(PyExc_BufferError, "the array is on " + x.where.text() + ", and copy is False");
      source = copy_on(x, where);
    }
  }
  if (copy.is(Py_True) && source.is(self)) source = copy_on(x, x.where);
  const device_array& exported = array_in(source);
  if (exported.read_only && max_version.is_none())
    raise(PyExc_BufferError, "the array is read-only, which DLPack before version 1 cannot say");
  if (exported.where.is_gpu()) put_in_order(exported.where, stream);
  const nb::object carrier = exported.read_only ? nb::cast(shared<nb::ro, nb::array_api>(source))
                                                : nb::cast(shared<nb::array_api>(source));
  return carrier.attr("__dlpack__")(nb::arg("max_version") = max_version);
}

nb::tuple dlpack_device(const device_array& x) {
  return x.where.is_gpu() ? nb::make_tuple(nb::device::cuda::value, x.where.device())
                          : nb::make_tuple(nb::device::cpu::value, 0);
}

nb::object cuda_interface(nb::handle self) {
  const device_array& x = array_in(self);
  if (!x.where.is_gpu()) raise(PyExc_AttributeError, "__cuda_array_interface__: the array is on the CPU");
  nb::dict interface;
  interface["shape"] = tuple_of(x.lengths);
  interface["typestr"] = numpy_dtype(x.type).attr("str");
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(x.data), x.read_only);
  interface["version"] = 3;
  interface["strides"] = nb::none();
  // 1 is the default stream.
  const auto stream = reinterpret_cast<std::uintptr_t>(x.where.stream());
  interface["stream"] = stream == 0 ? 1 : stream;
  return interface;
}

nb::object asarray(nb::handle x, nb::handle type, nb::handle where, nb::handle copy) {
  operand in(x);
  const bool is_array = nb::isinstance<device_array>(x);
  const target place = where.is_none() ? on_default_stream(in.where()) : place_from(where);
  const bool converts = !type.is_none() && dtype_from(type) != in.type();
  const bool moves = !is_same_place(place, in.where());
  if (copy.is(Py_False) && (converts || moves || in.is_copy()))
    raise(PyExc_ValueError, "the array cannot be had without a copy");
  if (converts) {
    const dtype wanted = dtype_from(type);
    {
      const without_gil released(in.bytes(), in.where());
      in.convert(wanted);
    }
    if (!moves) return new_array(device_array(std::move(*in.converted())));
  }
  if (moves || copy.is(Py_True)) return copy_on(device_array(in.view(), in.keeper(), true), place);
  if (is_array) return nb::borrow(x);
  if (in.converted()) return new_array(device_array(std::move(*in.converted())));
  device_array result(in.view(), in.keeper(), in.is_read_only());
  if (in.is_of_another_stream()) {
    // The stream may end before the array does.
    const without_gil released;
    in.where().wait();
    result.where = on_default_stream(in.where());
    result.reader = last_reader(result.where);
  }
  return new_array(std::move(result));
}

/// The same elements under another shape, in the same memory.
nb::object reshaped(nb::handle self, const nb::sequence& lengths) {
  const device_array& x = array_in(self);
  std::vector<std::size_t> all;
  for (const nb::handle length : lengths) all.push_back(nb::cast<std::size_t>(length));
  const shape wanted(all);
  if (wanted.elements() != x.size()) {
    raise(PyExc_ValueError, "reshape: " + x.lengths.text() + " has " + std::to_string(x.size()) +
                                " elements, and " + wanted.text() + " has " +
                                std::to_string(wanted.elements()));
  }
  return new_array(
      device_array(any_const_view(x.data, x.type, wanted, x.where), nb::borrow(self), x.read_only));
}

/// Methods of the array API, which heddle.array_api has in Python: what stands for each here brings them in
/// when the first one is used, and they take its place.
constexpr const char* standard_methods[] = {
    "__abs__",     "__add__",       "__and__",      "__array_namespace__",
    "__eq__",      "__floordiv__",  "__ge__",       "__getitem__",
    "__gt__",      "__iadd__",      "__iand__",     "__ifloordiv__",
    "__ilshift__", "__imatmul__",   "__imod__",     "__imul__",
    "__invert__",  "__ior__",       "__ipow__",     "__irshift__",
    "__isub__",    "__iter__",      "__itruediv__", "__ixor__",
    "__le__",      "__lshift__",    "__lt__",       "__matmul__",
    "__mod__",     "__mul__",       "__ne__",       "__neg__",
    "__or__",      "__pos__",       "__pow__",      "__radd__",
    "__rand__",    "__rfloordiv__", "__rlshift__",  "__rmatmul__",
    "__rmod__",    "__rmul__",      "__ror__",      "__rpow__",
    "__rrshift__", "__rshift__",    "__rsub__",     "__rtruediv__",
    "__rxor__",    "__setitem__",   "__sub__",      "__truediv__",
    "__xor__"};

void bring_in_standard_methods(nb::handle array_class) {
  nb::module_::import_("heddle.array_api._methods").attr("attach")(array_class);
}

void bind_standard(nb::class_<device_array>& array) {
  for (const char* const name : standard_methods) {
    array.def(name, [name](nb::handle self, const nb::args& rest, const nb::kwargs& words) {
      bring_in_standard_methods(self.type());
      return nb::object(self.attr(name)(*rest, **words));
    });
  }
  for (const char* const name : {"T", "mT"}) {
    array.def_prop_ro(name, [name](nb::handle self) {
      bring_in_standard_methods(self.type());
      return nb::object(self.attr(name));
    });
  }
  // Elements change, and == compares them one by one.
  array.attr("__hash__") = nb::none();
  // NumPy's arrays leave operators between both to this class.
  array.attr("__array_priority__") = 1000.0;
}

std::string representation(nb::handle self) {
  const device_array& x = array_in(self);
  const std::string head = "heddle.Array(";
  const nb::object numbers =
      python().array2string(on_cpu(self), nb::arg("separator") = ", ", nb::arg("prefix") = head);
  return head + nb::cast<std::string>(numbers) + ", dtype=" + name(x.type) + ", device='" +
         device_text(x.where) + "')";
}

/// Objects of the owner may refer to the array: Python's collector of cycles sees it and breaks it.
int visit_owner(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(array_in(self).owner.ptr());
  return 0;
}

int drop_owner(PyObject* self) {
  device_array& x = *nb::inst_ptr<device_array>(self);
  if (!x.owner.is_valid()) return 0;
  // Who sees the array still finds it empty.
  x.reader.wait();
  x.lengths = shape{0};
  x.data = nullptr;
  x.owner.reset();
  return 0;
}

PyType_Slot slots_of_array[] = {{Py_tp_traverse, reinterpret_cast<void*>(&visit_owner)},
                                {Py_tp_clear, reinterpret_cast<void*>(&drop_owner)},
                                {0, nullptr}};

}  // namespace

nb::object new_array(device_array&& x) {
  return nb::cast(std::move(x));
}

nb::object numpy_view(nb::handle array) {
  return array_in(array).read_only ? nb::cast(shared<nb::ro, nb::numpy>(array))
                                   : nb::cast(shared<nb::numpy>(array));
}

/// An array of one element as a number of Python's.
static void bind_number(nb::class_<device_array>& array) {
  array.def("__float__", [](nb::handle self) { return nb::steal(PyNumber_Float(item(self).ptr())); })
      .def("__int__", [](nb::handle self) { return nb::steal(PyNumber_Long(item(self).ptr())); })
      .def("__index__", [](nb::handle self) { return nb::steal(PyNumber_Index(item(self).ptr())); })
      .def("__format__",
           [](nb::handle self, const nb::str& how) {
             const bool is_number = nb::cast<nb::tuple>(self.attr("shape")).size() == 0;
             if (!is_number && nb::len(how) != 0)
               raise(PyExc_TypeError, "only an array without axes is formatted as a number");
             const nb::object shown = is_number ? item(self) : nb::object(nb::str(self));
             return nb::steal(PyObject_Format(shown.ptr(), how.ptr()));
           })
      .def("__complex__",
           [](nb::handle self) {
             return nb::handle(reinterpret_cast<PyObject*>(&PyComplex_Type))(item(self));
           })
      .def("__bool__", [](nb::handle self) { return nb::cast<bool>(nb::bool_(item(self))); });
}

new_numpy_array::new_numpy_array(dtype type, const shape& lengths)
    : object(python().empty(tuple_of(lengths), numpy_dtype(type))) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_SIMPLE) != 0) throw nb::python_error();
  data = buffer.buf;
  PyBuffer_Release(&buffer);
}

nb::object result_of(any_array&& x, bool as_array, std::optional<dtype> as) {
  if (!as_array && x.where().is_gpu()) {
    const without_gil released;
    x = x.on(target());
  }
  if (!as_array && x.shape().axes() == 0) {
    const any_value value = x.front();
    return numpy_scalar(as ? any_value(*as, value.data()) : value);
  }
  // A new array of NumPy's is made sooner than one that shares the memory.
  if (!as_array && x.bytes() <= 4096) {
    const new_numpy_array copy(as ? *as : x.dtype(), x.shape());
    std::memcpy(copy.data, x.data(), x.bytes());
    return copy.object;
  }
  device_array array(std::move(x));
  if (as) array.type = *as;
  const nb::object result = new_array(std::move(array));
  return as_array ? result : numpy_view(result);
}

void bind_array(nb::module_& m) {
  nb::class_<device_array> array(m, "Array", nb::type_slots(slots_of_array),
                                 R"(Elements of one type on a target, contiguous in C order.

Functions of Heddle return it where an argument is one, or is an array on a GPU; heddle.asarray makes it. NumPy,
and whatever takes DLPack or __cuda_array_interface__, reads it without a copy. It is an array of the array API
standard, whose functions are in heddle.array_api.

>>> import heddle, numpy
>>> x = heddle.asarray(numpy.arange(4.0))
>>> x.shape, x.dtype, x.device
((4,), dtype('float64'), 'cpu')
>>> float(heddle.sum(x))
6.0
>>> (x * 2 + 1)[1:]
heddle.Array([3., 5., 7.], dtype=float64, device='cpu')
)");
  array
      .def_prop_ro(
          "shape", [](const device_array& x) { return tuple_of(x.lengths); }, "The lengths of the axes.")
      .def_prop_ro(
          "dtype", [](const device_array& x) { return nb::borrow(numpy_dtype(x.type)); },
          "The type of the elements, as NumPy's dtype.")
      .def_prop_ro(
          "ndim", [](const device_array& x) { return x.lengths.axes(); }, "How many axes there are.")
      .def_prop_ro("size", &device_array::size, "How many elements there are.")
      .def_prop_ro(
          "nbytes", [](const device_array& x) { return x.view().bytes(); }, "Bytes of all elements.")
      .def_prop_ro(
          "target", [](const device_array& x) { return x.where; }, "The heddle.Target where they are.")
      .def_prop_ro(
          "device", [](const device_array& x) { return device_text(x.where); },
          "\"cpu\", or \"gpu:0\" and so on.")
      .def(
          "on", [](nb::handle self, nb::handle where) { return copy_on(array_in(self), place_from(where)); },
          nb::arg("target"), "A copy on a target. MemoryError where it has no room.")
      .def(
          "to_device",
          [](nb::handle self, nb::handle device, nb::handle) {
            const target where = place_from(device);
            return is_same_place(where, array_in(self).where) ? nb::borrow(self)
                                                              : copy_on(array_in(self), where);
          },
          nb::arg("device"), nb::kw_only(), nb::arg("stream") = nb::none(),
          "The array on \"cpu\", \"gpu:0\" or a target: itself where it is there already, and else a copy.")
      .def("item", &item,
           "The only element, as a number of Python's. TypeError where there are more or none.")
      .def(
          "wait", [](const device_array& x) { x.where.wait(); }, nb::call_guard<without_gil>(),
          "Returns once the work that fills the elements has finished.")
      .def("__array__", &array_as_numpy, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack__", &dlpack, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
           nb::arg("copy") = nb::none())
      .def("__dlpack_device__", &dlpack_device)
      .def_prop_ro("__cuda_array_interface__", &cuda_interface)
      .def("__len__",
           [](const device_array& x) {
             if (x.lengths.axes() == 0) raise(PyExc_TypeError, "an array without axes has no length");
             return x.lengths[0];
           })
      .def("__repr__", &representation)
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(nb::module_::import_("heddle._arrays").attr("restored"),
                              nb::make_tuple(on_cpu(self), device_text(array_in(self).where)));
      });
  bind_number(array);
  bind_standard(array);
  const auto none = nb::arg().none();
  m.def("asarray", &asarray, none, none, none, none);
  m.def("reshaped", &reshaped);
}

}  // namespace heddle::python
