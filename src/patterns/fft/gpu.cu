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

/// One call of a transform.
template <class T>
class fft_call {
 public:
  fft_call(const fft_task& task, const void* x, void* out, const target& where)
      : task_(task),
        x_(static_cast<const T*>(x)),
        out_(out),
        where_(where),
        last_(task.axes.back()),
        size_in_(task.lengths.elements()),
        size_out_(task.result().elements()),
        is_inverse_(task.kind == fft_kind::inverse || task.kind == fft_kind::real_inverse) {
    double together = 1;
    for (const std::size_t axis : task.axes) together *= static_cast<double>(length_of(axis));
    factor_ = is_inverse_ ? static_cast<T>(1 / together) : T(1);
  }

  /// All axes at once, which are the last ones.
  void along_last_axes() {
    memory copied;
    bool is_scaled = !is_inverse_;
    void* const from = input_of_plan(copied, is_scaled);
    plan_cache::run(layout_of_last_axes(), from, out_, where_);
    if (is_scaled) return;
    static pdl_kernel kernel(scale<T>, "launch of scale");
    const std::size_t reals = 2 * size_out_;
    kernel.launch(where_, grid_for(reals * sizeof(T) / 16 + 1, scale_threads), scale_threads,
                  static_cast<T*>(out_), reals, factor_);
  }

  /// Axis by axis, among complex elements; real lines are cut afterwards, or made whole before the last axis.
  void axis_by_axis() {
    const axis_lines all = along(task_.lengths, last_);
    const std::size_t length = length_of(last_);
    const axis_lines whole{all.outer, length, all.inner};
    memory copied, whole_memory;
    complex* work = static_cast<complex*>(out_);
    if (is_real(task_.kind)) {
      copied = memory(size_in_ * sizeof(complex), where_);
      work = static_cast<complex*>(copied.data());
    }
    if (task_.from_real || task_.kind == fft_kind::real_forward) {
      transform(where_, complex_at<T>{x_, factor_}, size_in_, work);
    } else {
      copy_scaled(work);
    }
    for (const std::size_t axis : task_.axes) {
      if (axis != last_) along_axis(along(task_.lengths, axis), is_inverse_, work, where_);
    }
    if (task_.kind == fft_kind::real_inverse) {
      whole_memory = memory(whole.elements() * sizeof(complex), where_);
      complex* const lines = static_cast<complex*>(whole_memory.data());
      transform(where_, whole_lines<T>{work, length, all.length, all.inner}, whole.elements(), lines);
      work = lines;
    }
    along_axis(whole, is_inverse_, work, where_);
    if (task_.kind == fft_kind::real_forward) {
      transform(where_, first_of_lines<T>{work, length / 2 + 1, length, all.inner}, size_out_,
                static_cast<complex*>(out_));
    } else if (task_.kind == fft_kind::real_inverse) {
      transform(where_, real_at<T>{work}, size_out_, static_cast<T*>(out_));
    }
  }

 private:
  using complex = pair_of_reals<T>;

  std::size_t length_of(std::size_t axis) const {
    return axis == last_ && is_real(task_.kind) ? task_.real_length : task_.lengths[axis];
  }

  layout layout_of_last_axes() const {
    const std::size_t axes = task_.lengths.axes();
    layout of;
    of.kind = task_.kind;
    of.is_double = task_.is_double;
    of.distance_in = of.distance_out = 1;
    for (std::size_t axis = axes - task_.axes.size(); axis < axes; ++axis) {
      of.lengths.push_back(static_cast<long long>(length_of(axis)));
      of.distance_in *= static_cast<long long>(task_.lengths[axis]);
      of.distance_out *= static_cast<long long>(task_.result()[axis]);
    }
    of.batch = static_cast<long long>(size_in_) / of.distance_in;
    return of;
  }

  /// The input of cuFFT: x itself if possible, else a copy.
  void* input_of_plan(memory& copied, bool& is_scaled) {
    // A transform to real elements writes over its input, and one of real elements reads them in pairs.
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(x_) % sizeof(complex) == 0;
    if (task_.from_real) {
      transform(where_, complex_at<T>{x_, factor_}, size_in_, static_cast<complex*>(out_));
      is_scaled = true;
      return out_;
    }
    if (task_.kind == fft_kind::real_forward && !is_aligned) {
      copied = memory(size_in_ * sizeof(T), where_);
      heddle::copy(copied.data(), where_, x_, where_, copied.bytes());
      return copied.data();
    }
    if (task_.kind != fft_kind::real_inverse && is_aligned) return const_cast<T*>(x_);
    copied = memory(size_in_ * sizeof(complex), where_);
    is_scaled = true;
    auto* const to = static_cast<complex*>(copied.data());
    if (task_.kind != fft_kind::real_inverse) {
      copy_scaled(to);
    } else if (size_in_ <= std::numeric_limits<std::uint32_t>::max() / 2) {
      // Divisions of 64 bits may take longer than the copy.
      copy_hermitian<std::uint32_t>(to);
    } else {
      copy_hermitian<std::uint64_t>(to);
    }
    return to;
  }

  template <class Index>
  void copy_hermitian(complex* to) {
    const std::size_t count = task_.axes.size();
    const auto before_last = [&](std::size_t axes_before) {
      return static_cast<Index>(count > axes_before ? task_.lengths[last_ - axes_before] : 1);
    };
    const hermitian_edges<T, Index> edges{x_,
                                          factor_,
                                          static_cast<Index>(task_.lengths[last_]),
                                          static_cast<Index>(task_.real_length),
                                          before_last(1),
                                          before_last(2)};
    transform(where_, edges, size_in_, to);
  }

  /// Where the input is copied anyway, the copy is scaled, and takes no longer for that.
  void copy_scaled(complex* to) {
    transform(where_, scaled<T>{x_, factor_}, 2 * size_in_, reinterpret_cast<T*>(to));
  }

  const fft_task& task_;
  const T* x_;
  void* out_;
  const target& where_;
  std::size_t last_, size_in_, size_out_;
  bool is_inverse_;
  T factor_;
};

template <class T>
void fft_of(const fft_task& task, const void* x, void* out, const target& where) {
  fft_call<T> call(task, x, out, where);
  are_last(task) ? call.along_last_axes() : call.axis_by_axis();
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
