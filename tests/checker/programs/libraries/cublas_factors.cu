// cuBLAS's factors of many matrices: what is multiplied, or solved, gives the matrices back; and mistakes around its calls.
#include <cublas_v2.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)

using complex = std::complex<double>;
constexpr int count = 3;

static std::vector<complex> some(int n, unsigned state, bool is_complex) {
  std::vector<complex> x(n);
  const auto next = [&] { return static_cast<double>((state = state * 1664525 + 1013904223) >> 26) / 8 - 4; };
  for (complex& each : x) each = {next(), is_complex ? next() : 0};
  return x;
}
static void set(double& to, complex what) { to = what.real(); }
static void set(cuDoubleComplex& to, complex what) { to = make_cuDoubleComplex(what.real(), what.imag()); }
static complex get(double from) { return from; }
static complex get(cuDoubleComplex from) { return {from.x, from.y}; }

/// `count` matrices side by side on the device, and their places there.
template <class T>
struct matrices {
  explicit matrices(const std::vector<complex>& x) : each(x.size() / count) {
    std::vector<T> own(x.size());
    for (size_t i = 0; i < x.size(); ++i) set(own[i], x[i]);
    cudaMalloc(&data, x.size() * sizeof(T));
    cudaMemcpy(data, own.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
    T* pointers[count];
    for (int i = 0; i < count; ++i) pointers[i] = data + i * each;
    cudaMalloc(&places, sizeof pointers);
    cudaMemcpy(places, pointers, sizeof pointers, cudaMemcpyHostToDevice);
  }
  ~matrices() {
    cudaFree(data);
    cudaFree(places);
  }
  std::vector<complex> back() const {
    std::vector<T> own(each * count);
    cudaMemcpy(own.data(), data, own.size() * sizeof(T), cudaMemcpyDeviceToHost);
    std::vector<complex> x;
    for (const T& one : own) x.push_back(get(one));
    return x;
  }
  size_t each;
  T* data;
  T** places;
};

#define CALLS(L, T)                                                                                                       \
  static cublasStatus_t getrf(cublasHandle_t h, int n, T** a, int lda, int* p, int* info) {                              \
    return cublas##L##getrfBatched(h, n, a, lda, p, info, count);                                                        \
  }                                                                                                                      \
  static cublasStatus_t getrs(cublasHandle_t h, cublasOperation_t op, int n, int m, T** a, int lda, int* p, T** b) {     \
    int info;                                                                                                            \
    return cublas##L##getrsBatched(h, op, n, m, a, lda, p, b, n, &info, count);                                          \
  }                                                                                                                      \
  static cublasStatus_t getri(cublasHandle_t h, int n, T** a, int lda, int* p, T** b, int* info) {                       \
    return cublas##L##getriBatched(h, n, a, lda, p, b, n, info, count);                                                  \
  }                                                                                                                      \
  static cublasStatus_t matinv(cublasHandle_t h, int n, T** a, int lda, T** b, int* info) {                              \
    return cublas##L##matinvBatched(h, n, a, lda, b, n, info, count);                                                    \
  }                                                                                                                      \
  static cublasStatus_t geqrf(cublasHandle_t h, int m, int n, T** a, T** tau) {                                          \
    int info;                                                                                                            \
    return cublas##L##geqrfBatched(h, m, n, a, m, tau, &info, count);                                                    \
  }                                                                                                                      \
  static cublasStatus_t gels(cublasHandle_t h, int m, int n, int k, T** a, T** b, int* of_each) {                        \
    int info;                                                                                                            \
    return cublas##L##gelsBatched(h, CUBLAS_OP_N, m, n, k, a, m, b, m, &info, of_each, count);                           \
  }
CALLS(D, double)
CALLS(Z, cuDoubleComplex)

static bool near(complex a, complex b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }
/// Element (i, j) of a b, over k.
static complex product(const complex* a, int lda, bool is_adjoint, const complex* b, int ldb, int k, int i, int j) {
  complex sum = 0;
  for (int l = 0; l < k; ++l) sum += (is_adjoint ? std::conj(a[l + i * lda]) : a[i + l * lda]) * b[l + j * ldb];
  return sum;
}

template <class T>
static void squares(cublasHandle_t h, bool is_complex) {
  const int n = 7, lda = 9, columns = 2;
  std::vector<complex> x = some(lda * n * count, 1, is_complex), y = some(n * columns * count, 2, is_complex);
  // The first matrix needs its rows exchanged, and the last is singular.
  x[0] = 0;
  for (int i = 0; i < n; ++i) x[2 * lda * n + i + 3 * lda] = 0;
  matrices<T> a(x), b(y), c(y), inverse(some(n * n * count, 3, is_complex)), other(some(n * n * count, 3, is_complex));
  int *pivots, *info;
  cudaMalloc(&pivots, n * count * sizeof(int));
  cudaMalloc(&info, count * sizeof(int));
  int singular[count];
  const auto told = [&] {
    cudaMemcpy(singular, info, sizeof singular, cudaMemcpyDeviceToHost);
    return singular[0] == 0 && singular[1] == 0 && singular[2] == 4;
  };
  EXPECT(matinv(h, n, a.places, lda, other.places, info) == CUBLAS_STATUS_SUCCESS);
  EXPECT(told());
  EXPECT(getrf(h, n, a.places, lda, pivots, info) == CUBLAS_STATUS_SUCCESS);
  EXPECT(told());
  EXPECT(getri(h, n, a.places, lda, pivots, inverse.places, info) == CUBLAS_STATUS_SUCCESS);
  EXPECT(told());
  EXPECT(getrs(h, CUBLAS_OP_N, n, columns, a.places, lda, pivots, b.places) == CUBLAS_STATUS_SUCCESS);
  EXPECT(getrs(h, CUBLAS_OP_C, n, columns, a.places, lda, pivots, c.places) == CUBLAS_STATUS_SUCCESS);
  const std::vector<complex> got = b.back(), adjoint = c.back(), inverted = inverse.back(), again = other.back();
  for (int m = 0; m < 2; ++m) {
    const complex* const of = &x[m * lda * n];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < columns; ++j) {
        EXPECT(near(product(of, lda, false, &got[m * n * columns], n, n, i, j), y[m * n * columns + i + j * n]));
        EXPECT(near(product(of, lda, true, &adjoint[m * n * columns], n, n, i, j), y[m * n * columns + i + j * n]));
      }
      for (int j = 0; j < n; ++j) {
        EXPECT(near(product(of, lda, false, &inverted[m * n * n], n, n, i, j), i == j ? 1 : 0));
        EXPECT(near(again[m * n * n + i + j * n], inverted[m * n * n + i + j * n]));
      }
    }
  }
  EXPECT(getrf(h, n, a.places, n - 1, pivots, info) == CUBLAS_STATUS_INVALID_VALUE);
  cudaFree(pivots);
  cudaFree(info);
}

template <class T>
static void talls(cublasHandle_t h, bool is_complex) {
  const int m = 8, n = 5, columns = 2;
  const std::vector<complex> x = some(m * n * count, 4, is_complex), y = some(m * columns * count, 5, is_complex);
  matrices<T> a(x), tau(some(n * count, 6, false)), b(x), c(y);
  int* of_each;
  cudaMalloc(&of_each, count * sizeof(int));
  EXPECT(geqrf(h, m, n, a.places, tau.places) == CUBLAS_STATUS_SUCCESS);
  EXPECT(gels(h, m, n, columns, b.places, c.places, of_each) == CUBLAS_STATUS_SUCCESS);
  int singular[count];
  cudaMemcpy(singular, of_each, sizeof singular, cudaMemcpyDeviceToHost);
  const std::vector<complex> factors = a.back(), scales = tau.back(), solved = c.back();
  for (int k = 0; k < count; ++k) {
    EXPECT(singular[k] == 0);
    const complex* const of = &x[k * m * n];
    // The residual is orthogonal to every column.
    for (int j = 0; j < columns; ++j) {
      std::vector<complex> residual(m);
      for (int i = 0; i < m; ++i) residual[i] = product(of, m, false, &solved[k * m * columns], m, n, i, j) - y[k * m * columns + i + j * m];
      for (int i = 0; i < n; ++i) EXPECT(near(product(of, m, true, residual.data(), m, m, i, 0), 0));
    }
    // H(0) … H(n - 1) r is the matrix.
    for (int j = 0; j < n; ++j) {
      std::vector<complex> column(m);
      for (int i = 0; i <= j; ++i) column[i] = factors[k * m * n + i + j * m];
      for (int r = n - 1; r >= 0; --r) {
        const auto v = [&](int i) { return i == r ? complex(1) : factors[k * m * n + i + r * m]; };
        complex sum = 0;
        for (int i = r; i < m; ++i) sum += std::conj(v(i)) * column[i];
        for (int i = r; i < m; ++i) column[i] -= scales[k * n + r] * v(i) * sum;
      }
      for (int i = 0; i < m; ++i) EXPECT(near(column[i], of[i + j * m]));
    }
  }
  cudaFree(of_each);
}

static void dots(cublasHandle_t h) {
  const __half own[] = {__float2half(1), __float2half(2), __float2half(3)};
  __half *x, result;
  cudaMalloc(&x, sizeof own);
  cudaMemcpy(x, own, sizeof own, cudaMemcpyHostToDevice);
  EXPECT(cublasDotEx(h, 3, x, CUDA_R_16F, 1, x, CUDA_R_16F, 1, &result, CUDA_R_16F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS);
  EXPECT(__half2float(result) == 14);
  EXPECT(cublasDotEx(h, 3, x, CUDA_R_16F, 1, x, CUDA_R_32F, 1, &result, CUDA_R_16F, CUDA_R_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
  cudaFree(x);
}

int main(int words, char** argv) {
  const char* const mode = words > 1 ? argv[1] : "";
  cublasHandle_t h;
  cublasCreate(&h);
  if (std::strcmp(mode, "short") == 0) {
    matrices<double> a(some(16 * count, 1, false));
    int *pivots, *info;
    cudaMalloc(&pivots, 4 * sizeof(int));
    cudaMalloc(&info, count * sizeof(int));
    cublasDgetrfBatched(h, 4, a.places, 4, pivots, info, count);  // @short
  } else if (std::strcmp(mode, "unset") == 0) {
    matrices<double> a(some(16 * count, 1, false)), b(some(4 * count, 2, false));
    int *pivots, info;
    cudaMalloc(&pivots, 4 * count * sizeof(int));
    cublasDgetrsBatched(h, CUBLAS_OP_N, 4, 1, a.places, 4, pivots, b.places, 4, &info, count);  // @unset
  } else {
    squares<double>(h, false);
    squares<cuDoubleComplex>(h, true);
    talls<double>(h, false);
    talls<cuDoubleComplex>(h, true);
    dots(h);
    std::printf("failures: %d\n", failures);
  }
  cublasDestroy(h);
}

// program
// clean
// prints failures: 0
// program -- short
// finds out-of-bounds @short
// program -- unset
// finds uninitialised-read @unset of pivots
