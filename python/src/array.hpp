#pragma once

#include "interpreter.hpp"
#include <heddle/any_array.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace heddle::python {

/// Waits, before an owner may free elements, for what reads them where it is in no order with the owner.
class last_reader {
 public:
  last_reader() = default;
  explicit last_reader(const target& where) : where_(where) {}
  last_reader(last_reader&& other) noexcept : where_(std::exchange(other.where_, std::nullopt)) {}
  last_reader& operator=(last_reader&& other) noexcept {
    std::swap(where_, other.where_);
    return *this;
  }
  ~last_reader() { wait(); }
  void wait() noexcept {
    try {
      if (where_) where_->wait();
    } catch (const std::exception&) {
      // A device that cannot wait is lost, and every later call on it says so.
    }
  }

 private:
  std::optional<target> where_;
};

/// A heddle.Array: elements of its own, or of an owner that it keeps.
struct device_array {
  explicit device_array(any_array&& elements)
      : owned(std::move(elements)),
        data(owned->data()),
        type(owned->dtype()),
        lengths(owned->shape()),
        where(owned->where()) {}
  device_array(const any_const_view& x, nb::object keeper, bool is_read_only)
      : owner(std::move(keeper)),
        data(const_cast<void*>(x.data())),
        type(x.dtype()),
        lengths(x.shape()),
        where(x.where()),
        read_only(is_read_only) {}

  any_const_view view() const { return {data, type, lengths, where}; }
  any_view writable() const { return {data, type, lengths, where}; }
  std::size_t size() const { return lengths.elements(); }

  nb::object owner;
  std::optional<any_array> owned;
  void* data;
  dtype type;
  shape lengths;
  target where;
  bool read_only = false;
  last_reader reader;  ///< ends before the owner does
};

/// A heddle.Array.
nb::object new_array(device_array&& x);

/// A NumPy array of the elements, which are on the CPU and are kept by `array`, a heddle.Array.
nb::object numpy_view(nb::handle array);

/// A new array of NumPy's, whose elements are not initialised.
struct new_numpy_array {
  new_numpy_array(dtype type, const shape& lengths);

  nb::object object;
  void* data = nullptr;
};

/// A new array as NumPy's, a scalar where it has no axes, or as a heddle.Array. `as` is a type of the same
/// size that its elements are taken for.
nb::object result_of(any_array&& x, bool as_array, std::optional<dtype> as = {});

void bind_array(nb::module_& m);

}  // namespace heddle::python
