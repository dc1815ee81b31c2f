// cublasLt and cublasXt against plain loops in double precision, and mistakes around their calls.
#include <cublasLt.h>
#include <cublasXt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)
#define CALL(WHAT) succeeds(WHAT, __LINE__, #WHAT)
static bool succeeds(cublasStatus_t status, int line, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return true;
  return ++failures, std::printf("line %d: status %d of %s\n", line, static_cast<int>(status), what), false;
}

static unsigned state = 1;
// Small multiples of a quarter, which every type has.
static double next() { return static_cast<double>((state = state * 1664525 + 1013904223) >> 29) / 4 - 1; }

template <class T>
static double as_double(T x) { return static_cast<double>(static_cast<float>(x)); }
template <>
double as_double(double x) { return x; }
template <>
double as_double(int x) { return x; }
template <>
double as_double(int8_t x) { return x; }
template <class T>
static T of_double(double x) { return static_cast<T>(static_cast<float>(x)); }
template <>
double of_double(double x) { return x; }

// A matrix of its own order and pitch, on both sides.
template <class T>
struct matrix {
  cudaDataType type;
  int rows, columns, pitch, count;
  bool by_rows;
  std::vector<T> host;
  T* device;
  cublasLtMatrixLayout_t layout;
  matrix(cudaDataType type, int rows, int columns, bool by_rows = false, int gap = 0, int count = 1, int by = 1)
      : type(type), rows(rows), columns(columns), pitch((by_rows ? columns : rows) + gap), count(count), by_rows(by_rows),
        host(static_cast<size_t>(pitch) * (by_rows ? rows : columns) * count) {
    for (T& each : host) each = of_double<T>(next() * by);
    cudaMalloc(&device, host.size() * sizeof(T));
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    CALL(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, pitch));
    const int32_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL, many = count;
    const int64_t step = static_cast<int64_t>(host.size()) / count;
    CALL(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    CALL(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &many, sizeof many));
    CALL(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step));
  }
  ~matrix() {
    cudaFree(device);
    cublasLtMatrixLayoutDestroy(layout);
  }
  size_t place(int i, int j, int batch) const { return (by_rows ? i * pitch + j : i + j * pitch) + batch * (host.size() / count); }
  double at(int i, int j, int batch) const { return as_double(host[place(i, j, batch)]); }
  std::vector<T> back() const {
    std::vector<T> own(host.size());
    cudaMemcpy(own.data(), device, own.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return own;
  }
};
struct description {
  description(cublasComputeType_t compute, cudaDataType_t scale, cublasOperation_t of_a, cublasOperation_t of_b) {
    CALL(cublasLtMatmulDescCreate(&is, compute, scale));
    set(CUBLASLT_MATMUL_DESC_TRANSA, of_a);
    set(CUBLASLT_MATMUL_DESC_TRANSB, of_b);
  }
  ~description() { cublasLtMatmulDescDestroy(is); }
  template <class T>
  void set(cublasLtMatmulDescAttributes_t which, const T& value) {
    CALL(cublasLtMatmulDescSetAttribute(is, which, &value, sizeof value));
  }
  cublasLtMatmulDesc_t is;
};
static double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))); }

template <class A, class C, class D, class S>
static void product(cublasLtHandle_t h, const description& how, const matrix<A>& a, const matrix<A>& b, const matrix<C>& c, const matrix<D>& d, S alpha, S beta,
                    double tolerance, bool turns_a, bool turns_b, int epilogue = 1, const std::vector<float>* bias = nullptr, double scale = 1, double scale_d = 1) {
  char* workspace;
  const size_t bytes = 1024;
  cudaMalloc(&workspace, bytes);
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulHeuristicResult_t result;
  int found = 0;
  CALL(cublasLtMatmulPreferenceCreate(&preference));
  CALL(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes));
  const bool is_found = CALL(cublasLtMatmulAlgoGetHeuristic(h, how.is, a.layout, b.layout, c.layout, d.layout, preference, 1, &result, &found));
  EXPECT(is_found && found == 1 && result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= bytes);
  const bool is_made = is_found && found == 1 &&
                       CALL(cublasLtMatmul(h, how.is, &alpha, a.device, a.layout, b.device, b.layout, &beta, c.device, c.layout, d.device, d.layout, &result.algo,
                                           workspace, bytes, nullptr));
  const std::vector<D> got = d.back();
  if (!is_made) std::printf("  of types %d %d %d %d, orders %d %d %d %d, epilogue %d\n", a.type, b.type, c.type, d.type, a.by_rows, b.by_rows, c.by_rows, d.by_rows, epilogue);
  const int k = turns_a ? a.rows : a.columns;
  for (int batch = 0; is_made && batch < d.count; ++batch)
    for (int i = 0; i < d.rows; ++i)
      for (int j = 0; j < d.columns; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += (turns_a ? a.at(l, i, batch) : a.at(i, l, batch)) * (turns_b ? b.at(j, l, batch) : b.at(l, j, batch));
        double right = as_double(alpha) * scale * sum + as_double(beta) * c.at(i, j, batch);
        if (bias != nullptr) right += (*bias)[i];
        if (epilogue & CUBLASLT_EPILOGUE_RELU) right = std::fmax(right, 0.0);
        if (epilogue & CUBLASLT_EPILOGUE_GELU) right = gelu(right);
        right *= scale_d;
        EXPECT(std::fabs(as_double(got[d.place(i, j, batch)]) - right) <= tolerance * (1 + std::fabs(right)));
      }
  CALL(cublasLtMatmulPreferenceDestroy(preference));
  cudaFree(workspace);
}

static void floats(cublasLtHandle_t h) {
  for (const bool by_rows : {false, true}) {
    const matrix<float> a(CUDA_R_32F, 5, 7, by_rows, 1, 2), b(CUDA_R_32F, 6, 7, !by_rows, 2, 2), c(CUDA_R_32F, 5, 6, false, 3, 2), d(CUDA_R_32F, 5, 6, false, 0, 2);
    std::vector<float> bias(5);
    for (float& each : bias) each = static_cast<float>(next());
    float* bias_there;
    cudaMalloc(&bias_there, bias.size() * sizeof(float));
    cudaMemcpy(bias_there, bias.data(), bias.size() * sizeof(float), cudaMemcpyHostToDevice);
    for (const cublasLtEpilogue_t epilogue : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
                                              CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS}) {
      description how(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUBLAS_OP_N, CUBLAS_OP_T);
      how.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
      how.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias_there);
      product(h, how, a, b, c, d, 1.5f, -0.5f, 1e-5, false, true, epilogue, epilogue & CUBLASLT_EPILOGUE_BIAS ? &bias : nullptr);
    }
    cudaFree(bias_there);
  }
}
static void by_rows(cublasLtHandle_t h) {
  const matrix<float> a(CUDA_R_32F, 5, 7, true, 1), b(CUDA_R_32F, 7, 6, true, 2), c(CUDA_R_32F, 5, 6, true, 3), d(CUDA_R_32F, 5, 6, true);
  const description how(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUBLAS_OP_N, CUBLAS_OP_N);
  product(h, how, a, b, c, d, 1.5f, -0.5f, 1e-5, false, false);
  // c has the order of d.
  const matrix<float> by_columns(CUDA_R_32F, 5, 6);
  const float one = 1;
  EXPECT(cublasLtMatmul(h, how.is, &one, a.device, a.layout, b.device, b.layout, &one, by_columns.device, by_columns.layout, d.device, d.layout, nullptr, nullptr, 0,
                        nullptr) != CUBLAS_STATUS_SUCCESS);
}
static void other_types(cublasLtHandle_t h) {
  {
    const matrix<double> a(CUDA_R_64F, 4, 3), b(CUDA_R_64F, 3, 5), c(CUDA_R_64F, 4, 5);
    product(h, description(CUBLAS_COMPUTE_64F, CUDA_R_64F, CUBLAS_OP_N, CUBLAS_OP_N), a, b, c, c, 2.0, 0.0, 1e-14, false, false);
  }
  {
    const matrix<__half> a(CUDA_R_16F, 3, 4), b(CUDA_R_16F, 3, 5), c(CUDA_R_16F, 4, 5), d(CUDA_R_16F, 4, 5);
    product(h, description(CUBLAS_COMPUTE_16F, CUDA_R_16F, CUBLAS_OP_T, CUBLAS_OP_N), a, b, c, d, __half(0.5f), __half(2.0f), 1e-3, true, false);
    product(h, description(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUBLAS_OP_T, CUBLAS_OP_N), a, b, c, d, 0.5f, 2.0f, 1e-3, true, false);
  }
  {
    const matrix<__nv_bfloat16> a(CUDA_R_16BF, 4, 3), b(CUDA_R_16BF, 3, 5);
    const matrix<float> c(CUDA_R_32F, 4, 5), d(CUDA_R_32F, 4, 5);
    product(h, description(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUBLAS_OP_N, CUBLAS_OP_N), a, b, c, d, 1.0f, 1.0f, 1e-6, false, false);
  }
  {
    const matrix<int8_t> a(CUDA_R_8I, 4, 4, false, 0, 1, 40), b(CUDA_R_8I, 4, 4, false, 0, 1, 40), c(CUDA_R_8I, 4, 4), d(CUDA_R_8I, 4, 4);
    const matrix<int> e(CUDA_R_32I, 4, 4), f(CUDA_R_32I, 4, 4);
    product(h, description(CUBLAS_COMPUTE_32I, CUDA_R_32I, CUBLAS_OP_T, CUBLAS_OP_N), a, b, e, f, 3, 1, 0, true, false);
    // Rounded to whole numbers.
    product(h, description(CUBLAS_COMPUTE_32I, CUDA_R_32F, CUBLAS_OP_T, CUBLAS_OP_N), a, b, c, d, 0.015625f, 0.0f, 0.5, true, false);
  }
}
static void eight_bits(cublasLtHandle_t h) {
  const matrix<__nv_fp8_e4m3> a(CUDA_R_8F_E4M3, 16, 16), b(CUDA_R_8F_E4M3, 16, 16), d(CUDA_R_8F_E4M3, 16, 16);
  const matrix<__nv_bfloat16> c(CUDA_R_16BF, 16, 16);
  const float scales[] = {2, 0.25f, 0.5f};
  float *there, largest;
  cudaMalloc(&there, 4 * sizeof(float));
  cudaMemcpy(there, scales, sizeof scales, cudaMemcpyHostToDevice);
  description how(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUBLAS_OP_T, CUBLAS_OP_N);
  how.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, there);
  how.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, there + 1);
  how.set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, there + 2);
  how.set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, there + 3);
  product(h, how, a, b, c, d, 1.0f, 1.0f, 0.07, true, false, 1, nullptr, 0.5, 0.5);
  double right = 0;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      double sum = 0;
      for (int l = 0; l < 16; ++l) sum += a.at(l, i, 0) * b.at(l, j, 0);
      right = std::fmax(right, std::fabs(0.5 * sum + c.at(i, j, 0)));
    }
  cudaMemcpy(&largest, there + 3, sizeof largest, cudaMemcpyDeviceToHost);
  EXPECT(std::fabs(largest - right) < 1e-6 * right);
  cudaFree(there);
}
static void statuses(cublasLtHandle_t h) {
  const matrix<float> a(CUDA_R_32F, 4, 3), b(CUDA_R_32F, 3, 5), c(CUDA_R_32F, 4, 5);
  const matrix<double> d(CUDA_R_64F, 4, 5);
  const description how(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUBLAS_OP_N, CUBLAS_OP_N);
  const float one = 1;
  EXPECT(cublasLtMatmul(h, how.is, &one, a.device, a.layout, b.device, b.layout, &one, d.device, d.layout, d.device, d.layout, nullptr, nullptr, 0, nullptr) ==
         CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT(cublasLtMatmul(h, how.is, &one, b.device, b.layout, a.device, a.layout, &one, c.device, c.layout, c.device, c.layout, nullptr, nullptr, 0, nullptr) ==
         CUBLAS_STATUS_INVALID_VALUE);
  int32_t small = 7;
  EXPECT(cublasLtMatmulDescSetAttribute(how.is, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &small, sizeof small) == CUBLAS_STATUS_INVALID_VALUE);
  size_t written = 0;
  cublasOperation_t op = CUBLAS_OP_C;
  CALL(cublasLtMatmulDescGetAttribute(how.is, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof op, &written));
  EXPECT(op == CUBLAS_OP_N && written == sizeof op);
  EXPECT(std::strcmp(cublasLtGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED") == 0);
}

using complex = std::complex<double>;
static std::vector<cuDoubleComplex> some(int n) {
  std::vector<cuDoubleComplex> x(n);
  for (cuDoubleComplex& each : x) each = {next(), next()};
  return x;
}
static complex in(const cuDoubleComplex& z) { return {z.x, z.y}; }
static void of_the_host() {
  const int m = 5, n = 4, k = 3, pitch = 7;
  cublasXtHandle_t h;
  int devices[] = {1, 0}, absent[] = {1000}, block = 0, present = 0;
  cudaGetDeviceCount(&present);
  CALL(cublasXtCreate(&h));
  EXPECT(cublasXtDeviceSelect(h, 1, absent) != CUBLAS_STATUS_SUCCESS);
  if (!(present > 1 ? CALL(cublasXtDeviceSelect(h, 2, devices)) : CALL(cublasXtDeviceSelect(h, 1, devices + 1)))) return;
  CALL(cublasXtSetBlockDim(h, 64));
  CALL(cublasXtGetBlockDim(h, &block));
  EXPECT(block == 64);
  const std::vector<cuDoubleComplex> a = some(pitch * m), b = some(pitch * n), c = some(pitch * n), t = some(pitch * m);
  const cuDoubleComplex alpha{2, 1}, beta{0.5, 0};
  std::vector<cuDoubleComplex> got = c;
  CALL(cublasXtZgemm(h, CUBLAS_OP_C, CUBLAS_OP_N, m, n, k, &alpha, a.data(), pitch, b.data(), pitch, &beta, got.data(), pitch));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < pitch; ++i) {
      complex sum;
      for (int l = 0; l < k; ++l) sum += std::conj(in(a[l + i % m * pitch])) * in(b[l + j * pitch]);
      EXPECT(std::abs(in(got[i + j * pitch]) - (i < m ? in(alpha) * sum + 0.5 * in(c[i + j * pitch]) : in(c[i + j * pitch]))) < 1e-12);
    }
  std::vector<cuDoubleComplex> square = some(pitch * m), before = square;
  const double one = 1, two = 2;
  CALL(cublasXtZherk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, m, k, &two, t.data(), pitch, &one, square.data(), pitch));
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) {
      complex sum;
      for (int l = 0; l < k; ++l) sum += in(t[i + l * pitch]) * std::conj(in(t[j + l * pitch]));
      EXPECT(std::abs(in(square[i + j * pitch]) - (in(before[i + j * pitch]) + (i >= j ? 2.0 * sum : 0.0))) < 1e-12);
    }
  // Right sides that are known from their solution.
  std::vector<cuDoubleComplex> x = some(pitch * n), right = x, triangle = t;
  for (int i = 0; i < m; ++i) triangle[i + i * pitch].x += 4;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      complex sum;
      for (int l = 0; l <= i; ++l) sum += in(triangle[i + l * pitch]) * in(x[l + j * pitch]);
      right[i + j * pitch] = {sum.real(), sum.imag()};
    }
  const cuDoubleComplex unit{1, 0};
  CALL(cublasXtZtrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, m, n, &unit, triangle.data(), pitch, right.data(), pitch));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) EXPECT(std::abs(in(right[i + j * pitch]) - in(x[i + j * pitch])) < 1e-12);
  CALL(cublasXtDestroy(h));
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  cublasLtHandle_t h;
  CALL(cublasLtCreate(&h));
  if (*mode != 0) {
    matrix<float> a(CUDA_R_32F, 4, 4), b(CUDA_R_32F, 4, 4);
    description how(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUBLAS_OP_N, CUBLAS_OP_N);
    const float one = 1, zero = 0;
    float *c, *bias;
    char* workspace;
    cudaMalloc(&c, 15 * sizeof *c);
    cudaMalloc(&bias, 4 * sizeof *bias);
    cudaMalloc(&workspace, 100);
    if (std::strcmp(mode, "short") == 0) {
      cublasLtMatmul(h, how.is, &one, a.device, a.layout, b.device, b.layout, &zero, c, a.layout, c, a.layout, nullptr, nullptr, 0, nullptr);  // @short
    } else if (std::strcmp(mode, "bias") == 0) {
      how.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
      how.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
      cublasLtMatmul(h, how.is, &one, a.device, a.layout, b.device, b.layout, &zero, b.device, a.layout, b.device, a.layout, nullptr, nullptr, 0, nullptr);  // @bias
    } else if (std::strcmp(mode, "workspace") == 0) {
      cublasLtMatmul(h, how.is, &one, a.device, a.layout, b.device, b.layout, &zero, b.device, a.layout, b.device, a.layout, nullptr, workspace, 101, nullptr);  // @work
    } else {
      cublasXtHandle_t xt;
      float* const host = static_cast<float*>(std::malloc(15 * sizeof *host));
      for (int i = 0; i < 15; ++i) host[i] = 1;
      cublasXtCreate(&xt);
      cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, host, 4, host, 4, &zero, host, 4);  // @host
      cublasXtDestroy(xt);
      std::free(host);
    }
    return 0;
  }
  floats(h);
  by_rows(h);
  other_types(h);
  eight_bits(h);
  statuses(h);
  of_the_host();
  CALL(cublasLtDestroy(h));
  std::printf("failures: %d\n", failures);
}

// program --devices 2
// clean
// prints failures: 0
// program -- short
// finds out-of-bounds @short of c
// program -- bias
// finds uninitialised-read @bias of bias
// program -- workspace
// finds out-of-bounds @work of workspace
// program -- host
// finds invalid-copy @host
