#pragma once

/// Of cuFFT: plans, and what a transform by one of them reads and writes.

#include "types.hpp"

#include <map>
#include <mutex>

namespace heddle_device::fft {

/// What a plan transforms, from which type of elements to which.
struct elements {
  transform_kind kind;
  transform_precision precision;

  bool is_complex(bool is_input) const {
    return kind == transform_kind::complex_to_complex ||
           (kind == transform_kind::complex_to_real) == is_input;
  }
  size_t bytes(bool is_input) const {
    const size_t part = precision == transform_precision::f64   ? 8
                        : precision == transform_precision::f32 ? 4
                                                                : 2;
    return is_complex(is_input) ? 2 * part : part;
  }
};

/// A program's function for elements, and what it is called with.
struct callback {
  void* function = nullptr;
  void* info = nullptr;
};

struct plan {
  static constexpr int most_devices = 16;
  bool is_made = false, allocates = true, is_dense = true;
  elements of = {};
  u64 lengths[3] = {1, 1, 1}, count = 1;
  int axes = 1;
  transform_layout from = {}, to = {};  ///< of one that is not dense
  size_t work_bytes = 0;
  void* work = nullptr;
  /// Stands for a work area that the plan has by itself: transforms at once by one plan meet there.
  char* own_work = nullptr;
  cudaStream_t stream = nullptr;
  callback load, store;
  int devices[most_devices] = {}, device_count = 0;  ///< none where it has one, which is the present one
};

/// The plans of a program, by their handles.
class plan_table {
 public:
  cufftHandle add() {
    const std::lock_guard<std::mutex> lock(mutex_);
    plans_[++last_];
    return last_;
  }
  /// Null where the handle is of none.
  plan* find(cufftHandle handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = plans_.find(handle);
    return at == plans_.end() ? nullptr : &at->second;
  }
  void remove(cufftHandle handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    plans_.erase(handle);
  }

 private:
  std::mutex mutex_;
  std::map<cufftHandle, plan> plans_;
  cufftHandle last_ = 0;
};
inline plan_table& plans() {
  static plan_table& only = *new plan_table;
  return only;
}

/// The layout of elements that lie side by side; of real ones in place, rows have room for the complex ones.
inline transform_layout dense_layout(const plan& p, bool is_input, bool is_in_place) {
  transform_layout l{};
  for (int i = 0; i < 3; ++i) l.lengths[i] = l.embedding[i] = p.lengths[i];
  if (p.of.kind != transform_kind::complex_to_complex) {
    const u64 complex = p.lengths[2] / 2 + 1;
    if (p.of.is_complex(is_input)) {
      l.lengths[2] = l.embedding[2] = complex;
    } else if (is_in_place) {
      l.embedding[2] = 2 * complex;
    }
  }
  l.stride = 1;
  l.distance = l.embedding[0] * l.embedding[1] * l.embedding[2];
  return l;
}

template <class I>
transform_layout layout_of(const plan& p, bool is_input, const I* embedding, u64 stride, u64 distance) {
  transform_layout l = dense_layout(p, is_input, false);
  // Of one axis what encloses it has no meaning, as that of the first axis of several.
  for (int i = 1; i < p.axes; ++i) l.embedding[3 - p.axes + i] = static_cast<u64>(embedding[i]);
  l.stride = stride;
  l.distance = distance;
  return l;
}

/// Tells what is read or written of one side: rows as wholes, and all of it where nothing lies between.
template <class F>
void for_ranges(const transform_layout& l, u64 count, const F& f) {
  const bool is_packed = l.embedding[2] == l.lengths[2] && l.embedding[1] == l.lengths[1];
  const u64 all = l.lengths[0] * l.lengths[1] * l.lengths[2];
  if (is_packed && ((l.stride == 1 && l.distance == all) || (l.distance == 1 && l.stride == count)))
    return f(u64{0}, all * count);
  for (u64 t = 0; t < count; ++t) {
    for (u64 i = 0; i < l.lengths[0]; ++i) {
      for (u64 j = 0; j < l.lengths[1]; ++j) {
        const u64 row = t * l.distance + (i * l.embedding[1] + j) * l.embedding[2] * l.stride;
        if (l.stride == 1) {
          f(row, l.lengths[2]);
        } else {
          for (u64 k = 0; k < l.lengths[2]; ++k) f(row + k * l.stride, u64{1});
        }
      }
    }
  }
}
inline void tell_reads(const void* from, const transform_layout& l, u64 count, size_t bytes) {
  const char* const begin = static_cast<const char*>(from);
  for_ranges(l, count, [=](u64 first, u64 n) { library_reads(begin + first * bytes, n * bytes); });
}
inline void tell_writes(void* to, const transform_layout& l, u64 count, size_t bytes) {
  char* const begin = static_cast<char*>(to);
  for_ranges(l, count, [=](u64 first, u64 n) { library_writes(begin + first * bytes, n * bytes); });
}

inline transform_request request_of(const plan& p, const void* from, void* to, bool is_inverse,
                                    bool is_in_place) {
  transform_request what{};
  what.kind = p.of.kind;
  what.precision = p.of.precision;
  what.is_inverse = is_inverse;
  what.overwrites_input = p.of.kind == transform_kind::complex_to_real && p.axes > 1 && !is_in_place;
  for (int i = 0; i < 3; ++i) what.lengths[i] = p.lengths[i];
  what.count = p.count;
  what.from = from;
  what.to = to;
  what.from_layout = p.is_dense ? dense_layout(p, true, is_in_place) : p.from;
  what.to_layout = p.is_dense ? dense_layout(p, false, is_in_place) : p.to;
  return what;
}
HEDDLE_UNWATCHED inline void transform_unwatched(const transform_request& what) {
  program_runtime()->libraries().transform(what);
}

}  // namespace heddle_device::fft
