#include "cuda/gpu.hpp"
#include "shared_library.hpp"
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/transform.cuh>
#include <heddle/error.hpp>
#include <heddle/fft.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include <cufftXt.h>

namespace heddle::cuda {
namespace {

using detail::fft_kind, detail::fft_task;

/// The functions of cuFFT.
struct cufft {
  detail::shared_library library = detail::cuda_library(
      "cufft", CUFFT_VER_MAJOR, "transforms on a GPU need cuFFT of the CUDA toolkit, or take a CPU target");
  decltype(cufftCreate)* create = library.function<decltype(cufftCreate)>("cufftCreate");
  decltype(cufftDestroy)* destroy = library.function<decltype(cufftDestroy)>("cufftDestroy");
  decltype(cufftSetStream)* set_stream = library.function<decltype(cufftSetStream)>("cufftSetStream");
  decltype(cufftXtMakePlanMany)* make_plan =
      library.function<decltype(cufftXtMakePlanMany)>("cufftXtMakePlanMany");
  decltype(cufftXtExec)* run = library.function<decltype(cufftXtExec)>("cufftXtExec");

  static const cufft& loaded() {
    static const cufft only;
    return only;
  }
  static void check(cufftResult status, const char* call) {
    if (status != CUFFT_SUCCESS)
      detail::fail("cuFFT: error " + std::to_string(static_cast<int>(status)) + " in " + call);
  }
};

/// How the elements of a transform stand: `batch` transforms of up to three axes, the fastest last. Elements
/// of the fastest axis are `stride` apart, and transforms the distances.
struct layout {
  std::vector<long long> lengths;
  long long stride = 1, distance_in = 0, distance_out = 0, batch = 1;
  fft_kind kind = fft_kind::forward;
  bool is_double = false;

  auto key() const { return std::tie(lengths, stride, distance_in, distance_out, batch, kind, is_double); }
  friend bool operator<(const layout& a, const layout& b) { return a.key() < b.key(); }
};

bool is_real(fft_kind kind) {
  return kind == fft_kind::real_forward || kind == fft_kind::real_inverse;
}

/// Plans that were made before, for each stream: making one takes longer than most transforms. They work in
/// memory of their own, so those of a stream follow each other.
class plan_cache {
 public:
  /// Puts a transform on the stream.
  static void run(const layout& wanted, void* x, void* out, const target& where) {
    const std::lock_guard lock(kept().mutex);
    const cufft& library = cufft::loaded();
    const bool inverse = wanted.kind == fft_kind::inverse || wanted.kind == fft_kind::real_inverse;
    cufft::check(library.run(plan_for(wanted, where), x, out, inverse ? CUFFT_INVERSE : CUFFT_FORWARD),
                 "cufftXtExec");
  }

 private:
  using key = std::tuple<int, unsigned long long, layout>;
  struct plans {
    std::mutex mutex;
    std::map<key, cufftHandle> all;
  };
  // Never destroyed, as CUDA may be gone at the end of a program.
  static plans& kept() {
    static auto& only = *new plans;
    return only;
  }

  static cufftHandle plan_for(const layout& wanted, const target& where) {
    constexpr std::size_t most_plans = 256;
    unsigned long long stream = 0;
    check(cudaStreamGetId(where.stream(), &stream), "cudaStreamGetId");
    const key wanted_key{where.device(), stream, wanted};
    auto& all = kept().all;
    if (const auto found = all.find(wanted_key); found != all.end()) return found->second;
    const cufft& library = cufft::loaded();
    if (all.size() >= most_plans) {
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      for (const auto& [of, plan] : all) cufft::check(library.destroy(plan), "cufftDestroy");
      all.clear();
    }
    cufftHandle plan = 0;
    cufft::check(library.create(&plan), "cufftCreate");
    try {
      make(library, plan, wanted);
      cufft::check(library.set_stream(plan, where.stream()), "cufftSetStream");
    } catch (...) {
      library.destroy(plan);
      throw;
    }
    all.emplace(wanted_key, plan);
    return plan;
  }

  static void make(const cufft& library, cufftHandle plan, const layout& wanted) {
    const cudaDataType complex = wanted.is_double ? CUDA_C_64F : CUDA_C_32F,
                       real = wanted.is_double ? CUDA_R_64F : CUDA_R_32F;
    std::vector<long long> lengths = wanted.lengths, in = lengths, out = lengths;
    if (wanted.kind == fft_kind::real_forward) out.back() = lengths.back() / 2 + 1;
    if (wanted.kind == fft_kind::real_inverse) in.back() = lengths.back() / 2 + 1;
    // Of transforms that stand side by side cuFFT has more kernels than of those whose layout it is told.
    const auto together = [](const std::vector<long long>& of) {
      long long elements = 1;
      for (const long long length : of) elements *= length;
      return elements;
    };
    const bool is_told =
        wanted.stride != 1 || wanted.distance_in != together(in) || wanted.distance_out != together(out);
    std::size_t work = 0;
    cufft::check(library.make_plan(plan, static_cast<int>(lengths.size()), lengths.data(),
                                   is_told ? in.data() : nullptr, wanted.stride, wanted.distance_in,
                                   wanted.kind == fft_kind::real_forward ? real : complex,
                                   is_told ? out.data() : nullptr, wanted.stride, wanted.distance_out,
                                   wanted.kind == fft_kind::real_inverse ? real : complex, wanted.batch,
                                   &work, complex),
                 "cufftXtMakePlanMany");
  }
};

/// Reals that are loaded and stored at once.
template <class T>
struct alignas(16) sixteen_bytes {
  T values[16 / sizeof(T)];
};

template <class T>
struct pair_of_reals {
  T real, imaginary;
};

template <class T>
struct scaled {
  const T* x;
  T factor;
  __device__ T operator()(std::size_t i) const { return x[i] * factor; }
};
template <class T>
struct complex_at {
  const T* x;
  T factor;
  __device__ pair_of_reals<T> operator()(std::size_t i) const { return {x[i] * factor, 0}; }
};
template <class T>
struct real_at {
  const pair_of_reals<T>* x;
  __device__ T operator()(std::size_t i) const { return x[i].real; }
};
/// Scales `count` reals in place, 16 bytes a thread, from the last on: those were written last, and may still
/// be in the cache.
template <class T>
__global__ void __launch_bounds__(256) scale(T* x, std::size_t count, T factor) {
  constexpr unsigned width = 16 / sizeof(T);
  wait_for_kernels_before();
  const std::size_t whole = count / width, turn = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (turn < whole) {
    auto* const granule = reinterpret_cast<sixteen_bytes<T>*>(x) + (whole - 1 - turn);
    sixteen_bytes<T> values = *granule;
#pragma unroll
    for (T& value : values.values) value *= factor;
    *granule = values;
  } else if (turn == whole) {
    for (std::size_t i = whole * width; i < count; ++i) x[i] *= factor;
  }
}

/// Element i of an array whose lines have `length` of the elements of lines of x.
template <class T>
struct first_of_lines {
  const pair_of_reals<T>* x;
  std::size_t length, length_in, inner;
  __device__ pair_of_reals<T> operator()(std::size_t i) const {
    const std::size_t row = i / inner, outer = row / length;
    return x[(outer * length_in + row - outer * length) * inner + i - row * inner];
  }
};
/// The same of lines of which the later half follows from the earlier one.
template <class T>
struct whole_lines {
  const pair_of_reals<T>* x;
  std::size_t length, length_in, inner;
  __device__ pair_of_reals<T> operator()(std::size_t i) const {
    const std::size_t row = i / inner, outer = row / length, k = row - outer * length;
    const bool mirrored = k >= length_in;
    pair_of_reals<T> value = x[(outer * length_in + (mirrored ? length - k : k)) * inner + i - row * inner];
    if (mirrored) value.imaginary = -value.imaginary;
    if (k == 0 || 2 * k == length) value.imaginary = 0;
    return value;
  }
};

/// One axis, whatever stands before and behind it: as many calls as there are lines in the one or in the
/// other, where it is neither the first nor the last.
template <class T>
void along_axis(const segments& all, bool inverse, pair_of_reals<T>* x, const target& where) {
  layout of;
  of.kind = inverse ? fft_kind::inverse : fft_kind::forward;
  of.is_double = sizeof(T) == 8;
  of.lengths = {static_cast<long long>(all.length)};
  of.stride = static_cast<long long>(all.inner);
  const bool by_outer = all.outer >= all.inner;
  const std::size_t line = all.length * all.inner, calls = by_outer ? all.inner : all.outer;
  of.batch = static_cast<long long>(by_outer ? all.outer : all.inner);
  of.distance_in = of.distance_out = by_outer ? static_cast<long long>(line) : 1;
  for (std::size_t call = 0; call < calls; ++call) {
    pair_of_reals<T>* const from = x + call * (by_outer ? 1 : line);
    plan_cache::run(of, from, from, where);
  }
}

/// Whether the axes are the last ones, up to three, and for a real transform in their order.
bool are_last(const fft_task& task) {
  const std::size_t axes = task.lengths.axes(), count = task.axes.size();
  if (count > 3) return false;
  if (is_real(task.kind) && task.axes.back() != axes - 1) return false;
  return std::all_of(task.axes.begin(), task.axes.end(),
                     [&](std::size_t axis) { return axis + count >= axes; });
}

template <class T>
void fft_of(const fft_task& task, const void* x, void* out, const target& where) {
  using complex = pair_of_reals<T>;
  const bool inverse = task.kind == fft_kind::inverse || task.kind == fft_kind::real_inverse;
  const std::size_t last = task.axes.back(), size_in = task.lengths.elements(),
                    size_out = task.result().elements();
  double together = 1;
  for (const std::size_t axis : task.axes)
    together *=
        static_cast<double>(axis == last && is_real(task.kind) ? task.real_length : task.lengths[axis]);
  const T factor = inverse ? static_cast<T>(1 / together) : T(1);
  // Where the input is copied anyway, the copy is scaled, and takes no longer for that.
  const auto copy_scaled = [&](complex* to) {
    transform(where, scaled<T>{static_cast<const T*>(x), factor}, 2 * size_in, reinterpret_cast<T*>(to));
  };

  if (are_last(task)) {
    const std::size_t axes = task.lengths.axes(), count = task.axes.size();
    layout of;
    of.kind = task.kind;
    of.is_double = task.is_double;
    long long in = 1, result = 1;
    for (std::size_t axis = axes - count; axis < axes; ++axis) {
      of.lengths.push_back(
          static_cast<long long>(axis == last && is_real(task.kind) ? task.real_length : task.lengths[axis]));
      in *= static_cast<long long>(task.lengths[axis]);
      result *= static_cast<long long>(task.result()[axis]);
    }
    of.distance_in = in;
    of.distance_out = result;
    of.batch = static_cast<long long>(size_in) / in;
    // A transform to real elements writes over its input, and one of real elements reads them in pairs.
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(x) % sizeof(complex) == 0;
    detail::memory held;
    void* from = const_cast<void*>(x);
    bool is_scaled = !inverse;
    if (task.from_real) {
      transform(where, complex_at<T>{static_cast<const T*>(x), factor}, size_in, static_cast<complex*>(out));
      from = out;
      is_scaled = true;
    } else if (task.kind == fft_kind::real_forward && !is_aligned) {
      held = detail::memory(size_in * sizeof(T), where);
      detail::copy(held.data(), where, x, where, held.bytes());
      from = held.data();
    } else if (task.kind == fft_kind::real_inverse || !is_aligned) {
      held = detail::memory(size_in * sizeof(complex), where);
      copy_scaled(static_cast<complex*>(held.data()));
      from = held.data();
      is_scaled = true;
    }
    plan_cache::run(of, from, out, where);
    if (!is_scaled) {
      static overlapping_kernel kernel(scale<T>, "launch of scale");
      const std::size_t reals = 2 * size_out;
      kernel.launch(where, grid_for(reals * sizeof(T) / 16 + 1, 256), 256, static_cast<T*>(out), reals,
                    factor);
    }
  } else {
    // Axis by axis, among complex elements; real lines are cut afterwards, or made whole before the last
    // axis.
    const segments all = along(task.lengths, last);
    const std::size_t length = is_real(task.kind) ? task.real_length : all.length;
    const segments whole{all.outer, length, all.inner};
    detail::memory held, held_whole;
    complex* work = static_cast<complex*>(out);
    if (is_real(task.kind)) {
      held = detail::memory(size_in * sizeof(complex), where);
      work = static_cast<complex*>(held.data());
    }
    if (task.from_real || task.kind == fft_kind::real_forward) {
      transform(where, complex_at<T>{static_cast<const T*>(x), factor}, size_in, work);
    } else {
      copy_scaled(work);
    }
    for (const std::size_t axis : task.axes) {
      if (axis != last) along_axis(along(task.lengths, axis), inverse, work, where);
    }
    if (task.kind == fft_kind::real_inverse) {
      held_whole = detail::memory(whole.elements() * sizeof(complex), where);
      complex* const lines = static_cast<complex*>(held_whole.data());
      transform(where, whole_lines<T>{work, length, all.length, all.inner}, whole.elements(), lines);
      work = lines;
    }
    along_axis(whole, inverse, work, where);
    if (task.kind == fft_kind::real_forward) {
      transform(where, first_of_lines<T>{work, length / 2 + 1, length, all.inner}, size_out,
                static_cast<complex*>(out));
    } else if (task.kind == fft_kind::real_inverse) {
      transform(where, real_at<T>{work}, size_out, static_cast<T*>(out));
    }
  }
}

}  // namespace

void fft(const fft_task& task, const void* x, void* out, const target& where) {
  const current_device on(where);
  if (reinterpret_cast<std::uintptr_t>(out) % 16 != 0) {
    // Part of an array: cuFFT and `scale` want their output to begin as arrays do.
    const std::size_t reals = task.result().elements() * (task.kind == fft_kind::real_inverse ? 1 : 2);
    const detail::memory held(reals * (task.is_double ? sizeof(double) : sizeof(float)), where);
    fft(task, x, held.data(), where);
    detail::copy(out, where, held.data(), where, held.bytes());
    return;
  }
  if (task.is_double) return fft_of<double>(task, x, out, where);
  fft_of<float>(task, x, out, where);
}

}  // namespace heddle::cuda
