#pragma once

#include <heddle/any_array.hpp>
#include <heddle/kernel.hpp>

#include <cstddef>
#include <optional>

namespace heddle::python {

/// Elements where code on a target can read them.
class readable {
 public:
  readable(const any_const_view& x, const target& where) : data_(x.data()), bytes_(size_of(x.dtype())) {
    if (x.where().is_gpu() != where.is_gpu() || (where.is_gpu() && x.where().device() != where.device())) {
      copy_.emplace(x.on(where));
      data_ = copy_->data();
    } else if (!(x.where() == where)) {
      x.wait();
      is_of_another_stream_ = true;
    }
  }
  readable(const readable&) = delete;

  const void* data() const { return data_; }
  /// Whether their owner may free them on its own stream, while work on that of the target reads them.
  bool is_of_another_stream() const { return is_of_another_stream_; }
  /// All elements, or their address for what is broadcast.
  untyped_argument argument(bool is_broadcast, const target& where) const {
    if (is_broadcast) return {&data_, sizeof data_, false};
    return {data_, bytes_, true, false, where};
  }

 private:
  const void* data_;
  std::size_t bytes_;
  std::optional<any_array> copy_;
  bool is_of_another_stream_ = false;
};

}  // namespace heddle::python
