#include "vendor_libraries.hpp"

#include <heddle/error.hpp>

#include <initializer_list>
#include <memory>
#include <type_traits>

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/core.h>
#if defined(HEDDLE_MEASURE_CUDA)
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#endif

namespace heddle::measure {
namespace {

/// The first of the libraries that is there; null where none is.
void* library(std::initializer_list<std::string> names) {
  for (const std::string& name : names) {
    if (void* const found = dlopen(name.c_str(), RTLD_LAZY)) return found;
  }
  return nullptr;
}

template <class F>
F* function_of(void* from, const char* name) {
  void* const found = dlsym(from, name);
  if (found == nullptr) throw error(fmt::format("measure: a library has no function {}", name));
  return reinterpret_cast<F*>(found);
}

/// Of the library `from`, by its name.
#define FUNCTION(from, name) function_of<decltype(name)>(from, #name)

contenders peer(const char* name, std::function<void()> call, std::function<bool()> is_right) {
  return {{name, role::peer, std::move(call), std::move(is_right)}};
}

template <class T>
contenders openblas_gemm(const session& with, const T* a, const T* b, T* c, std::size_t n,
                         std::function<bool()> is_right) {
  void* const openblas = library({"libopenblas.so.0", "libopenblas.so"});
  if (openblas == nullptr) return {};
  const auto set_threads = FUNCTION(openblas, openblas_set_num_threads);
  const auto size = static_cast<blasint>(n);
  const int threads = with.where.threads();
  const auto call = [=](auto* gemm) {
    return [=] {
      // Heddle leaves it with one.
      set_threads(threads);
      gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, T(1), a, size, b, size, T(0), c,
           size);
    };
  };
  if constexpr (std::is_same_v<T, float>) {
    return peer("OpenBLAS", call(FUNCTION(openblas, cblas_sgemm)), std::move(is_right));
  } else {
    return peer("OpenBLAS", call(FUNCTION(openblas, cblas_dgemm)), std::move(is_right));
  }
}

#if defined(HEDDLE_MEASURE_CUDA)

/// A library of the toolkit, which Heddle has loaded already where it uses it.
void* cuda_library(const char* name, int major) {
  const std::string file = fmt::format("lib{}.so.{}", name, major);
  return library({file, fmt::format("{}/{}", HEDDLE_MEASURE_CUDA_LIBRARIES, file)});
}

/// All of them call 0 success.
void expect_success(const char* name, int status) {
  if (status != 0) throw error(fmt::format("measure: {}: error {}", name, status));
}

template <class T>
contenders cublas_gemm(const session& with, const T* a, const T* b, T* c, std::size_t n,
                       std::function<bool()> is_right) {
  void* const cublas = cuda_library("cublas", CUBLAS_VER_MAJOR);
  if (cublas == nullptr) return {};
  cublasHandle_t raw = nullptr;
  expect_success("cuBLAS", FUNCTION(cublas, cublasCreate_v2)(&raw));
  const std::shared_ptr<cublasContext> handle(raw, FUNCTION(cublas, cublasDestroy_v2));
  expect_success("cuBLAS", FUNCTION(cublas, cublasSetStream_v2)(raw, with.where.stream()));
  const int size = static_cast<int>(n);
  // It counts down columns, so the operands change places.
  const auto call = [=](auto* gemm) {
    return [=] {
      const T one = 1, none = 0;
      expect_success("cuBLAS", gemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, b, size,
                                    a, size, &none, c, size));
    };
  };
  if constexpr (std::is_same_v<T, float>) {
    return peer("cuBLAS", call(FUNCTION(cublas, cublasSgemm_v2)), std::move(is_right));
  } else {
    return peer("cuBLAS", call(FUNCTION(cublas, cublasDgemm_v2)), std::move(is_right));
  }
}

struct cufft_plan {
  cufftHandle handle = 0;
  decltype(cufftDestroy)* destroy;
  ~cufft_plan() { destroy(handle); }
};

struct curand_generator {
  curandGenerator_t handle = nullptr;
  decltype(curandDestroyGenerator)* destroy;
  ~curand_generator() { destroy(handle); }
};

/// call(curand, generator, out) fills `out`.
template <class Call>
contenders by_curand(const session& with, const Call& call, std::function<bool()> is_right) {
  void* const curand = with.where.is_gpu() ? cuda_library("curand", CURAND_VER_MAJOR) : nullptr;
  if (curand == nullptr) return {};
  const auto made = std::shared_ptr<curand_generator>(
      new curand_generator{nullptr, FUNCTION(curand, curandDestroyGenerator)});
  expect_success("cuRAND",
                 FUNCTION(curand, curandCreateGenerator)(&made->handle, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  expect_success("cuRAND", FUNCTION(curand, curandSetStream)(made->handle, with.where.stream()));
  return peer(
      "cuRAND", [made, fill = call(curand)] { expect_success("cuRAND", fill(made->handle)); },
      std::move(is_right));
}

#endif

}  // namespace

template <class T>
contenders gemm_of_vendor(const session& with, const T* a, const T* b, T* c, std::size_t n,
                          std::function<bool()> is_right) {
#if defined(HEDDLE_MEASURE_CUDA)
  if (with.where.is_gpu()) return cublas_gemm(with, a, b, c, n, std::move(is_right));
#endif
  return openblas_gemm(with, a, b, c, n, std::move(is_right));
}

template <class T>
contenders cufft_forward([[maybe_unused]] const session& with, [[maybe_unused]] const std::complex<T>* x,
                         [[maybe_unused]] std::complex<T>* out, [[maybe_unused]] std::size_t n,
                         [[maybe_unused]] std::function<bool()> is_right) {
#if defined(HEDDLE_MEASURE_CUDA)
  void* const cufft = with.where.is_gpu() ? cuda_library("cufft", CUFFT_VER_MAJOR) : nullptr;
  if (cufft != nullptr) {
    constexpr bool is_float = std::is_same_v<T, float>;
    const auto plan = std::shared_ptr<cufft_plan>(new cufft_plan{0, FUNCTION(cufft, cufftDestroy)});
    expect_success("cuFFT", FUNCTION(cufft, cufftPlan1d)(&plan->handle, static_cast<int>(n),
                                                         is_float ? CUFFT_C2C : CUFFT_Z2Z, 1));
    expect_success("cuFFT", FUNCTION(cufft, cufftSetStream)(plan->handle, with.where.stream()));
    // It does not write what it only reads.
    auto* const from = const_cast<std::complex<T>*>(x);
    const auto call = [=](auto* transform, auto* as) {
      return [=] {
        expect_success("cuFFT", transform(plan->handle, reinterpret_cast<decltype(as)>(from),
                                          reinterpret_cast<decltype(as)>(out), CUFFT_FORWARD));
      };
    };
    if constexpr (is_float) {
      return peer("cuFFT", call(FUNCTION(cufft, cufftExecC2C), static_cast<cufftComplex*>(nullptr)),
                  std::move(is_right));
    } else {
      return peer("cuFFT", call(FUNCTION(cufft, cufftExecZ2Z), static_cast<cufftDoubleComplex*>(nullptr)),
                  std::move(is_right));
    }
  }
#endif
  return {};
}

template <class T>
contenders curand_uniform([[maybe_unused]] const session& with, [[maybe_unused]] T* out,
                          [[maybe_unused]] std::size_t n, [[maybe_unused]] std::function<bool()> is_right) {
#if defined(HEDDLE_MEASURE_CUDA)
  return by_curand(
      with,
      [=](void* curand) {
        if constexpr (std::is_same_v<T, float>) {
          return [=, fill = FUNCTION(curand, curandGenerateUniform)](auto handle) {
            return fill(handle, out, n);
          };
        } else {
          return [=, fill = FUNCTION(curand, curandGenerateUniformDouble)](auto handle) {
            return fill(handle, out, n);
          };
        }
      },
      std::move(is_right));
#else
  return {};
#endif
}

template <class T>
contenders curand_normal([[maybe_unused]] const session& with, [[maybe_unused]] T* out,
                         [[maybe_unused]] std::size_t n, [[maybe_unused]] std::function<bool()> is_right) {
#if defined(HEDDLE_MEASURE_CUDA)
  return by_curand(
      with,
      [=](void* curand) {
        if constexpr (std::is_same_v<T, float>) {
          return [=, fill = FUNCTION(curand, curandGenerateNormal)](auto handle) {
            return fill(handle, out, n, 0, 1);
          };
        } else {
          return [=, fill = FUNCTION(curand, curandGenerateNormalDouble)](auto handle) {
            return fill(handle, out, n, 0, 1);
          };
        }
      },
      std::move(is_right));
#else
  return {};
#endif
}

#define INSTANTIATE(T)                                                                                     \
  template contenders gemm_of_vendor(const session&, const T*, const T*, T*, std::size_t,                  \
                                     std::function<bool()>);                                               \
  template contenders cufft_forward(const session&, const std::complex<T>*, std::complex<T>*, std::size_t, \
                                    std::function<bool()>);                                                \
  template contenders curand_uniform(const session&, T*, std::size_t, std::function<bool()>);              \
  template contenders curand_normal(const session&, T*, std::size_t, std::function<bool()>);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE
#undef FUNCTION

}  // namespace heddle::measure
