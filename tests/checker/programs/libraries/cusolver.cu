// cuSOLVER of dense matrices: factors multiplied give the matrix back; and mistakes around its calls.
#include <cusolverDn.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)
#define CALL(WHAT) EXPECT((WHAT) == CUSOLVER_STATUS_SUCCESS)

using complex = std::complex<double>;
using matrix = std::vector<complex>;

static matrix some(int n, unsigned state) {
  matrix x(n);
  const auto next = [&] { return static_cast<double>((state = state * 1664525 + 1013904223) >> 26) / 8 - 4; };
  for (complex& each : x) each = {next(), next()};
  return x;
}
static cuDoubleComplex* device(const matrix& x) {
  cuDoubleComplex* made;
  cudaMalloc(&made, x.size() * sizeof *made);
  std::vector<cuDoubleComplex> own;
  for (const complex& each : x) own.push_back(make_cuDoubleComplex(each.real(), each.imag()));
  cudaMemcpy(made, own.data(), x.size() * sizeof *made, cudaMemcpyHostToDevice);
  return made;
}
static matrix back(const cuDoubleComplex* from, int n) {
  std::vector<cuDoubleComplex> own(n);
  cudaMemcpy(own.data(), from, n * sizeof *from, cudaMemcpyDeviceToHost);
  matrix x;
  for (const cuDoubleComplex& each : own) x.emplace_back(each.x, each.y);
  return x;
}
/// op(a) op(b) of m × n, where "*" is the adjoint.
static matrix product(const matrix& a, int lda, bool adjoint_a, const matrix& b, int ldb, bool adjoint_b, int m, int n, int k) {
  matrix c(m * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      for (int l = 0; l < k; ++l)
        c[i + j * m] += (adjoint_a ? std::conj(a[l + i * lda]) : a[i + l * lda]) * (adjoint_b ? std::conj(b[j + l * ldb]) : b[l + j * ldb]);
  return c;
}
static bool near(const matrix& a, const matrix& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-9 * (1 + std::abs(b[i]))) return false;
  return a.size() == b.size();
}

static void squares(cusolverDnHandle_t h) {
  const int n = 6, columns = 2;
  const matrix x = some(n * n, 1), right = some(n * columns, 2);
  matrix positive = product(x, n, false, x, n, true, n, n, n);
  for (int i = 0; i < n; ++i) positive[i + i * n] += 1;
  int *info, *pivots, told, size;
  cudaMalloc(&info, sizeof(int));
  cudaMalloc(&pivots, n * sizeof(int));
  for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    cuDoubleComplex *a = device(positive), *b = device(right), *buffer;
    CALL(cusolverDnZpotrf_bufferSize(h, fill, n, a, n, &size));
    cudaMalloc(&buffer, size * sizeof *buffer);
    CALL(cusolverDnZpotrf(h, fill, n, a, n, buffer, size, info));
    matrix factor = back(a, n * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (fill == CUBLAS_FILL_MODE_LOWER ? i < j : i > j) factor[i + j * n] = 0;
    EXPECT(near(product(factor, n, fill == CUBLAS_FILL_MODE_UPPER, factor, n, fill == CUBLAS_FILL_MODE_LOWER, n, n, n), positive));
    CALL(cusolverDnZpotrs(h, fill, n, columns, a, n, b, n, info));
    EXPECT(near(product(positive, n, false, back(b, n * columns), n, false, n, columns, n), right));
#ifdef __HEDDLE_CHECK__
    // cuSOLVER may take a workspace that is too small and write beyond it.
    EXPECT(cusolverDnZpotrf(h, fill, n, a, n, buffer, 1, info) == CUSOLVER_STATUS_INVALID_VALUE);
#endif
    for (cuDoubleComplex* const each : {a, b, buffer}) cudaFree(each);
  }
  matrix negative = positive;
  negative[2 + 2 * n] = -1000;
  cuDoubleComplex *a = device(x), *b = device(right), *c = device(negative), *buffer;
  CALL(cusolverDnZgetrf_bufferSize(h, n, n, a, n, &size));
  cudaMalloc(&buffer, size * sizeof *buffer);
  CALL(cusolverDnZpotrf(h, CUBLAS_FILL_MODE_LOWER, n, c, n, buffer, size, info));
  cudaMemcpy(&told, info, sizeof told, cudaMemcpyDeviceToHost);
  EXPECT(told == 3);
  CALL(cusolverDnZgetrf(h, n, n, a, n, buffer, pivots, info));
  CALL(cusolverDnZgetrs(h, CUBLAS_OP_N, n, columns, a, n, pivots, b, n, info));
  cudaMemcpy(&told, info, sizeof told, cudaMemcpyDeviceToHost);
  EXPECT(told == 0);
  EXPECT(near(product(x, n, false, back(b, n * columns), n, false, n, columns, n), right));
  for (cuDoubleComplex* const each : {a, b, c, buffer}) cudaFree(each);
  cudaFree(info);
  cudaFree(pivots);
}

static void talls(cusolverDnHandle_t h) {
  const int m = 7, n = 4;
  const matrix x = some(m * n, 3), y = some(m * m, 4);
  cuDoubleComplex *a = device(x), *tau = device(some(n, 5)), *buffer;
  int *info, size;
  cudaMalloc(&info, sizeof(int));
  CALL(cusolverDnZgeqrf_bufferSize(h, m, n, a, m, &size));
  cudaMalloc(&buffer, 2 * size * sizeof *buffer);
  CALL(cusolverDnZgeqrf(h, m, n, a, m, tau, buffer, size, info));
  matrix r(n * n);
  const matrix factors = back(a, m * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) r[i + j * n] = factors[i + j * m];
  CALL(cusolverDnZungqr_bufferSize(h, m, m, n, a, m, tau, &size));
  // The whole of q, from the reflectors in its first columns.
  matrix whole(m * m);
  for (int i = 0; i < m * n; ++i) whole[i] = factors[i];
  cuDoubleComplex* const q = device(whole);
  CALL(cusolverDnZungqr(h, m, m, n, q, m, tau, buffer, 2 * size, info));
  const matrix of_q = back(q, m * m);
  matrix identity(m * m);
  for (int i = 0; i < m; ++i) identity[i + i * m] = 1;
  EXPECT(near(product(of_q, m, true, of_q, m, false, m, m, m), identity));
  EXPECT(near(product(of_q, m, false, r, n, false, m, n, n), x));
  for (const bool is_left : {true, false}) {
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_C}) {
      cuDoubleComplex* const c = device(y);
      CALL(cusolverDnZunmqr_bufferSize(h, is_left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, op, m, m, n, a, m, tau, c, m, &size));
      CALL(cusolverDnZunmqr(h, is_left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, op, m, m, n, a, m, tau, c, m, buffer, 2 * size, info));
      const bool is_adjoint = op == CUBLAS_OP_C;
      EXPECT(near(back(c, m * m), is_left ? product(of_q, m, is_adjoint, y, m, false, m, m, m) : product(y, m, false, of_q, m, is_adjoint, m, m, m)));
      cudaFree(c);
    }
  }
  for (cuDoubleComplex* const each : {a, tau, q, buffer}) cudaFree(each);
  cudaFree(info);
}

int main(int words, char** argv) {
  const char* const mode = words > 1 ? argv[1] : "";
  cusolverDnHandle_t h;
  cusolverDnCreate(&h);
  const int n = 4;
  double *a, *buffer;
  int *info, *pivots, size;
  cudaMalloc(&a, n * n * sizeof *a);
  cudaMalloc(&info, sizeof *info);
  cudaMalloc(&pivots, (n - 1) * sizeof *pivots);
  cusolverDnDgetrf_bufferSize(h, n, n, a, n, &size);
  cudaMalloc(&buffer, size * sizeof *buffer);
  if (std::strcmp(mode, "short") == 0) {
    cudaMemset(a, 0, n * n * sizeof *a);
    cusolverDnDgetrf(h, n, n, a, n, buffer, pivots, info);  // @short
  } else if (std::strcmp(mode, "unset") == 0) {
    cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, n, a, n, buffer, size, info);  // @unset
  } else {
    squares(h);
    talls(h);
    std::printf("failures: %d\n", failures);
  }
  cusolverDnDestroy(h);
}

// program
// clean
// prints failures: 0
// program -- short
// finds out-of-bounds @short of pivots
// program -- unset
// finds uninitialised-read @unset of a
