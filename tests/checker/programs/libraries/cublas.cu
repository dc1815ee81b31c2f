// cuBLAS: products, vectors and triangles against plain loops; and mistakes around its calls.
#include <cublas_v2.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)

static std::vector<double> some(int n, unsigned state) {
  std::vector<double> x(n);
  for (double& each : x) each = static_cast<double>((state = state * 1664525 + 1013904223) >> 26) / 8 - 4;
  return x;
}
template <class T>
static T* device(const std::vector<T>& x) {
  T* made;
  cudaMalloc(&made, x.size() * sizeof(T));
  cudaMemcpy(made, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
  return made;
}
template <class T>
static std::vector<T> back(const T* from, size_t n) {
  std::vector<T> x(n);
  cudaMemcpy(x.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return x;
}
static bool near(double a, double b) { return std::fabs(a - b) <= 1e-5 * (1 + std::fabs(b)); }

static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t p, cublasOperation_t q, int m, int n, int k, const float* s, const float* a, int lda, const float* b, int ldb, const float* t, float* c, int ldc) {
  return cublasSgemm(h, p, q, m, n, k, s, a, lda, b, ldb, t, c, ldc);
}
static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t p, cublasOperation_t q, int m, int n, int k, const double* s, const double* a, int lda, const double* b, int ldb, const double* t, double* c, int ldc) {
  return cublasDgemm(h, p, q, m, n, k, s, a, lda, b, ldb, t, c, ldc);
}

template <class T>
static void products(cublasHandle_t h) {
  const int m = 7, n = 5, k = 9, pitch = 11;
  const std::vector<double> x = some(pitch * pitch, 1), y = some(pitch * pitch, 2), z = some(pitch * pitch, 3);
  T* const a = device(std::vector<T>(x.begin(), x.end()));
  T* const b = device(std::vector<T>(y.begin(), y.end()));
  for (const auto of_a : {CUBLAS_OP_N, CUBLAS_OP_T}) {
    for (const auto of_b : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      T* const c = device(std::vector<T>(z.begin(), z.end()));
      const T alpha = 2, beta = -3;
      EXPECT(gemm(h, of_a, of_b, m, n, k, &alpha, a, pitch, b, pitch, &beta, c, pitch) == CUBLAS_STATUS_SUCCESS);
      const std::vector<T> got = back(c, z.size());
      for (int j = 0; j < pitch; ++j) {
        for (int i = 0; i < pitch; ++i) {
          double sum = 0;
          for (int l = 0; l < k; ++l)
            sum += (of_a == CUBLAS_OP_N ? x[i + l * pitch] : x[l + i * pitch]) * (of_b == CUBLAS_OP_N ? y[l + j * pitch] : y[j + l * pitch]);
          EXPECT(near(got[i + j * pitch], i < m && j < n ? 2 * sum - 3 * z[i + j * pitch] : z[i + j * pitch]));
        }
      }
      cudaFree(c);
    }
  }
  const T one = 1;
  EXPECT(gemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 7, 5, 9, &one, a, 6, b, pitch, &one, b, pitch) == CUBLAS_STATUS_INVALID_VALUE);
  cudaFree(a);
  cudaFree(b);
}

static void vectors(cublasHandle_t h) {
  const int n = 33;
  const std::vector<double> x = some(n, 4), y = some(n, 5);
  double* const a = device(x);
  double* const b = device(y);
  double dot = 0, square = 0, sum = 0, result;
  int most = 0;
  for (int i = 0; i < n; ++i) {
    dot += x[i] * y[i];
    square += x[i] * x[i];
    sum += std::fabs(x[i]);
    if (std::fabs(x[i]) > std::fabs(x[most])) most = i;
  }
  cublasDdot(h, n, a, 1, b, 1, &result);
  EXPECT(near(result, dot));
  cublasDnrm2(h, n, a, 1, &result);
  EXPECT(near(result, std::sqrt(square)));
  cublasDasum(h, n, a, 1, &result);
  EXPECT(near(result, sum));
  int place;
  cublasIdamax(h, n, a, 1, &place);
  EXPECT(place == most + 1);
  const double alpha = 0.5, beta = 2;
  cublasDaxpy(h, n, &alpha, a, 1, b, 1);
  cublasDscal(h, n, &beta, b, 1);
  const std::vector<double> got = back(b, n);
  for (int i = 0; i < n; ++i) EXPECT(near(got[i], 2 * (0.5 * x[i] + y[i])));
  // Every second element, the last one first.
  double* const on_device = device(std::vector<double>(1));
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
  cublasDdot(h, 17, a, 2, a, -2, on_device);
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
  double crossed = 0;
  for (int i = 0; i < 17; ++i) crossed += x[2 * i] * x[2 * (16 - i)];
  EXPECT(near(back(on_device, 1)[0], crossed));
  // 3 rows and 5 columns.
  cublasDgemv(h, CUBLAS_OP_T, 3, 5, &alpha, a, 4, b, 1, &beta, a + 20, 1);
  const std::vector<double> product = back(a + 20, 5);
  for (int j = 0; j < 5; ++j) {
    double of = 0;
    for (int i = 0; i < 3; ++i) of += x[i + j * 4] * got[i];
    EXPECT(near(product[j], 0.5 * of + 2 * x[20 + j]));
  }
  for (double* const each : {a, b, on_device}) cudaFree(each);
}

// What solves a triangle gives it back when multiplied.
static void triangles(cublasHandle_t h) {
  const int n = 6, many = 4;
  std::vector<double> t = some(n * n, 6);
  for (int i = 0; i < n; ++i) t[i + i * n] = 8 + i;
  const std::vector<double> right = some(n * many, 7);
  double* const a = device(t);
  for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
    for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
      for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        double* const b = device(right);
        const double alpha = 3;
        const bool is_left = side == CUBLAS_SIDE_LEFT;
        const int rows = is_left ? n : many, columns = is_left ? many : n;
        cublasDtrsm(h, side, fill, op, CUBLAS_DIAG_NON_UNIT, rows, columns, &alpha, a, n, b, rows);
        const std::vector<double> x = back(b, right.size());
        const auto of = [&](int i, int j) {
          if (op == CUBLAS_OP_T) std::swap(i, j);
          return (fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j) ? t[i + j * n] : 0;
        };
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < columns; ++j) {
            double sum = 0;
            for (int l = 0; l < n; ++l) sum += is_left ? of(i, l) * x[l + j * rows] : x[i + l * rows] * of(l, j);
            EXPECT(near(sum, 3 * right[i + j * rows]));
          }
        }
        cudaFree(b);
      }
    }
  }
  cudaFree(a);
}

static void other_types(cublasHandle_t h) {
  const int n = 4;
  std::vector<__half> x(n * n), y(n * n);
  std::vector<cuComplex> z(n * n);
  for (int i = 0; i < n * n; ++i) {
    x[i] = __float2half(static_cast<float>(i % 5));
    y[i] = __float2half(static_cast<float>(i % 3));
    z[i] = make_cuComplex(static_cast<float>(i % 4), static_cast<float>(i % 7));
  }
  __half* const a = device(x);
  __half* const b = device(y);
  float* const c = device(std::vector<float>(n * n, -1));
  const float one = 1, zero = 0;
  EXPECT(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_16F, n, b, CUDA_R_16F, n, &zero, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  const std::vector<float> got = back(c, n * n);
  cuComplex* const d = device(z);
  cuComplex* const e = device(std::vector<cuComplex>(n * n));
  const cuComplex i_unit = make_cuComplex(0, 1), nothing = make_cuComplex(0, 0);
  cublasCgemm(h, CUBLAS_OP_C, CUBLAS_OP_N, n, n, n, &i_unit, d, n, d, n, &nothing, e, n);
  const std::vector<cuComplex> complex = back(e, n * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      cuComplex of = nothing;
      for (int l = 0; l < n; ++l) {
        sum += static_cast<float>((i + l * n) % 5) * static_cast<float>((l + j * n) % 3);
        of = cuCaddf(of, cuCmulf(cuConjf(z[l + i * n]), z[l + j * n]));
      }
      EXPECT(got[i + j * n] == sum);
      EXPECT(complex[i + j * n].x == -of.y && complex[i + j * n].y == of.x);
    }
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  cudaFree(d);
  cudaFree(e);
}

// A part of a matrix and every second element of a vector go to the device and back, at once and on a stream.
static void copies() {
  const int rows = 3, columns = 4, lda = 5, ldb = 6;
  const std::vector<double> a = some(lda * columns, 4);
  double *b, *y;
  cudaMalloc(&b, ldb * columns * sizeof(double));
  cudaMalloc(&y, 8 * sizeof(double));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (const bool on_stream : {false, true}) {
    cudaMemset(b, 0, ldb * columns * sizeof(double));
    cudaMemset(y, 0, 8 * sizeof(double));
    std::vector<double> c(lda * columns, 7), x(8, 7);
    if (on_stream) {
      EXPECT(cublasSetMatrixAsync(rows, columns, sizeof(double), a.data(), lda, b, ldb, stream) == CUBLAS_STATUS_SUCCESS);
      EXPECT(cublasGetMatrixAsync(rows, columns, sizeof(double), b, ldb, c.data(), lda, stream) == CUBLAS_STATUS_SUCCESS);
      EXPECT(cublasSetVectorAsync(4, sizeof(double), a.data(), 3, y, 2, stream) == CUBLAS_STATUS_SUCCESS);
      EXPECT(cublasGetVectorAsync(4, sizeof(double), y, 2, x.data(), 1, stream) == CUBLAS_STATUS_SUCCESS);
      cudaStreamSynchronize(stream);
    } else {
      EXPECT(cublasSetMatrix(rows, columns, sizeof(double), a.data(), lda, b, ldb) == CUBLAS_STATUS_SUCCESS);
      EXPECT(cublasGetMatrix(rows, columns, sizeof(double), b, ldb, c.data(), lda) == CUBLAS_STATUS_SUCCESS);
      EXPECT(cublasSetVector(4, sizeof(double), a.data(), 3, y, 2) == CUBLAS_STATUS_SUCCESS);
      EXPECT(cublasGetVector(4, sizeof(double), y, 2, x.data(), 1) == CUBLAS_STATUS_SUCCESS);
    }
    const std::vector<double> there = back(b, ldb * columns), vector = back(y, 8);
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < ldb; ++i) EXPECT(there[j * ldb + i] == (i < rows ? a[j * lda + i] : 0));
      for (int i = 0; i < lda; ++i) EXPECT(c[j * lda + i] == (i < rows ? a[j * lda + i] : 7));
    }
    for (int i = 0; i < 8; ++i) {
      EXPECT(vector[i] == (i % 2 == 0 ? a[i / 2 * 3] : 0));
      EXPECT(x[i] == (i < 4 ? a[3 * i] : 7));
    }
  }
  cudaStreamDestroy(stream);
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  cublasHandle_t h;
  cublasCreate(&h);
  const float one = 1, zero = 0;
  float* const a = device(std::vector<float>(64, 1));
  float* const b = device(std::vector<float>(63, 1));
  float* unset;
  cudaMalloc(&unset, 64 * sizeof(float));
  if (std::strcmp(mode, "short") == 0) {
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, a, 8, &zero, b, 8);  // @short
  } else if (std::strcmp(mode, "unset") == 0) {
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, a, 8, &one, unset, 8);  // @unset
  } else if (std::strcmp(mode, "streams") == 0) {
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaMemsetAsync(a, 0, 64 * sizeof(float), other);  // @fills
    cublasSscal(h, 64, &one, a, 1);                    // @scales
    cudaDeviceSynchronize();
  } else if (std::strcmp(mode, "long") == 0) {
    const std::vector<float> x(64);
    cublasSetMatrixAsync(8, 8, sizeof(float), x.data(), 8, b, 8, nullptr);  // @long
  } else {
    copies();
    products<float>(h);
    products<double>(h);
    vectors(h);
    triangles(h);
    other_types(h);
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, a, 8, &zero, unset, 8);
    std::printf("failures: %d\n", failures);
  }
  cublasDestroy(h);
}

// program
// clean
// prints failures: 0
// program -- short
// finds out-of-bounds @short
// program -- long
// finds invalid-copy @long: 256 bytes to made (float[63]), which has 252
// program -- unset
// finds uninitialised-read @unset of unset
// program -- streams
// finds data-race @fills @scales
