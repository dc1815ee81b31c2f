#include "gpu/capture.hpp"
#include "patterns/fft/gpu.hpp"
#include "patterns/fft/scale.cuh"
#include "target/shared_library.hpp"
#include <heddle/error.hpp>
#include <heddle/fft.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <cufftXt.h>

namespace heddle::gpu {
namespace {

using impl::fft_kind, impl::fft_task;

/// The functions of cuFFT.
struct cufft {
  impl::shared_library library = impl::cuda_library(
      "cufft", CUFFT_VER_MAJOR, "transforms on a GPU need cuFFT of the CUDA toolkit, or take a CPU target");
  decltype(cufftCreate)* create = library.function<decltype(cufftCreate)>("cufftCreate");
  decltype(cufftDestroy)* destroy = library.function<decltype(cufftDestroy)>("cufftDestroy");
  decltype(cufftSetStream)* set_stream = library.function<decltype(cufftSetStream)>("cufftSetStream");
  decltype(cufftXtMakePlanMany)* make_plan =
      library.function<decltype(cufftXtMakePlanMany)>("cufftXtMakePlanMany");
  decltype(cufftSetAutoAllocation)* set_auto_allocation =
      library.function<decltype(cufftSetAutoAllocation)>("cufftSetAutoAllocation");
  decltype(cufftSetWorkArea)* set_work_area =
      library.function<decltype(cufftSetWorkArea)>("cufftSetWorkArea");
  decltype(cufftXtExec)* run = library.function<decltype(cufftXtExec)>("cufftXtExec");

  static const cufft& loaded() {
    static const cufft only;
    return only;
  }
};

/// The memory layout of a transform: `batch` transforms of up to three axes, the fastest last. Elements
/// of the fastest axis are `stride` apart, and transforms the distances.
struct layout {
  std::vector<long long> lengths;
  long long stride = 1, distance_in = 0, distance_out = 0, batch = 1;
  fft_kind kind = fft_kind::forward;
  bool is_double = false;

  auto key() const { return std::tie(lengths, stride, distance_in, distance_out, batch, kind, is_double); }
  friend bool operator<(const layout& a, const layout& b) { return a.key() < b.key(); }
};

void check_transform(cufftResult status, const char* call, const layout& of) {
  if (status == CUFFT_SUCCESS) return;
  std::string sizes;
  for (const long long length : of.lengths) sizes += (sizes.empty() ? "" : " x ") + std::to_string(length);
  fail("cuFFT: error " + std::to_string(static_cast<int>(status)) + " in " + call + " of " +
       std::to_string(of.batch) + " transforms of " + sizes + (of.is_double ? " double" : " float") +
       " elements: " +
       (status == CUFFT_ALLOC_FAILED ? "free memory of the GPU, where release_cached_memory() gives "
                                       "back what Heddle keeps, or take a CPU target"
                                     : "take a CPU target"));
}

bool is_real(fft_kind kind) {
  return kind == fft_kind::real_forward || kind == fft_kind::real_inverse;
}

/// Plans that were made before: making one takes longer than most transforms. Every call gives its plan work
/// memory of the stream, so that calls on several streams may share one.
class plan_cache {
 public:
  /// Puts a transform on the stream.
  static void run(const layout& wanted, void* x, void* out, const target& where) {
    const std::lock_guard lock(kept().mutex);
    const cufft& library = cufft::loaded();
    const kept_plan& plan = plan_for(wanted, where);
    const memory work(plan.work_bytes, where);
    check_transform(library.set_stream(plan.handle, where.stream()), "cufftSetStream", wanted);
    if (plan.work_bytes > 0)
      check_transform(library.set_work_area(plan.handle, work.data()), "cufftSetWorkArea", wanted);
    const bool inverse = wanted.kind == fft_kind::inverse || wanted.kind == fft_kind::real_inverse;
    check_transform(library.run(plan.handle, x, out, inverse ? CUFFT_INVERSE : CUFFT_FORWARD), "cufftXtExec",
                    wanted);
  }

 private:
  struct kept_plan {
    cufftHandle handle = 0;
    std::size_t work_bytes = 0;
    bool is_in_graph = false;  ///< a graph may run it at any time
  };
  using plans_of_layouts = std::map<std::pair<int, layout>, kept_plan>;
  struct plans {
    std::mutex mutex;
    plans_of_layouts all;
  };
  // Never destroyed, as CUDA may be gone at the end of a program.
  static plans& kept() {
    static auto& only = *new plans;
    return only;
  }

  static const kept_plan& plan_for(const layout& wanted, const target& where) {
    const bool captured = is_captured(where);
    auto& all = kept().all;
    const std::pair key{where.device(), wanted};
    auto found = all.find(key);
    if (found == all.end()) {
      if (captured)
        fail(
            "the stream is captured into a graph, and cuFFT makes no plan meanwhile: run the same transform, "
            "of an array of this shape and type, once before");
      make_room(all, where.device());
      found = all.emplace(key, kept_plan{}).first;
      try {
        make(found->second, wanted);
      } catch (...) {
        all.erase(found);
        throw;
      }
    }
    found->second.is_in_graph |= captured;
    return found->second;
  }

  /// Destroys the device's plans when they are many, but for those of graphs.
  static void make_room(plans_of_layouts& all, int device) {
    constexpr std::ptrdiff_t most_plans = 256;
    const auto is_idle = [device](const auto& entry) {
      return entry.first.first == device && !entry.second.is_in_graph;
    };
    if (std::count_if(all.begin(), all.end(), is_idle) < most_plans) return;
    // A wait that some capture forbids is tried again at the next plan.
    if (cudaDeviceSynchronize() != cudaSuccess) {
      cudaGetLastError();
      return;
    }
    for (auto next = all.begin(); next != all.end();) {
      const auto at = next++;
      if (!is_idle(*at)) continue;
      const cufftHandle handle = at->second.handle;
      const layout of = at->first.second;
      all.erase(at);
      check_transform(cufft::loaded().destroy(handle), "cufftDestroy", of);
    }
  }

  static void make(kept_plan& plan, const layout& wanted) {
    const cufft& library = cufft::loaded();
    check_transform(library.create(&plan.handle), "cufftCreate", wanted);
    try {
      check_transform(library.set_auto_allocation(plan.handle, 0), "cufftSetAutoAllocation", wanted);
      plan.work_bytes = make_from(library, plan.handle, wanted);
    } catch (...) {
      library.destroy(plan.handle);
      throw;
    }
  }

  /// The bytes of work memory that the plan wants.
  static std::size_t make_from(const cufft& library, cufftHandle plan, const layout& wanted) {
    const cudaDataType complex = wanted.is_double ? CUDA_C_64F : CUDA_C_32F,
                       real = wanted.is_double ? CUDA_R_64F : CUDA_R_32F;
    std::vector<long long> lengths = wanted.lengths, in = lengths, out = lengths;
    if (wanted.kind == fft_kind::real_forward) out.back() = lengths.back() / 2 + 1;
    if (wanted.kind == fft_kind::real_inverse) in.back() = lengths.back() / 2 + 1;
    // cuFFT has more kernels for contiguous transforms than for those with a given layout.
    const auto together = [](const std::vector<long long>& of) {
      long long elements = 1;
      for (const long long length : of) elements *= length;
      return elements;
    };
    const bool is_told =
        wanted.stride != 1 || wanted.distance_in != together(in) || wanted.distance_out != together(out);
    std::size_t work = 0;
    check_transform(library.make_plan(plan, static_cast<int>(lengths.size()), lengths.data(),
                                      is_told ? in.data() : nullptr, wanted.stride, wanted.distance_in,
                                      wanted.kind == fft_kind::real_forward ? real : complex,
                                      is_told ? out.data() : nullptr, wanted.stride, wanted.distance_out,
                                      wanted.kind == fft_kind::real_inverse ? real : complex, wanted.batch,
                                      &work, complex),
                    "cufftXtMakePlanMany", wanted);
    return work;
  }
};

template <class T>
struct alignas(2 * sizeof(T)) pair_of_reals {
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
/// What cuFFT takes for `irfft` of lines along the last axis, and planes of `rows` and blocks of `planes`
/// where more axes are transformed. NumPy leaves out the imaginary parts of elements 0 and real_length/2 of
/// each line once the other axes are transformed; to cuFFT they are undefined. They vanish for the Hermitian
/// parts of the slices of these elements, whose real parts are the same.
template <class T, class Index>
struct hermitian_edges {
  const T* x;
  T factor;
  Index length, real_length, rows, planes;
  __device__ pair_of_reals<T> at(std::size_t i) const { return {x[2 * i] * factor, x[2 * i + 1] * factor}; }
  __device__ pair_of_reals<T> operator()(std::size_t i) const {
    const Index line = static_cast<Index>(i) / length, k = static_cast<Index>(i) - line * length;
    const pair_of_reals<T> value = at(i);
    if (k != 0 && 2 * k != real_length) return value;
    const Index plane = line / rows, row = line - plane * rows, block = plane / planes,
                in_block = plane - block * planes;
    const Index other_row = row == 0 ? 0 : rows - row, other_plane = in_block == 0 ? 0 : planes - in_block;
    const std::size_t other_line = std::size_t{block * planes + other_plane} * rows + other_row;
    const pair_of_reals<T> other = at(other_line * length + k);
    constexpr T half = T(0.5);
    return {half * value.real + half * other.real, half * value.imaginary - half * other.imaginary};
  }
};

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

/// One axis, whatever axes are before and after it: as many calls as there are lines in the one or in the
/// other, where it is neither the first nor the last.
template <class T>
void along_axis(const axis_lines& all, bool inverse, pair_of_reals<T>* x, const target& where) {
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
    memory copied;
    void* from = const_cast<void*>(x);
    bool is_scaled = !inverse;
    if (task.from_real) {
      transform(where, complex_at<T>{static_cast<const T*>(x), factor}, size_in, static_cast<complex*>(out));
      from = out;
      is_scaled = true;
    } else if (task.kind == fft_kind::real_forward && !is_aligned) {
      copied = memory(size_in * sizeof(T), where);
      heddle::copy(copied.data(), where, x, where, copied.bytes());
      from = copied.data();
    } else if (task.kind == fft_kind::real_inverse) {
      copied = memory(size_in * sizeof(complex), where);
      const auto copy_edges = [&]<class Index>(Index) {
        const auto before_last = [&](std::size_t axes_before) {
          return static_cast<Index>(count > axes_before ? task.lengths[last - axes_before] : 1);
        };
        const hermitian_edges<T, Index> edges{static_cast<const T*>(x),
                                              factor,
                                              static_cast<Index>(task.lengths[last]),
                                              static_cast<Index>(task.real_length),
                                              before_last(1),
                                              before_last(2)};
        transform(where, edges, size_in, static_cast<complex*>(copied.data()));
      };
      // Divisions of 64 bits may take longer than the copy.
      if (size_in <= std::numeric_limits<std::uint32_t>::max() / 2) {
        copy_edges(std::uint32_t{});
      } else {
        copy_edges(std::uint64_t{});
      }
      from = copied.data();
      is_scaled = true;
    } else if (!is_aligned) {
      copied = memory(size_in * sizeof(complex), where);
      copy_scaled(static_cast<complex*>(copied.data()));
      from = copied.data();
      is_scaled = true;
    }
    plan_cache::run(of, from, out, where);
    if (!is_scaled) {
      static pdl_kernel kernel(scale<T>, "launch of scale");
      const std::size_t reals = 2 * size_out;
      kernel.launch(where, grid_for(reals * sizeof(T) / 16 + 1, scale_threads), scale_threads,
                    static_cast<T*>(out), reals, factor);
    }
  } else {
    // Axis by axis, among complex elements; real lines are cut afterwards, or made whole before the last
    // axis.
    const axis_lines all = along(task.lengths, last);
    const std::size_t length = is_real(task.kind) ? task.real_length : all.length;
    const axis_lines whole{all.outer, length, all.inner};
    memory copied, whole_memory;
    complex* work = static_cast<complex*>(out);
    if (is_real(task.kind)) {
      copied = memory(size_in * sizeof(complex), where);
      work = static_cast<complex*>(copied.data());
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
      whole_memory = memory(whole.elements() * sizeof(complex), where);
      complex* const lines = static_cast<complex*>(whole_memory.data());
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
    const memory copied(reals * (task.is_double ? sizeof(double) : sizeof(float)), where);
    fft(task, x, copied.data(), where);
    heddle::copy(out, where, copied.data(), where, copied.bytes());
    return;
  }
  if (task.is_double) return fft_of<double>(task, x, out, where);
  fft_of<float>(task, x, out, where);
}

}  // namespace heddle::gpu
