#pragma once
#pragma GCC system_header

/// Replacements of cublasLt: D = epilogue(alpha op(A) op(B) + beta C). Matrices are watched as wholes.

#include "../names_begin.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
// Not before the macros are put away.
#include "../float_8_bits.hpp"
#include "blas.hpp"
#include "lt_types.hpp"

struct cublasLtContext {};

namespace heddle_device::blas {

inline size_t bytes_of_type(uint32_t type) {
  switch (static_cast<cudaDataType>(type)) {
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 0;
  }
}
inline bool is_of_8_bits(uint32_t type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}
/// Element i of a matrix of any type, in the type that is calculated in.
template <class C>
HEDDLE_UNWATCHED C loaded_as(uint32_t type, const void* from, std::ptrdiff_t i) {
  switch (static_cast<cudaDataType>(type)) {
    case CUDA_R_8I:
      return C(static_cast<const signed char*>(from)[i]);
    case CUDA_R_32I:
      return C(static_cast<const int*>(from)[i]);
    case CUDA_R_8F_E4M3:
      return C(from_8_bits(static_cast<const unsigned char*>(from)[i], e4m3));
    case CUDA_R_8F_E5M2:
      return C(from_8_bits(static_cast<const unsigned char*>(from)[i], e5m2));
    case CUDA_R_16F:
      return C(half_to_float(static_cast<const unsigned short*>(from)[i]));
    case CUDA_R_16BF:
      return C(bfloat16_to_float(static_cast<const unsigned short*>(from)[i]));
    case CUDA_R_32F:
      return C(static_cast<const float*>(from)[i]);
    case CUDA_R_64F:
      return C(static_cast<const double*>(from)[i]);
    default:
      break;
  }
  if constexpr (!std::is_arithmetic_v<C>) {
    if (type == CUDA_C_32F) return C(loaded<std::complex<float>>(static_cast<const cuComplex*>(from)[i]));
    if (type == CUDA_C_64F) {
      const cuDoubleComplex z = static_cast<const cuDoubleComplex*>(from)[i];
      return C(z.x, z.y);
    }
  }
  return C();
}
template <class C>
HEDDLE_UNWATCHED void store_as(uint32_t type, void* to, std::ptrdiff_t i, const C& what) {
  if constexpr (std::is_arithmetic_v<C>) {
    switch (static_cast<cudaDataType>(type)) {
      case CUDA_R_8I: {
        const double nearest = std::nearbyint(static_cast<double>(what));
        static_cast<signed char*>(to)[i] = static_cast<signed char>(std::clamp(nearest, -128.0, 127.0));
        return;
      }
      case CUDA_R_32I:
        static_cast<int*>(to)[i] = static_cast<int>(what);
        return;
      case CUDA_R_8F_E4M3:
        static_cast<unsigned char*>(to)[i] = to_8_bits(static_cast<double>(what), true, e4m3);
        return;
      case CUDA_R_8F_E5M2:
        static_cast<unsigned char*>(to)[i] = to_8_bits(static_cast<double>(what), true, e5m2);
        return;
      case CUDA_R_16F:
        static_cast<unsigned short*>(to)[i] = float_to_half(static_cast<float>(what));
        return;
      case CUDA_R_16BF:
        static_cast<unsigned short*>(to)[i] = float_to_bfloat16(static_cast<float>(what));
        return;
      case CUDA_R_32F:
        static_cast<float*>(to)[i] = static_cast<float>(what);
        return;
      case CUDA_R_64F:
        static_cast<double*>(to)[i] = static_cast<double>(what);
        return;
      default:
        return;
    }
  } else if (type == CUDA_C_32F) {
    stored(static_cast<cuComplex*>(to)[i], what);
  } else {
    stored(static_cast<cuDoubleComplex*>(to)[i], what);
  }
}

/// A matrix of a product, of its number `batch` where there are many.
struct lt_matrix {
  cublasLtMatrixLayoutOpaque_t layout;
  char* data;

  std::ptrdiff_t place(std::ptrdiff_t i, std::ptrdiff_t j, int batch) const {
    const std::ptrdiff_t pitch = layout.pitch;
    return (layout.order == CUBLASLT_ORDER_COL ? i + j * pitch : i * pitch + j) + batch * layout.step;
  }
  std::ptrdiff_t rows() const { return static_cast<std::ptrdiff_t>(layout.rows); }
  std::ptrdiff_t columns() const { return static_cast<std::ptrdiff_t>(layout.columns); }
  bool is_wrong() const {
    const uint64_t inner = layout.order == CUBLASLT_ORDER_COL ? layout.rows : layout.columns;
    return layout.count < 1 || layout.pitch < static_cast<int64_t>(inner);
  }
  /// Tells that all of it is read, or written, a column or row at a time.
  template <class F>
  void tell(int batch, const F& f) const {
    const bool by_columns = layout.order == CUBLASLT_ORDER_COL;
    const size_t each = bytes_of_type(layout.type);
    const std::ptrdiff_t inner = by_columns ? rows() : columns(), outer = by_columns ? columns() : rows();
    for (std::ptrdiff_t j = 0; j < outer && inner > 0; ++j)
      f(data + static_cast<std::ptrdiff_t>(each) * (by_columns ? place(0, j, batch) : place(j, 0, batch)),
        static_cast<size_t>(inner) * each);
  }
};

/// What a kernel of a product is given.
template <class C>
struct lt_product {
  cublasLtMatmulDescOpaque_t how;
  lt_matrix a, b, c, d;
  std::ptrdiff_t m, n, k;
  const void *alpha, *beta;  ///< on the device, or else:
  C alpha_value, beta_value;
  void* workspace;
  size_t workspace_bytes;
};

/// The approximation by a hyperbolic tangent (Hendrycks and Gimpel, arXiv:1606.08415).
template <class C>
C gelu(const C& x) {
  const double y = static_cast<double>(x);
  return static_cast<C>(0.5 * y * (1 + std::tanh(0.7978845608028654 * (y + 0.044715 * y * y * y))));
}
template <class C>
HEDDLE_UNWATCHED void lt_calculate(const lt_product<C>& p, int batch, C alpha, C beta, float scale_d, C* a,
                                   C* b, float* largest) {
  const bool adds_bias = (p.how.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0;
  const uint32_t bias_type = p.how.bias_type < 0 ? p.d.layout.type : static_cast<uint32_t>(p.how.bias_type);
  const auto take = [&](const lt_matrix& from, int op, std::ptrdiff_t i, std::ptrdiff_t j) {
    const C x = loaded_as<C>(from.layout.type, from.data,
                             op == CUBLAS_OP_N ? from.place(i, j, batch) : from.place(j, i, batch));
    return op == CUBLAS_OP_C ? conjugate(x) : x;
  };
  for (std::ptrdiff_t i = 0; i < p.m; ++i)
    for (std::ptrdiff_t l = 0; l < p.k; ++l) a[i * p.k + l] = take(p.a, p.how.of_a, i, l);
  for (std::ptrdiff_t j = 0; j < p.n; ++j)
    for (std::ptrdiff_t l = 0; l < p.k; ++l) b[j * p.k + l] = take(p.b, p.how.of_b, l, j);
  for (std::ptrdiff_t j = 0; j < p.n; ++j) {
    for (std::ptrdiff_t i = 0; i < p.m; ++i) {
      C sum = C();
      for (std::ptrdiff_t l = 0; l < p.k; ++l) sum += product(a[i * p.k + l], b[j * p.k + l]);
      C value = product(alpha, sum);
      if (!(beta == C()))
        value += product(beta, loaded_as<C>(p.c.layout.type, p.c.data, p.c.place(i, j, batch)));
      if (adds_bias) value += loaded_as<C>(bias_type, p.how.bias, i + batch * p.how.bias_step);
      if constexpr (std::is_arithmetic_v<C>) {
        if ((p.how.epilogue & CUBLASLT_EPILOGUE_RELU) != 0 && value < 0) value = 0;
        if ((p.how.epilogue & CUBLASLT_EPILOGUE_GELU) != 0) value = gelu(value);
        *largest = std::max(*largest, static_cast<float>(value < 0 ? -value : value));
        value = static_cast<C>(value * static_cast<C>(scale_d));
      }
      store_as(p.d.layout.type, p.d.data, p.d.place(i, j, batch), value);
    }
  }
}
template <class C>
C lt_read_scalar(int32_t type, const void* from) {
  if constexpr (std::is_same_v<C, std::complex<float>>) {
    return loaded<C>(*static_cast<const cuComplex*>(from));
  } else if constexpr (std::is_same_v<C, std::complex<double>>) {
    return loaded<C>(*static_cast<const cuDoubleComplex*>(from));
  } else {
    switch (type) {
      case CUDA_R_16F:
        return static_cast<C>(half_to_float(*static_cast<const unsigned short*>(from)));
      case CUDA_R_32I:
        return static_cast<C>(*static_cast<const int*>(from));
      case CUDA_R_64F:
        return static_cast<C>(*static_cast<const double*>(from));
      default:
        return static_cast<C>(*static_cast<const float*>(from));
    }
  }
}

template <class C>
void lt_run(const lt_product<C>& p) {
  C alpha = p.alpha_value, beta = p.beta_value;
  if (p.alpha != nullptr) alpha = lt_read_scalar<C>(p.how.scale, p.alpha);
  if (p.beta != nullptr) beta = lt_read_scalar<C>(p.how.scale, p.beta);
  float scale_c = 1, scale_d = 1, largest = 0;
  if constexpr (std::is_same_v<C, float>) {
    if (p.how.scale_a != nullptr && is_of_8_bits(p.a.layout.type)) alpha *= *p.how.scale_a;
    if (p.how.scale_b != nullptr && is_of_8_bits(p.b.layout.type)) alpha *= *p.how.scale_b;
    if (p.how.scale_c != nullptr && is_of_8_bits(p.c.layout.type)) scale_c = *p.how.scale_c;
    if (p.how.scale_d != nullptr && is_of_8_bits(p.d.layout.type)) scale_d = *p.how.scale_d;
    beta *= scale_c;
  }
  // Its ends alone, since it may be large.
  if (p.workspace_bytes != 0) {
    library_writes(p.workspace, 1);
    library_writes(static_cast<char*>(p.workspace) + p.workspace_bytes - 1, 1);
  }
  const library_numbers<C> a(p.m * p.k), b(p.n * p.k);
  for (int batch = 0; batch < p.d.layout.count; ++batch) {
    p.a.tell(batch, library_reads);
    p.b.tell(batch, library_reads);
    if (!(beta == C())) p.c.tell(batch, library_reads);
    if ((p.how.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) {
      const uint32_t type = p.how.bias_type < 0 ? p.d.layout.type : static_cast<uint32_t>(p.how.bias_type);
      const auto each = static_cast<std::ptrdiff_t>(bytes_of_type(type));
      library_reads(static_cast<const char*>(p.how.bias) + batch * p.how.bias_step * each,
                    static_cast<size_t>(p.m * each));
    }
    p.d.tell(batch, library_writes);
    lt_calculate(p, batch, alpha, beta, scale_d, a.data(), b.data(), &largest);
  }
  if (p.how.largest != nullptr && is_of_8_bits(p.d.layout.type)) *p.how.largest = largest;
}
/// Which types go together; f is told the type that is calculated in.
template <class F>
cublasStatus_t by_compute_type(const cublasLtMatmulDescOpaque_t& how, uint32_t a, uint32_t b, uint32_t c,
                               uint32_t d, const F& f) {
  const auto is_short = [](uint32_t t) { return t == CUDA_R_16F || t == CUDA_R_16BF; };
  const auto all_are = [=](uint32_t t) { return a == t && b == t && c == t && d == t; };
  switch (how.compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return all_are(CUDA_R_16F) && how.scale == CUDA_R_16F ? f(float()) : CUBLAS_STATUS_NOT_SUPPORTED;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      if (a != CUDA_R_8I || b != CUDA_R_8I) return CUBLAS_STATUS_NOT_SUPPORTED;
      if (c == CUDA_R_32I && d == CUDA_R_32I && how.scale == CUDA_R_32I) return f(int());
      // Sums are whole numbers below 2^53.
      return c == CUDA_R_8I && d == CUDA_R_8I && how.scale == CUDA_R_32F ? f(double())
                                                                         : CUBLAS_STATUS_NOT_SUPPORTED;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      if (all_are(CUDA_R_64F) && how.scale == CUDA_R_64F) return f(double());
      return all_are(CUDA_C_64F) && how.scale == CUDA_C_64F ? f(std::complex<double>())
                                                            : CUBLAS_STATUS_NOT_SUPPORTED;
    default:
      break;
  }
  if (all_are(CUDA_C_32F) && how.scale == CUDA_C_32F) return f(std::complex<float>());
  if (how.scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (is_of_8_bits(a) && is_of_8_bits(b)) {
    // As on compute capability 9.0.
    const bool is_right =
        how.of_a == CUBLAS_OP_T && how.of_b == CUBLAS_OP_N && (a == CUDA_R_8F_E4M3 || b == CUDA_R_8F_E4M3) &&
        (is_short(c) || (c == CUDA_R_32F && d == CUDA_R_32F)) && (d == c || is_of_8_bits(d));
    return is_right ? f(float()) : CUBLAS_STATUS_NOT_SUPPORTED;
  }
  const bool is_right = a == b && c == d &&
                        ((is_short(a) && (c == a || c == CUDA_R_32F)) ||
                         (a == CUDA_R_32F && c == CUDA_R_32F) || (a == CUDA_R_8I && c == CUDA_R_32F));
  return is_right ? f(float()) : CUBLAS_STATUS_NOT_SUPPORTED;
}
inline cublasStatus_t check_product(const cublasLtMatmulDescOpaque_t* how,
                                    const cublasLtMatrixLayoutOpaque_t* a,
                                    const cublasLtMatrixLayoutOpaque_t* b,
                                    const cublasLtMatrixLayoutOpaque_t* c,
                                    const cublasLtMatrixLayoutOpaque_t* d) {
  if (how == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  for (const cublasLtMatrixLayoutOpaque_t* each : {a, b, c, d})
    if (lt_matrix{*each, nullptr}.is_wrong() || each->count != d->count) return CUBLAS_STATUS_INVALID_VALUE;
  const bool turns_a = how->of_a != CUBLAS_OP_N, turns_b = how->of_b != CUBLAS_OP_N;
  if ((turns_a ? a->columns : a->rows) != d->rows || (turns_b ? b->rows : b->columns) != d->columns ||
      (turns_a ? a->rows : a->columns) != (turns_b ? b->columns : b->rows) || c->rows != d->rows ||
      c->columns != d->columns || c->order != d->order)
    return CUBLAS_STATUS_INVALID_VALUE;
  return by_compute_type(*how, a->type, b->type, c->type, d->type,
                         [](auto) { return CUBLAS_STATUS_SUCCESS; });
}

}  // namespace heddle_device::blas

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline size_t cublasLtGetVersion() {
  return 130000;
}
inline const char* cublasLtGetStatusName(cublasStatus_t status) {
  return cublasGetStatusName(status);
}
inline const char* cublasLtGetStatusString(cublasStatus_t status) {
  return cublasGetStatusString(status);
}
/// One algorithm, which needs no memory of its own.
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t how,
                                                     cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                                     cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                                     cublasLtMatmulPreference_t preference, int requested,
                                                     cublasLtMatmulHeuristicResult_t* results,
                                                     int* returned) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (preference == nullptr || requested < 1 || results == nullptr || returned == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  *returned = 0;
  const cublasStatus_t status = heddle_device::blas::check_product(how, a, b, c, d);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  *returned = 1;
  results[0] = {};
  results[0].algo.data[0] = 1;
  results[0].wavesCount = 1;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t how, const void* alpha,
                                     const void* A, cublasLtMatrixLayout_t of_a, const void* B,
                                     cublasLtMatrixLayout_t of_b, const void* beta, const void* C,
                                     cublasLtMatrixLayout_t of_c, void* D, cublasLtMatrixLayout_t of_d,
                                     const cublasLtMatmulAlgo_t*, void* workspace, size_t workspace_bytes,
                                     cudaStream_t stream) {
  using namespace heddle_device::blas;
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = check_product(how, of_a, of_b, of_c, of_d);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr || A == nullptr || B == nullptr || D == nullptr ||
      (workspace == nullptr && workspace_bytes != 0) ||
      ((how->epilogue & CUBLASLT_EPILOGUE_BIAS) != 0 && how->bias == nullptr))
    return CUBLAS_STATUS_INVALID_VALUE;
  return by_compute_type(*how, of_a->type, of_b->type, of_c->type, of_d->type, [&](auto as) {
    using T = decltype(as);
    const auto matrix = [](cublasLtMatrixLayout_t layout, const void* data) {
      return lt_matrix{*layout, const_cast<char*>(static_cast<const char*>(data))};
    };
    const bool on_device = how->pointers == CUBLASLT_POINTER_MODE_DEVICE;
    lt_product<T> p{*how,
                    matrix(of_a, A),
                    matrix(of_b, B),
                    matrix(of_c, C),
                    matrix(of_d, D),
                    0,
                    0,
                    0,
                    on_device ? alpha : nullptr,
                    on_device ? beta : nullptr,
                    T(),
                    T(),
                    workspace,
                    workspace_bytes};
    p.m = p.d.rows();
    p.n = p.d.columns();
    p.k = how->of_a == CUBLAS_OP_N ? p.a.columns() : p.a.rows();
    if (!on_device) {
      p.alpha_value = lt_read_scalar<T>(how->scale, alpha);
      p.beta_value = lt_read_scalar<T>(how->scale, beta);
    }
    return heddle_device::run_library("cublasLtMatmul", 1, 1, stream, [p] { lt_run(p); }) == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
  });
}
#include "../names_end.hpp"
