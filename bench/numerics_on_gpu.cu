// Products, transforms and random numbers on a GPU beside cuBLAS, cuFFT and cuRAND, called directly with
// handles and plans of their own on the same stream.
//
//   numerics_on_gpu [PART…]      parts: matmul, fft, random, segments; default: all
//
// "device" is the time of a call when calls follow each other, between events; "call" is what the host waits
// for one call and its end. Both are medians of many, ours and the library's in turn. An asterisk marks what
// takes more than 2 % and more than 3 µs longer than the library, or random numbers that take more than 10 %
// longer than a kernel that only writes as much.
#include "target/shared_library.hpp"
#include <heddle/fft.hpp>
#include <heddle/impl/function_ref.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/linear_algebra.hpp>
#include <heddle/random.hpp>
#include <heddle/scan.hpp>
#include <heddle/segmented_reduce.hpp>
#include <heddle/segmented_scan.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cufft.h>
#include <curand.h>

namespace hd = heddle;
using heddle::gpu::check;

namespace {

using clock_of_host = std::chrono::steady_clock;

double seconds_since(clock_of_host::time_point began) {
  return std::chrono::duration<double>(clock_of_host::now() - began).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Microseconds.
struct times {
  double device, call;
};

class stopwatch {
 public:
  explicit stopwatch(const hd::target& where) : stream_(where.stream()) {
    check(cudaEventCreate(&before_), "cudaEventCreate");
    check(cudaEventCreate(&after_), "cudaEventCreate");
  }
  ~stopwatch() {
    cudaEventDestroy(before_);
    cudaEventDestroy(after_);
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

  using work = hd::impl::function_ref<void()>;

  /// The times of each of several pieces of work, in turn, so that what else the GPU does meets all alike.
  std::vector<times> compare(std::initializer_list<work> all) {
    double longest = 0;
    for (int warm_up = 0; warm_up < 3; ++warm_up) {
      longest = 0;
      for (const work& one : all) longest = std::max(longest, waited_for(one));
    }
    const auto between = [longest](double low, double x, double high) {
      return static_cast<int>(std::clamp(x / longest, low, high));
    };
    const int rounds = between(7, 0.4, 41), calls = between(1, 1e-3, 50), single = between(7, 0.1, 201);
    std::vector<std::vector<double>> device(all.size()), call(all.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < all.size(); ++i) device[i].push_back(on_device(all.begin()[i], calls));
    }
    for (int round = 0; round < single; ++round) {
      for (std::size_t i = 0; i < all.size(); ++i) call[i].push_back(waited_for(all.begin()[i]));
    }
    std::vector<times> result;
    for (std::size_t i = 0; i < all.size(); ++i)
      result.push_back({1e6 * median(device[i]), 1e6 * median(call[i])});
    return result;
  }

 private:
  double on_device(const work& one, int calls) {
    check(cudaEventRecord(before_, stream_), "cudaEventRecord");
    for (int i = 0; i < calls; ++i) one();
    check(cudaEventRecord(after_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(after_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, before_, after_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3 / calls;
  }
  double waited_for(const work& one) {
    const auto began = clock_of_host::now();
    one();
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    return seconds_since(began);
  }

  cudaStream_t stream_;
  cudaEvent_t before_ = nullptr, after_ = nullptr;
};

void print_heading(const char* library) {
  std::printf("\n%-34s%-14s%11s%11s%8s%9s%13s%11s%9s\n", "device, then call, in microseconds", "size", "ours",
              library, "ratio", "more", "ours", library, "more");
}

void print_row(const std::string& what, const std::string& size, const times& ours, const times& theirs) {
  const double more = ours.device - theirs.device, ratio = ours.device / theirs.device;
  std::printf("%-34s%-14s%11.2f%11.2f%8.3f%+9.2f%13.2f%11.2f%+9.2f%s\n", what.c_str(), size.c_str(),
              ours.device, theirs.device, ratio, more, ours.call, theirs.call, ours.call - theirs.call,
              ratio > 1.02 && more > 3 ? " *" : "");
  std::fflush(stdout);
}

/// Of cuBLAS, cuFFT or cuRAND, which all call 0 success.
void expect_success(const char* library, int status) {
  if (status != 0) throw hd::error(library + std::string(": error ") + std::to_string(status));
}

void expect(bool same, const std::string& what) {
  if (!same) throw hd::error("numerics_on_gpu: " + what + ": the results differ");
}

/// Of the member `library`, loaded when the program runs.
#define FUNCTION(member, name) decltype(name)* member = library.function<decltype(name)>(#name)

// Matrix products.

struct cublas {
  hd::impl::shared_library library =
      hd::impl::cuda_library("cublas", CUBLAS_VER_MAJOR, "install cuBLAS of the CUDA toolkit");
  FUNCTION(create, cublasCreate_v2);
  FUNCTION(set_stream, cublasSetStream_v2);
  FUNCTION(sgemm, cublasSgemm_v2);
  FUNCTION(dgemm, cublasDgemm_v2);
  FUNCTION(cgemm, cublasCgemm_v2);
  FUNCTION(gemm, cublasGemmEx_64);
  FUNCTION(batched, cublasGemmStridedBatchedEx_64);
  cublasHandle_t handle = nullptr;

  explicit cublas(const hd::target& where) {
    check(create(&handle));
    check(set_stream(handle, where.stream()));
  }
  static void check(cublasStatus_t status) { expect_success("cuBLAS", status); }
};

template <class T>
constexpr cudaDataType_t data_type = std::is_same_v<T, __half>          ? CUDA_R_16F
                                     : std::is_same_v<T, __nv_bfloat16> ? CUDA_R_16BF
                                     : std::is_same_v<T, float>         ? CUDA_R_32F
                                     : std::is_same_v<T, double>        ? CUDA_R_64F
                                                                        : CUDA_C_32F;
template <class T>
constexpr cublasComputeType_t summed_in = std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;

/// c = a·b of square matrices by the function that is there for their type. BLAS counts down columns, so the
/// operands change places.
template <class T>
void gemm(const cublas& blas, cublasOperation_t of_a, int n, const T* a, const T* b, T* c) {
  if constexpr (std::is_same_v<T, float>) {
    const float one = 1, none = 0;
    cublas::check(blas.sgemm(blas.handle, CUBLAS_OP_N, of_a, n, n, n, &one, b, n, a, n, &none, c, n));
  } else if constexpr (std::is_same_v<T, double>) {
    const double one = 1, none = 0;
    cublas::check(blas.dgemm(blas.handle, CUBLAS_OP_N, of_a, n, n, n, &one, b, n, a, n, &none, c, n));
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    const cuComplex one{1, 0}, none{0, 0};
    const auto raw = [](const T* x) { return reinterpret_cast<const cuComplex*>(x); };
    cublas::check(blas.cgemm(blas.handle, CUBLAS_OP_N, of_a, n, n, n, &one, raw(b), n, raw(a), n, &none,
                             reinterpret_cast<cuComplex*>(c), n));
  } else {
    const float one = 1, none = 0;
    cublas::check(blas.gemm(blas.handle, CUBLAS_OP_N, of_a, n, n, n, &one, b, data_type<T>, n, a,
                            data_type<T>, n, &none, c, data_type<T>, n, summed_in<T>, CUBLAS_GEMM_DEFAULT));
  }
}

template <class T>
struct rounded_to {
  HD_FN T operator()(float x) const { return T(x); }
};

/// Normal numbers, rounded to T.
template <class T>
hd::array<T> matrices(const hd::target& where, const hd::shape& lengths, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return hd::random::normal<T>(where, lengths, {.seed = seed});
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    hd::array<T> x(lengths, where);
    const hd::array<float> parts = hd::random::normal<float>(where, {2 * x.size()}, {.seed = seed});
    check(cudaMemcpyAsync(x.data(), parts.data(), x.size() * sizeof(T), cudaMemcpyDefault, where.stream()),
          "cudaMemcpyAsync");
    return x;
  } else {
    return hd::transform(where, hd::random::normal<float>(where, lengths, {.seed = seed}), rounded_to<T>{});
  }
}

template <class T>
bool same_bits(const hd::array<T>& a, const hd::array<T>& b) {
  const std::vector<T> x = a.to_vector(), y = b.to_vector();
  return std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

template <class T>
void compare_products(const char* type, const cublas& blas, const hd::target& where, stopwatch& watch) {
  for (const std::size_t n : {64, 256, 1024, 4096, 8192}) {
    const hd::array<T> a = matrices<T>(where, {n, n}, 1), b = matrices<T>(where, {n, n}, 2);
    hd::array<T> c({n, n}, where), direct({n, n}, where);
    const int side = static_cast<int>(n);
    for (const bool transposed : {false, true}) {
      if (transposed && n != 1024 && n != 4096) continue;
      const auto by_cublas = [&] {
        gemm(blas, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, side, a.data(), b.data(), direct.data());
      };
      const std::vector<times> took =
          transposed ? watch.compare({[&] { hd::matmul_into(where, c, hd::transposed(a), b); }, by_cublas})
                     : watch.compare({[&] { hd::matmul_into(where, c, a, b); }, by_cublas});
      const std::string what = type + std::string(transposed ? " transposed a · b" : " a · b");
      // Another kernel of cuBLAS may sum in another order.
      const bool same = same_bits(c, direct);
      print_row(what + (same ? "" : ", other bits"), std::to_string(n) + " x " + std::to_string(n), took[0],
                took[1]);
    }
  }
  for (const auto& [batches, n] : {std::pair<std::size_t, std::size_t>{1024, 32}, {256, 64}, {64, 256}}) {
    const hd::array<T> a = matrices<T>(where, {batches, n, n}, 1), b = matrices<T>(where, {batches, n, n}, 2);
    hd::array<T> c({batches, n, n}, where), direct({batches, n, n}, where);
    const int side = static_cast<int>(n);
    const std::string size = std::to_string(batches) + " of " + std::to_string(n) + " x " + std::to_string(n);
    const long long step = side * side;
    const float single[2] = {1, 0}, no_single[2] = {0, 0};
    const double twice = 1, no_twice = 0;
    constexpr bool is_double = std::is_same_v<T, double>;
    const void* const one = is_double ? static_cast<const void*>(&twice) : single;
    const void* const none = is_double ? static_cast<const void*>(&no_twice) : no_single;
    const std::vector<times> took = watch.compare(
        {[&] { hd::matmul_into(where, c, a, b); },
         [&] {
           cublas::check(blas.batched(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, one, b.data(),
                                      data_type<T>, side, step, a.data(), data_type<T>, side, step, none,
                                      direct.data(), data_type<T>, side, step, static_cast<int>(batches),
                                      summed_in<T>, CUBLAS_GEMM_DEFAULT));
         }});
    expect(same_bits(c, direct), type + (" batch of " + size));
    print_row(type + std::string(" batch"), size, took[0], took[1]);
  }
}

void compare_matmul(const hd::target& where) {
  stopwatch watch(where);
  const cublas blas(where);
  print_heading("cuBLAS");
  compare_products<float>("float", blas, where, watch);
  compare_products<double>("double", blas, where, watch);
  compare_products<std::complex<float>>("complex float", blas, where, watch);
  compare_products<__half>("half", blas, where, watch);
  compare_products<__nv_bfloat16>("bfloat16", blas, where, watch);
}

// Transforms.

struct cufft {
  hd::impl::shared_library library =
      hd::impl::cuda_library("cufft", CUFFT_VER_MAJOR, "install cuFFT of the CUDA toolkit");
  FUNCTION(plan_many, cufftPlanMany);
  FUNCTION(destroy, cufftDestroy);
  FUNCTION(set_stream, cufftSetStream);
  FUNCTION(c2c, cufftExecC2C);
  FUNCTION(r2c, cufftExecR2C);
  FUNCTION(c2r, cufftExecC2R);
  FUNCTION(z2z, cufftExecZ2Z);
  FUNCTION(d2z, cufftExecD2Z);
  FUNCTION(z2d, cufftExecZ2D);

  static void check(cufftResult status) { expect_success("cuFFT", status); }
};

/// Transforms of the last axes of an array by cuFFT alone.
class cufft_plan {
 public:
  cufft_plan(const cufft& library, const hd::shape& lengths, int axes, cufftType type,
             const hd::target& where)
      : library_(library), type_(type) {
    std::vector<int> n;
    std::size_t together = 1;
    for (std::size_t axis = lengths.axes() - static_cast<std::size_t>(axes); axis < lengths.axes(); ++axis) {
      n.push_back(static_cast<int>(lengths[axis]));
      together *= lengths[axis];
    }
    cufft::check(library.plan_many(&plan_, axes, n.data(), nullptr, 1, 0, nullptr, 1, 0, type,
                                   static_cast<int>(lengths.elements() / together)));
    cufft::check(library.set_stream(plan_, where.stream()));
  }
  ~cufft_plan() { library_.destroy(plan_); }
  cufft_plan(const cufft_plan&) = delete;
  cufft_plan& operator=(const cufft_plan&) = delete;

  void run(void* x, void* out, bool inverse) const {
    const int direction = inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    const auto as = [](void* data, auto* of) { return reinterpret_cast<decltype(of)>(data); };
    constexpr cufftReal* real = nullptr;
    constexpr cufftComplex* complex = nullptr;
    constexpr cufftDoubleReal* real64 = nullptr;
    constexpr cufftDoubleComplex* complex64 = nullptr;
    switch (type_) {
      case CUFFT_C2C:
        return cufft::check(library_.c2c(plan_, as(x, complex), as(out, complex), direction));
      case CUFFT_R2C:
        return cufft::check(library_.r2c(plan_, as(x, real), as(out, complex)));
      case CUFFT_C2R:
        return cufft::check(library_.c2r(plan_, as(x, complex), as(out, real)));
      case CUFFT_Z2Z:
        return cufft::check(library_.z2z(plan_, as(x, complex64), as(out, complex64), direction));
      case CUFFT_D2Z:
        return cufft::check(library_.d2z(plan_, as(x, real64), as(out, complex64)));
      default:
        return cufft::check(library_.z2d(plan_, as(x, complex64), as(out, real64)));
    }
  }

 private:
  const cufft& library_;
  cufftType type_;
  cufftHandle plan_ = 0;
};

/// What a caller of cuFFT runs after an inverse transform: a granule of 16 bytes a thread.
template <class T>
__global__ void __launch_bounds__(256) scale(T* x, std::size_t count, T factor) {
  constexpr unsigned width = 16 / sizeof(T);
  struct alignas(16) granule {
    T x[width];
  };
  const std::size_t g = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (g < count / width) {
    granule values = reinterpret_cast<granule*>(x)[g];
#pragma unroll
    for (T& value : values.x) value *= factor;
    reinterpret_cast<granule*>(x)[g] = values;
  } else if (g == count / width) {
    for (std::size_t i = count - count % width; i < count; ++i) x[i] *= factor;
  }
}

template <class T>
void compare_transforms_of(const cufft& library, const hd::shape& lengths, int axes, const std::string& size,
                           const hd::target& where, stopwatch& watch) {
  using complex = std::complex<T>;
  constexpr bool is_double = std::is_same_v<T, double>;
  const std::string type = is_double ? "double" : "float";
  hd::fft_axes last;
  for (int axis = -axes; axis < 0; ++axis) last.push_back(axis);
  std::size_t together = 1;
  for (std::size_t axis = lengths.axes() - last.size(); axis < lengths.axes(); ++axis)
    together *= lengths[axis];
  const T factor = T(1) / static_cast<T>(together);
  const auto scaling = [&](T* x, std::size_t count) {
    constexpr std::size_t a_block = 256 * 16 / sizeof(T);
    scale<T><<<static_cast<unsigned>(count / a_block + 1), 256, 0, where.stream()>>>(x, count, factor);
    check(cudaGetLastError(), "launch of scale");
  };
  const auto check_same = [&](const auto& ours, const auto& direct, const std::string& what) {
    if (lengths.elements() > std::size_t{1} << 20) return;
    const auto x = ours.to_vector(), y = direct.to_vector();
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      worst = std::max(worst, static_cast<double>(std::abs(x[i] - y[i])));
      largest = std::max(largest, static_cast<double>(std::abs(y[i])));
    }
    expect(worst <= (is_double ? 1e-14 : 1e-6) * largest, what + " of " + size + " " + type);
  };

  {
    hd::array<complex> x(lengths, where), y(lengths, where), direct(lengths, where);
    const hd::array<T> parts = hd::random::normal<T>(where, {2 * x.size()}, {.seed = 1});
    check(cudaMemcpyAsync(x.data(), parts.data(), x.size() * sizeof(complex), cudaMemcpyDefault,
                          where.stream()),
          "cudaMemcpyAsync");
    const cufft_plan plan(library, lengths, axes, is_double ? CUFFT_Z2Z : CUFFT_C2C, where);
    const auto forward = watch.compare(
        {[&] { hd::fft_into(where, y, x, last); }, [&] { plan.run(x.data(), direct.data(), false); }});
    check_same(y, direct, "fft");
    print_row("fft " + type, size, forward[0], forward[1]);
    T* const reals = reinterpret_cast<T*>(direct.data());
    const auto inverse = watch.compare({[&] { hd::ifft_into(where, y, x, last); },
                                        [&] { plan.run(x.data(), direct.data(), true); },
                                        [&] {
                                          plan.run(x.data(), direct.data(), true);
                                          scaling(reals, 2 * direct.size());
                                        }});
    check_same(y, direct, "ifft");
    print_row("ifft " + type + ", unscaled by cuFFT", size, inverse[0], inverse[1]);
    print_row("ifft " + type + ", cuFFT and a scaling", size, inverse[0], inverse[2]);
  }
  {
    const hd::array<T> x = hd::random::normal<T>(where, lengths, {.seed = 2});
    const cufft_plan plan(library, lengths, axes, is_double ? CUFFT_D2Z : CUFFT_R2C, where);
    hd::array<complex> spectrum = hd::rfft(where, x, last);
    hd::array<complex> direct(spectrum.shape(), where);
    const auto forward = watch.compare({[&] { hd::rfft_into(where, spectrum, x, last); },
                                        [&] { plan.run(const_cast<T*>(x.data()), direct.data(), false); }});
    check_same(spectrum, direct, "rfft");
    print_row("rfft " + type, size, forward[0], forward[1]);
    const cufft_plan back(library, lengths, axes, is_double ? CUFFT_Z2D : CUFFT_C2R, where);
    hd::array<T> y(lengths, where), direct_back(lengths, where);
    // cuFFT overwrites what it transforms to real elements, so a caller who keeps that copies it.
    hd::array<complex> overwritten = spectrum.on(where);
    const auto inverse = watch.compare({[&] { hd::irfft_into(where, y, spectrum, last); },
                                        [&] { back.run(overwritten.data(), direct_back.data(), true); },
                                        [&] {
                                          check(cudaMemcpyAsync(overwritten.data(), spectrum.data(),
                                                                spectrum.size() * sizeof(complex),
                                                                cudaMemcpyDeviceToDevice, where.stream()),
                                                "cudaMemcpyAsync");
                                          back.run(overwritten.data(), direct_back.data(), true);
                                          scaling(direct_back.data(), direct_back.size());
                                        }});
    check_same(y, direct_back, "irfft");
    print_row("irfft " + type + ", unscaled by cuFFT", size, inverse[0], inverse[1]);
    print_row("irfft " + type + ", copy, cuFFT, scaling", size, inverse[0], inverse[2]);
  }
}

void compare_fft(const hd::target& where) {
  stopwatch watch(where);
  const cufft library;
  print_heading("cuFFT");
  const auto both = [&](const hd::shape& lengths, int axes, const std::string& size) {
    compare_transforms_of<float>(library, lengths, axes, size, where, watch);
    compare_transforms_of<double>(library, lengths, axes, size, where, watch);
  };
  for (int power = 10; power <= 26; power += 2)
    both({std::size_t{1} << power}, 1, "2^" + std::to_string(power));
  both({16384, 1024}, 1, "16384 of 1024");
  both({256, 65536}, 1, "256 of 65536");
  both({4096, 4096}, 2, "4096 x 4096");
  both({256, 256, 256}, 3, "256^3");
}

// Random numbers.

struct curand {
  hd::impl::shared_library library =
      hd::impl::cuda_library("curand", CURAND_VER_MAJOR, "install cuRAND of the CUDA toolkit");
  FUNCTION(create, curandCreateGenerator);
  FUNCTION(set_stream, curandSetStream);
  FUNCTION(bits, curandGenerate);
  FUNCTION(uniform, curandGenerateUniform);
  FUNCTION(uniform_double, curandGenerateUniformDouble);
  FUNCTION(normal, curandGenerateNormal);
  FUNCTION(normal_double, curandGenerateNormalDouble);
  curandGenerator_t generator = nullptr;

  explicit curand(const hd::target& where) {
    check(create(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    check(set_stream(generator, where.stream()));
  }
  static void check(curandStatus_t status) { expect_success("cuRAND", status); }
};

#undef FUNCTION

/// Writes 16 bytes a thread and nothing else.
__global__ void __launch_bounds__(256) write_vectors(uint4* out, std::size_t count, std::uint32_t value) {
  const std::size_t g = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (g < count) out[g] = {value, value, value, value};
}

/// Beside what cuRAND takes, or nothing where it has no such numbers.
template <class T, class Ours, class... Theirs>
void compare_generation(const std::string& what, std::size_t n, const hd::target& where, stopwatch& watch,
                        const Ours& ours, const Theirs&... theirs) {
  hd::array<T> out(n, where);
  const std::size_t bytes = n * sizeof(T), granules = bytes / 16;
  const auto fill = [&] {
    write_vectors<<<static_cast<unsigned>((granules + 255) / 256), 256, 0, where.stream()>>>(
        reinterpret_cast<uint4*>(out.data()), granules, 7);
    check(cudaGetLastError(), "launch of write_vectors");
  };
  const std::vector<times> took = watch.compare({[&] { ours(out); }, fill, [&] { theirs(out.data()); }...});
  const auto gb_per_s = [&](const times& t) { return static_cast<double>(bytes) / t.device / 1e3; };
  const double share = took[1].device / took[0].device;
  std::printf("%-34s2^%-12.0f%11.2f%11.0f%11.0f%8.3f", what.c_str(), std::log2(static_cast<double>(n)),
              took[0].device, gb_per_s(took[0]), gb_per_s(took[1]), share);
  if (took.size() > 2) {
    std::printf("%11.0f%8.3f", gb_per_s(took[2]), took[2].device / took[0].device);
  } else {
    std::printf("%11s%8s", "-", "-");
  }
  std::printf("%s\n", share < 1 / 1.1 ? " *" : "");
  std::fflush(stdout);
}

void compare_random(const hd::target& where) {
  stopwatch watch(where);
  const curand library(where);
  const curandGenerator_t generator = library.generator;
  std::printf("\n%-34s%-14s%11s%11s%11s%8s%11s%8s\n", "random numbers", "elements", "ours, us", "GB/s",
              "fill GB/s", "share", "cuRAND", "times");
  const std::size_t n = std::size_t{1} << 28;
  const hd::random::stream from{.seed = 1};
  const auto measure = [&]<class T>(const char* what, T, const auto& ours, const auto&... theirs) {
    compare_generation<T>(what + (" " + std::string(hd::name(hd::dtype_of<T>))), n, where, watch, ours,
                          theirs...);
  };
  measure(
      "uniform", float{}, [&](auto& out) { hd::random::uniform_into(where, out, from); },
      [&](float* out) { curand::check(library.uniform(generator, out, n)); });
  measure(
      "uniform", double{}, [&](auto& out) { hd::random::uniform_into(where, out, from); },
      [&](double* out) { curand::check(library.uniform_double(generator, out, n)); });
  measure(
      "normal", float{}, [&](auto& out) { hd::random::normal_into(where, out, from); },
      [&](float* out) { curand::check(library.normal(generator, out, n, 0, 1)); });
  measure(
      "normal", double{}, [&](auto& out) { hd::random::normal_into(where, out, from); },
      [&](double* out) { curand::check(library.normal_double(generator, out, n, 0, 1)); });
  measure("exponential", float{}, [&](auto& out) { hd::random::exponential_into(where, out, from); });
  measure("exponential", double{}, [&](auto& out) { hd::random::exponential_into(where, out, from); });
  const auto below_a_million = [&](auto& out) { hd::random::integers_into(where, out, from, 0, 1'000'000); };
  measure("integers below 10^6", std::uint32_t{}, below_a_million,
          [&](std::uint32_t* out) { curand::check(library.bits(generator, out, n)); });
  measure("integers below 10^6", std::int64_t{}, below_a_million);
  measure("integers below 10^12", std::int64_t{},
          [&](auto& out) { hd::random::integers_into(where, out, from, 0, 1'000'000'000'000); });
  measure("integers below 100", std::uint8_t{},
          [&](auto& out) { hd::random::integers_into(where, out, from, 0, 100); });
}

// Segments.

/// Sums and scans of segments whose lengths are from none to twice a mean, and what memory they move a second
/// beside the sum and the scan of all elements.
void measure_segments(const hd::target& where) {
  stopwatch watch(where);
  const std::size_t n = std::size_t{1} << 26;
  const hd::array<float> x = hd::random::uniform<float>(where, {n}, {.seed = 1});
  hd::array<float> out(n, where);
  std::printf("\n%-34s%-14s%11s%11s%18s%11s%11s%18s\n", "sums of segments of float32", "segments", "us",
              "GB/s", "of all, GB/s", "scan, us", "GB/s", "of all, GB/s");
  for (const std::size_t mean :
       {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{16}, std::size_t{64}, std::size_t{256},
        std::size_t{2048}, std::size_t{65536}, n / 2}) {
    const std::vector<std::size_t> lengths =
        hd::random::integers<std::size_t>(where, {n / mean}, {.seed = 2}, 0, 2 * mean + 1).to_vector();
    std::vector<std::size_t> begin{0};
    for (const std::size_t length : lengths) begin.push_back(std::min(n, begin.back() + length));
    const hd::array<std::size_t> offsets(begin, where);
    const std::vector<times> took =
        watch.compare({[&] { hd::segmented_reduce(where, x, offsets); }, [&] { hd::reduce(where, x); },
                       [&] { hd::segmented_inclusive_scan_into(where, out, x, offsets); },
                       [&] { hd::inclusive_scan_into(where, out, x); }});
    const double bytes = static_cast<double>(sizeof(float) * begin.back() + 12 * lengths.size());
    const double scanned_bytes = 8.0 * static_cast<double>(n);
    std::printf("%-34s%-14zu%11.2f%11.0f%18.0f%11.2f%11.0f%18.0f\n",
                ("of a mean of " + std::to_string(mean)).c_str(), lengths.size(), took[0].device,
                bytes / took[0].device / 1e3, 4.0 * static_cast<double>(n) / took[1].device / 1e3,
                took[2].device, scanned_bytes / took[2].device / 1e3, scanned_bytes / took[3].device / 1e3);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> parts(argv + 1, argv + argc);
    const auto wanted = [&](const char* part) {
      return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
    };
    const hd::target where = hd::target::gpu();
    if (wanted("matmul")) compare_matmul(where);
    if (wanted("fft")) compare_fft(where);
    if (wanted("random")) compare_random(where);
    if (wanted("segments")) measure_segments(where);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
