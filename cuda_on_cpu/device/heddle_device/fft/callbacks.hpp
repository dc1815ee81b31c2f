#pragma once

/// Of cuFFT: a program's functions that load and store elements.

#include "plans.hpp"

enum cufftXtCallbackType_t {
  CUFFT_CB_LD_COMPLEX,
  CUFFT_CB_LD_COMPLEX_DOUBLE,
  CUFFT_CB_LD_REAL,
  CUFFT_CB_LD_REAL_DOUBLE,
  CUFFT_CB_ST_COMPLEX,
  CUFFT_CB_ST_COMPLEX_DOUBLE,
  CUFFT_CB_ST_REAL,
  CUFFT_CB_ST_REAL_DOUBLE,
  CUFFT_CB_UNDEFINED
};
using cufftXtCallbackType = cufftXtCallbackType_t;

template <class T>
using heddle_fft_load = T (*)(void* dataIn, size_t offset, void* callerInfo, void* sharedPointer);
template <class T>
using heddle_fft_store = void (*)(void* dataOut, size_t offset, T element, void* callerInfo,
                                  void* sharedPointer);
using cufftCallbackLoadC = heddle_fft_load<cufftComplex>;
using cufftCallbackLoadZ = heddle_fft_load<cufftDoubleComplex>;
using cufftCallbackLoadR = heddle_fft_load<cufftReal>;
using cufftCallbackLoadD = heddle_fft_load<cufftDoubleReal>;
using cufftCallbackStoreC = heddle_fft_store<cufftComplex>;
using cufftCallbackStoreZ = heddle_fft_store<cufftDoubleComplex>;
using cufftCallbackStoreR = heddle_fft_store<cufftReal>;
using cufftCallbackStoreD = heddle_fft_store<cufftDoubleReal>;

namespace heddle_device::fft {

/// Calls f(place, number) for each element: where it lies, and its number among all.
template <class F>
void for_each_element(const transform_layout& l, u64 count, const F& f) {
  u64 number = 0;
  for (u64 t = 0; t < count; ++t)
    for (u64 i = 0; i < l.lengths[0]; ++i)
      for (u64 j = 0; j < l.lengths[1]; ++j)
        for (u64 k = 0; k < l.lengths[2]; ++k)
          f(t * l.distance + ((i * l.embedding[1] + j) * l.embedding[2] + k) * l.stride, number++);
}
inline u64 elements_of(const transform_layout& l, u64 count) {
  return l.lengths[0] * l.lengths[1] * l.lengths[2] * count;
}
inline transform_layout packed(transform_layout l) {
  for (int i = 0; i < 3; ++i) l.embedding[i] = l.lengths[i];
  l.stride = 1;
  l.distance = l.lengths[0] * l.lengths[1] * l.lengths[2];
  return l;
}

/// In a thread of the device: elements come by the function that loads them, if there is one, and go by the
/// one that stores them; where there is none they are copied.
template <class From, class To>
void transform_by_callbacks(const transform_request& what, const callback& load, const callback& store) {
  const u64 from_count = elements_of(what.from_layout, what.count),
            to_count = elements_of(what.to_layout, what.count);
  library_numbers<From> in(static_cast<long long>(from_count));
  library_numbers<To> out(static_cast<long long>(to_count));
  auto* const loads = reinterpret_cast<heddle_fft_load<From>>(load.function);
  for_each_element(what.from_layout, what.count, [&](u64 place, u64 number) {
    in.set(static_cast<long long>(number),
           loads == nullptr ? static_cast<const From*>(what.from)[place]
                            : loads(const_cast<void*>(what.from), place, load.info, nullptr));
  });
  transform_request own = what;
  own.overwrites_input = false;
  own.from = in.data();
  own.to = out.data();
  own.from_layout = packed(what.from_layout);
  own.to_layout = packed(what.to_layout);
  transform_unwatched(own);
  auto* const stores = reinterpret_cast<heddle_fft_store<To>>(store.function);
  for_each_element(what.to_layout, what.count, [&](u64 place, u64 number) {
    const To element = out.get(static_cast<long long>(number));
    if (stores == nullptr) {
      static_cast<To*>(what.to)[place] = element;
    } else {
      stores(what.to, place, element, store.info, nullptr);
    }
  });
}
template <class Real, class Complex>
void transform_by_callbacks_of(const transform_request& what, const callback& load, const callback& store) {
  switch (what.kind) {
    case transform_kind::complex_to_complex:
      return transform_by_callbacks<Complex, Complex>(what, load, store);
    case transform_kind::real_to_complex:
      return transform_by_callbacks<Real, Complex>(what, load, store);
    case transform_kind::complex_to_real:
      return transform_by_callbacks<Complex, Real>(what, load, store);
  }
}

/// Which elements a function is of.
inline bool is_load(cufftXtCallbackType type) {
  return type < CUFFT_CB_ST_COMPLEX;
}
inline bool fits(const plan& p, cufftXtCallbackType type) {
  const int of = is_load(type) ? type : type - CUFFT_CB_ST_COMPLEX;
  return type < CUFFT_CB_UNDEFINED && p.of.is_complex(is_load(type)) == (of < CUFFT_CB_LD_REAL) &&
         p.of.precision == (of % 2 == 0 ? transform_precision::f32 : transform_precision::f64);
}

}  // namespace heddle_device::fft

// One function, since there is one device.
inline cufftResult cufftXtSetCallback(cufftHandle handle, void** callback_routine, cufftXtCallbackType type,
                                      void** caller_info) {
  heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  if (p == nullptr || !p->is_made || p->device_count > 1) return CUFFT_INVALID_PLAN;
  if (callback_routine == nullptr || *callback_routine == nullptr) return CUFFT_INVALID_VALUE;
  if (!heddle_device::fft::fits(*p, type)) return CUFFT_INVALID_TYPE;
  (heddle_device::fft::is_load(type) ? p->load : p->store) = {
      *callback_routine, caller_info == nullptr ? nullptr : *caller_info};
  return CUFFT_SUCCESS;
}
inline cufftResult cufftXtClearCallback(cufftHandle handle, cufftXtCallbackType type) {
  heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  if (p == nullptr || !p->is_made) return CUFFT_INVALID_PLAN;
  if (!heddle_device::fft::fits(*p, type)) return CUFFT_INVALID_TYPE;
  (heddle_device::fft::is_load(type) ? p->load : p->store) = {};
  return CUFFT_SUCCESS;
}
