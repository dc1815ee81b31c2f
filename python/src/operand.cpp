#include "operand.hpp"

#include "strided.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
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

/// The type of a buffer's elements; none where Heddle has no such type, or their bytes are swapped.
std::optional<dtype> type_of(const Py_buffer& buffer) {
  const char* format = buffer.format == nullptr ? "B" : buffer.format;
  constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
  if (*format == '@' || *format == '=' || *format == native) ++format;
  const bool complex = *format == 'Z';
  if (complex) ++format;
  if (format[0] == 0 || format[1] != 0) return {};
  const auto bytes = buffer.itemsize;
  const auto of_size = [&](dtype one, dtype two, dtype four, dtype eight) -> std::optional<dtype> {
    return bytes == 1   ? std::optional(one)
           : bytes == 2 ? std::optional(two)
           : bytes == 4 ? std::optional(four)
           : bytes == 8 ? std::optional(eight)
                        : std::nullopt;
  };
  switch (*format) {
    case '?':
      return bytes == 1 ? std::optional(dtype::boolean) : std::nullopt;
    case 'f':
      return complex ? dtype::complex64 : dtype::float32;
    case 'd':
      return complex ? dtype::complex128 : dtype::float64;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return of_size(dtype::int8, dtype::int16, dtype::int32, dtype::int64);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return of_size(dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64);
    default:
      return {};
  }
}

shape shape_of(const Py_ssize_t* lengths, int axes) {
  static_assert(sizeof(Py_ssize_t) == sizeof(std::size_t));
  return shape(std::span(reinterpret_cast<const std::size_t*>(lengths), static_cast<std::size_t>(axes)));
}

bool is_aligned(const void* data, dtype type) {
  return reinterpret_cast<std::uintptr_t>(data) % std::min<std::size_t>(size_of(type), 8) == 0;
}

/// Whether elements of these strides, in elements, are contiguous in C order; null is that they are.
bool is_contiguous(const shape& lengths, const std::int64_t* strides) {
  if (strides == nullptr || lengths.elements() == 0) return true;
  std::int64_t stride = 1;
  for (std::size_t k = lengths.axes(); k-- > 0;) {
    if (lengths[k] != 1 && strides[k] != stride) return false;
    stride *= static_cast<std::int64_t>(lengths[k]);
  }
  return true;
}

std::optional<dtype> type_of(nb::dlpack::dtype type) {
  if (type.lanes != 1) return {};
  for (int i = 0; i < 13; ++i) {
    const auto candidate = static_cast<dtype>(i);
    const auto code = with_type(candidate, []<class T>(T) { return nb::dtype<T>(); });
    if (code == type) return candidate;
  }
  return {};
}

bool is_of_numpy(nb::handle x) {
  if (x.type().is(python().ndarray)) return true;
  const int found = PyObject_IsInstance(x.ptr(), python().ndarray.ptr());
  return found > 0 || (found == 0 && PyObject_IsInstance(x.ptr(), python().generic.ptr()) > 0);
}

bool overlaps(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const std::less<const void*> before;
  return before(a, static_cast<const std::byte*>(b) + b_bytes) &&
         before(b, static_cast<const std::byte*>(a) + a_bytes);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ operands

operand::operand(nb::handle x, order may_be) {
  if (take_array(x) || (is_of_numpy(x) ? take_buffer(x, may_be) : take_others(x, may_be))) return;
  const nb::object array = python().asarray(x);
  if (take_buffer(array)) return;
  // Strides, bytes that are swapped, or a type that Heddle does not have, which is an error.
  take_copy(array, dtype_from(array.attr("dtype")));
}

/// Some classes for arrays on a GPU have a buffer too, which an array there refuses.
bool operand::take_others(nb::handle x, order may_be) {
  if (PyObject_CheckBuffer(x.ptr())) return take_cuda(x) || take_buffer(x, may_be) || take_dlpack(x);
  return take_dlpack(x) || take_cuda(x);
}

operand::~operand() {
  if (waits_) {
    const without_gil released;
    where_.wait();
  }
  release();
}

void operand::release() {
  if (buffer_) PyBuffer_Release(&*buffer_);
  buffer_.reset();
}

nb::object operand::keeper() const {
  return buffer_ ? nb::borrow(buffer_->obj) : held_;
}

bool operand::take_array(nb::handle x) {
  if (!nb::isinstance<device_array>(x)) return false;
  const device_array* const array = nb::inst_ptr<device_array>(x);
  held_ = nb::borrow(x);
  data_ = array->data;
  type_ = array->type;
  lengths_ = array->lengths;
  where_ = array->where;
  read_only_ = array->read_only;
  gives_array_ = true;
  return true;
}

bool operand::take_buffer(nb::handle x, order may_be) {
  if (!PyObject_CheckBuffer(x.ptr())) return false;
  if (!x.type().is(python().ndarray) && nb::hasattr(x, "mask"))
    raise(PyExc_TypeError, "masked arrays are not supported: fill what is masked");
  Py_buffer buffer;
  if (PyObject_GetBuffer(x.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  const std::optional<dtype> type = type_of(buffer);
  const bool in_c_order = PyBuffer_IsContiguous(&buffer, 'C') != 0;
  reversed_ = !in_c_order && may_be == order::any && PyBuffer_IsContiguous(&buffer, 'F') != 0;
  if (!type || !(in_c_order || reversed_) || !is_aligned(buffer.buf, *type)) {
    reversed_ = false;
    PyBuffer_Release(&buffer);
    return false;
  }
  buffer_ = buffer;
  data_ = buffer.buf;
  type_ = *type;
  lengths_ = shape_of(buffer.shape, buffer.ndim);
  read_only_ = buffer.readonly != 0;
  return true;
}

void operand::take_copy(nb::handle numpy_array, dtype type) {
  const nb::object copy =
      python().array(numpy_array, nb::arg("dtype") = numpy_dtype(type), nb::arg("order") = "C");
  if (!take_buffer(copy)) raise(PyExc_TypeError, "NumPy makes no array of numbers of this argument");
  is_copy_ = true;
}

/// Of version 1, which tells what is read-only, where the maker of the array knows it. What fills the array
/// is in order with `stream`. The maker's errors are the caller's: it refuses what its memory alone does not
/// say, as PyTorch does a conjugate or a gradient.
static nb::object dlpack_capsule(nb::handle x, nb::handle stream) {
  const nb::object dlpack = x.attr("__dlpack__");
  try {
    return dlpack(nb::arg("max_version") = nb::make_tuple(1, 0), nb::arg("stream") = stream);
  } catch (const nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
  }
  return dlpack(nb::arg("stream") = stream);
}

/// DLPack's number of the kind of device. PyTorch has tensors on devices that are none.
static int dlpack_device_kind(nb::handle x) {
  try {
    return nb::cast<int>(nb::object(x.attr("__dlpack_device__")())[0]);
  } catch (const nb::python_error& e) {
    if (!e.matches(PyExc_ValueError)) throw;
    raise(PyExc_BufferError, std::string("the array is where DLPack does not reach: ") + e.what());
  }
}

/// The stream on which PyTorch works now with the GPU of a tensor.
static std::uintptr_t stream_of_torch(nb::handle device) {
  const nb::object stream = nb::module_::import_("torch").attr("cuda").attr("current_stream")(device);
  return nb::cast<std::uintptr_t>(stream.attr("cuda_stream"));
}

bool operand::take_dlpack(nb::handle x) {
  if (!nb::hasattr(x, "__dlpack__")) return false;
  const bool is_torch = nb::hasattr(x, "is_neg");
  if (is_torch && nb::cast<bool>(x.attr("is_neg")()))
    raise(PyExc_BufferError,
          "the tensor is negated lazily, so that its memory has other numbers: resolve_neg() first");
  // Work on a tensor, and freeing it, is in order with the stream of its maker; others are asked for the
  // default one.
  constexpr std::uintptr_t default_stream = 1;
  std::uintptr_t stream = 0;
  const bool is_of_cuda = dlpack_device_kind(x) == nb::device::cuda::value;
  if (is_of_cuda && is_torch) stream = stream_of_torch(x.attr("device"));
  const nb::object capsule = dlpack_capsule(
      x, is_of_cuda ? nb::object(nb::int_(stream == 0 ? default_stream : stream)) : nb::none());
  nb::ndarray<> writable;
  nb::ndarray<nb::ro> array;
  read_only_ = !nb::try_cast(capsule, writable);
  if (!read_only_) {
    array = nb::ndarray<nb::ro>(writable);
  } else if (!nb::try_cast(capsule, array)) {
    raise(PyExc_TypeError, "the array cannot be had by DLPack");
  }
  const std::optional<dtype> type = type_of(array.dtype());
  if (!type) raise(PyExc_TypeError, "the elements have a type that Heddle does not have: convert the array");
  const int device = array.device_type();
  const bool on_gpu = device == nb::device::cuda::value || device == nb::device::cuda_managed::value;
  if (!on_gpu && device != nb::device::cpu::value && device != nb::device::cuda_host::value) {
    raise(PyExc_TypeError, "the array is on a device that is neither a CPU nor a GPU of CUDA's");
  }
  const std::vector<std::size_t> lengths(array.shape_ptr(), array.shape_ptr() + array.ndim());
  lengths_ = shape(lengths);
  type_ = *type;
  gives_array_ = true;
  held_ = nb::cast(nb::ndarray<nb::ro, nb::array_api>(array), nb::rv_policy::reference);
  if (on_gpu) where_ = target::gpu(array.device_id(), reinterpret_cast<gpu_stream>(stream));
  waits_ = on_gpu && !is_torch;
  if (!is_contiguous(lengths_, array.stride_ptr())) {
    if (on_gpu) {
      take_gathered(array.data(), lengths_, {array.stride_ptr(), array.stride_ptr() + array.ndim()});
    } else {
      take_copy(python().from_dlpack(x), *type);
    }
    return true;
  }
  data_ = array.data();
  return true;
}

bool operand::take_cuda(nb::handle x) {
  if (!nb::hasattr(x, "__cuda_array_interface__")) return false;
#if HEDDLE_PYTHON_CUDA
  const nb::dict interface = nb::borrow<nb::dict>(x.attr("__cuda_array_interface__"));
  if (!interface.contains("stream") && nb::hasattr(x, "__dlpack__")) return false;
  const auto given = [&](const char* key) { return interface.contains(key) && !interface[key].is_none(); };
  if (given("mask")) raise(PyExc_TypeError, "masked arrays are not supported: fill what is masked");
  type_ = dtype_from(interface["typestr"]);
  const nb::object lengths = interface["shape"];
  std::vector<std::size_t> all;
  for (const nb::handle length : lengths) all.push_back(nb::cast<std::size_t>(length));
  lengths_ = shape(all);
  strides apart;
  if (given("strides")) {
    for (const nb::handle stride : nb::object(interface["strides"])) {
      const auto bytes = nb::cast<std::int64_t>(stride);
      const auto element = static_cast<std::int64_t>(size_of(type_));
      if (bytes % element != 0)
        raise(PyExc_ValueError, "the strides of the array are no multiples of its elements: copy it first");
      apart.push_back(bytes / element);
    }
  }
  data_ = reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(interface["data"][0]));
  read_only_ = nb::cast<bool>(interface["data"][1]);
  cudaPointerAttributes attributes = {};
  if (data_ != nullptr && cudaPointerGetAttributes(&attributes, data_) != cudaSuccess)
    raise(python().error, "CUDA does not know the memory of the array");
  auto stream = given("stream") ? nb::cast<std::uintptr_t>(interface["stream"]) : 0;
  if (stream == 1) stream = 0;  // the default one
  where_ = target::gpu(std::max(attributes.device, 0), reinterpret_cast<gpu_stream>(stream));
  held_ = nb::borrow(x);
  gives_array_ = true;
  if (!apart.empty() && !is_contiguous(lengths_, apart.data())) take_gathered(data_, lengths_, apart);
  return true;
#else
  raise(python().error, "the array is on a GPU, and this build of Heddle has no GPU support");
#endif
}

void operand::put_in_c_order() {
  if (!reversed_) return;
  reversed_ = false;
  const nb::object array = keeper();
  release();
  take_copy(array, type_);
}

void operand::convert(dtype type) {
  if (type == type_) return;
  const bool is_elsewhere = leave_stream();
  any_array converted = converted_in_place(view(), type);
  if (is_elsewhere) where_.wait();
  converted_.emplace(std::move(converted));
  data_ = converted_->data();
  type_ = type;
  where_ = converted_->where();
}

void operand::move_to_end(const std::size_t* axes, std::size_t count) {
  const bool gives_array = gives_array_;
  if (where_.is_gpu()) {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < lengths_.axes(); ++k)
      if (std::find(axes, axes + count, k) == axes + count) order.push_back(k);
    order.insert(order.end(), axes, axes + count);
    const strides own = contiguous_strides(lengths_);
    std::vector<std::size_t> lengths;
    strides apart;
    for (const std::size_t k : order) {
      lengths.push_back(lengths_[k]);
      apart.push_back(own[k]);
    }
    take_gathered(data_, shape(lengths), apart);
    return;
  }
  nb::list from, to;
  for (std::size_t i = 0; i < count; ++i) {
    from.append(axes[i]);
    to.append(lengths_.axes() - count + i);
  }
  const nb::object moved =
      python().moveaxis(numpy_view(new_array(device_array(view(), keeper(), true))), from, to);
  release();
  take_copy(moved, type_);
  gives_array_ = gives_array;
}

/// Waits for what fills elements on another stream than the default one, and takes them for the latter's.
/// Says whether it did: their owner may then free them in no order with it.
bool operand::leave_stream() {
  const target home = on_default_stream(where_);
  if (home == where_) return false;
  where_.wait();
  where_ = home;
  return true;
}

void operand::take_gathered(const void* first, const shape& lengths, const strides& apart) {
  any_array gathered_here = [&] {
    const without_gil released;
    const bool is_elsewhere = leave_stream();
    any_array result = gathered(first, type_, where_, lengths, apart);
    if (is_elsewhere) where_.wait();
    return result;
  }();
  converted_.emplace(std::move(gathered_here));
  data_ = converted_->data();
  lengths_ = lengths;
  is_copy_ = true;
}

// ------------------------------------------------------------------------------------------------ outputs

void require_array_as_output(nb::handle out) {
  if (nb::isinstance<device_array>(out) || nb::isinstance(out, python().ndarray)) return;
  raise(PyExc_TypeError,
        std::string("out is a ") + nb::inst_name(out).c_str() + ": give a numpy.ndarray or a heddle.Array");
}

output::output(nb::handle out, bool as_array, dtype type, const shape& lengths, const target& where,
               const operand& in, bool in_place, const operand* other)
    : type_(type), lengths_(lengths), as_array_(as_array) {
  if (!out.is_none()) {
    is_new_ = false;
    out_ = nb::borrow(out);
    if (write_to(out, in, in_place, other)) return;
    own_.emplace(type, lengths, target());
    data_ = own_->data();
    return;
  }
  if (as_array) {
    own_.emplace(type, lengths, where);
    data_ = own_->data();
    place_ = own_->where();
    return;
  }
  const new_numpy_array made(type, lengths);
  out_ = made.object;
  data_ = made.data;
}

/// Whether the elements can go right into `out`; throws where they do not fit it.
bool output::write_to(nb::handle out, const operand& in, bool in_place, const operand* other) {
  require_array_as_output(out);
  const bool is_array = nb::isinstance<device_array>(out);
  const device_array* const array = is_array ? nb::inst_ptr<device_array>(out) : nullptr;
  shape have;
  bool read_only;
  if (is_array) {
    have = array->lengths;
    read_only = array->read_only;
  } else {
    std::vector<std::size_t> all;
    for (const nb::handle length : nb::object(out.attr("shape")))
      all.push_back(nb::cast<std::size_t>(length));
    have = shape(all);
    read_only = !nb::cast<bool>(out.attr("flags").attr("writeable"));
  }
  if (!(have == lengths_))
    raise(PyExc_ValueError, "out has shape " + have.text() + ", where the result has " + lengths_.text());
  if (read_only) raise(PyExc_ValueError, "out is read-only");
  const nb::object out_type = is_array ? nb::borrow(numpy_dtype(array->type)) : nb::object(out.attr("dtype"));
  if (!nb::cast<bool>(python().can_cast(numpy_dtype(type_), out_type, "same_kind"))) {
    raise(PyExc_TypeError, std::string("out is ") + nb::str(out_type).c_str() + ", which a result of " +
                               name(type_) + " is not converted to: use an out of " + name(type_));
  }
  void* data = nullptr;
  target place;
  if (is_array) {
    if (array->type != type_) return false;
    data = array->data;
    place = array->where;
  } else {
    Py_buffer buffer;
    if (PyObject_GetBuffer(out.ptr(), &buffer, PyBUF_RECORDS) != 0) {
      PyErr_Clear();  // NumPy lends no buffer of some types, but converts to them
      return false;
    }
    const std::optional<dtype> type = type_of(buffer);
    const bool fits = type == type_ && PyBuffer_IsContiguous(&buffer, 'C') && is_aligned(buffer.buf, type_);
    data = buffer.buf;
    PyBuffer_Release(&buffer);
    if (!fits) return false;
  }
  const bool is_input = in_place && data == in.view().data() && in.type() == type_;
  const std::size_t bytes = lengths_.elements() * size_of(type_);
  if (!is_input && overlaps(data, bytes, in.view().data(), in.bytes())) return false;
  if (other != nullptr && overlaps(data, bytes, other->view().data(), other->bytes())) return false;
  data_ = data;
  place_ = place;
  return true;
}

nb::object output::finish() {
  if (!own_) return is_new_ && lengths_.axes() == 0 ? nb::object(out_[nb::make_tuple()]) : out_;
  if (!is_new_) {
    const nb::object result = new_array(device_array(std::move(*own_)));
    if (nb::isinstance<device_array>(out_)) {
      const device_array& to = *nb::inst_ptr<device_array>(out_);
      to.writable().copy_from(converted_in_place(nb::inst_ptr<device_array>(result)->view(), to.type));
    } else {
      python().copyto(out_, numpy_view(result), nb::arg("casting") = "same_kind");
    }
    return out_;
  }
  return result_of(std::move(*own_), as_array_);
}

}  // namespace heddle::python
