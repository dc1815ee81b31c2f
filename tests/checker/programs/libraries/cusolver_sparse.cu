// cuSOLVER of sparse matrices, against elimination in a dense matrix by a plain loop; and mistakes around its calls.
#include "cusolver_systems.cuh"
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <set>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)
#define CALL(WHAT) EXPECT((WHAT) == CUSOLVER_STATUS_SUCCESS)
// For calls whose results the rest of a function needs.
#define NEED(WHAT) \
  if ((WHAT) != CUSOLVER_STATUS_SUCCESS) return ++failures, static_cast<void>(std::printf("line %d: %s\n", __LINE__, #WHAT))

template <class T>
static void at_once(cusolverSpHandle_t h, int n, int base) {
  const matrix a = some(n, n, letters<T>::is_complex, base), p = sparse(squared(a, 1), n, n, base);
  const description descr(base);
  const numbers b = some(n, letters<T>::is_complex);
  for (const matrix* m : {&a, &p}) {
    const std::vector<T> values = of_type<T>(m->values), right = of_type<T>(b);
    const numbers expected = solved(m->dense, b);
    T *const values_there = on_device(values), *const right_there = on_device(right), *const x_there = on_device(right);
    int *const offsets_there = on_device(m->offsets), *const indices_there = on_device(m->indices), singular = 7;
    const auto host = [&](auto call) {
      std::vector<T> x(n);
      CALL(call(h, n, m->entries(), descr.is, values.data(), m->offsets.data(), m->indices.data(), right.data(), 1e-6, 0, x.data(), &singular));
      EXPECT(singular == -1 && near(x, expected));
    };
    const auto device = [&](auto call) {
      CALL(call(h, n, m->entries(), descr.is, values_there, offsets_there, indices_there, right_there, 1e-6, 1, x_there, &singular));
      EXPECT(singular == -1 && near(back(x_there, n), expected));
    };
    host(letters<T>::lu_host);
    host(letters<T>::qr_host);
    device(letters<T>::qr);
    if (m == &p) {
      host(letters<T>::chol_host);
      device(letters<T>::chol);
    }
    for (T* const each : {values_there, right_there, x_there}) cudaFree(each);
    for (int* const each : {offsets_there, indices_there}) cudaFree(each);
  }
}
// Matrices whose third row depends on others, or whose third pivot is negative.
static void singular(cusolverSpHandle_t h) {
  const int n = 5;
  numbers dense(n * n);
  for (int i = 0; i < n; ++i) dense[i * n + i] = 2;
  dense[2 * n + 1] = dense[1 * n + 2] = dense[2 * n + 2] = 2;
  matrix a = sparse(dense, n, n, 0);
  const description descr(0);
  std::vector<double> b(n, 1), x(n), values = of_type<double>(a.values);
  int at = 7;
  CALL(cusolverSpDcsrlsvluHost(h, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), b.data(), 1e-12, 0, x.data(), &at));
  EXPECT(at == 2);
  CALL(cusolverSpDcsrlsvqrHost(h, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), b.data(), 1e-12, 0, x.data(), &at));
  EXPECT(at == 2);
  csrluInfoHost_t info;
  size_t internal, workspace;
  CALL(cusolverSpCreateCsrluInfoHost(&info));
  CALL(cusolverSpXcsrluAnalysisHost(h, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), info));
  NEED(cusolverSpDcsrluBufferInfoHost(h, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), info, &internal, &workspace));
  std::vector<char> buffer(workspace);
  NEED(cusolverSpDcsrluFactorHost(h, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), info, 1, buffer.data()));
  CALL(cusolverSpDcsrluZeroPivotHost(h, info, 1e-12, &at));
  EXPECT(at == 2);
#ifdef __HEDDLE_CHECK__
  // NVIDIA does not say which status factors with a pivot of 0 give.
  int of_l, of_u;
  EXPECT(cusolverSpXcsrluNnzHost(h, &of_l, &of_u, info) == CUSOLVER_STATUS_ZERO_PIVOT);
#endif
  CALL(cusolverSpDestroyCsrluInfoHost(info));
  // An empty column, whose row is the first one's pivot.
  const int offsets[] = {0, 1, 1, 2}, indices[] = {1, 0};
  CALL(cusolverSpDcsrlsvluHost(h, 3, 2, descr.is, values.data(), offsets, indices, b.data(), 1e-12, 0, x.data(), &at));
  EXPECT(at == 2);
  dense[2 * n + 2] = -1;
  a = sparse(dense, n, n, 0);
  values = of_type<double>(a.values);
  CALL(cusolverSpDcsrlsvcholHost(h, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), b.data(), 1e-12, 0, x.data(), &at));
  EXPECT(at == 2);
}

// A grid's five-point pattern.
static matrix grid(int side) {
  const int n = side * side;
  numbers dense(n * n);
  for (int i = 0; i < n; ++i) {
    dense[i * n + i] = 4;
    if (i % side > 0) dense[i * n + i - 1] = dense[(i - 1) * n + i] = -1;
    if (i >= side) dense[i * n + i - side] = dense[(i - side) * n + i] = -1;
  }
  return sparse(dense, n, n, 1);
}
// Entries of the factor of a(p, p), by elimination of a pattern.
static int entries_of_factor(const matrix& a, const std::vector<int>& p) {
  const int n = a.rows;
  std::vector<char> is_there(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) is_there[i * n + j] = a.dense[p[i] * n + p[j]] != 0.0;
  int count = 0;
  for (int k = 0; k < n; ++k)
    for (int i = k; i < n; ++i) {
      if (!is_there[i * n + k]) continue;
      ++count;
      for (int j = k + 1; j < n; ++j) is_there[i * n + j] |= is_there[j * n + k];
    }
  return count;
}
static void orders(cusolverSpHandle_t h) {
  matrix a = grid(9);
  const int n = a.rows;
  const description descr(1);
  // Rows that were mixed, so that there is something to find.
  std::vector<int> mixed(n), p(n);
  for (int i = 0; i < n; ++i) mixed[i] = i * 37 % n;
  int is_symmetric = 7;
  CALL(cusolverSpXcsrissymHost(h, n, a.entries(), descr.is, a.offsets.data(), a.offsets.data() + 1, a.indices.data(), &is_symmetric));
  EXPECT(is_symmetric == 1);
  const matrix before = a;
  size_t bytes;
  std::vector<int> map(a.entries());
  for (int k = 0; k < a.entries(); ++k) map[k] = k;
  CALL(cusolverSpXcsrperm_bufferSizeHost(h, n, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), mixed.data(), mixed.data(), &bytes));
  std::vector<char> buffer(bytes);
  CALL(cusolverSpXcsrpermHost(h, n, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), mixed.data(), mixed.data(), map.data(), buffer.data()));
  numbers dense(n * n);
  for (int i = 0; i < n; ++i)
    for (int k = a.offsets[i] - 1; k < a.offsets[i + 1] - 1; ++k) {
      EXPECT(k == a.offsets[i] - 1 || a.indices[k - 1] < a.indices[k]);
      dense[i * n + a.indices[k] - 1] = before.values[map[k]];
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT(dense[i * n + j] == before.dense[mixed[i] * n + mixed[j]]);
  a.dense = dense;
  std::vector<int> as_it_is(n);
  for (int i = 0; i < n; ++i) as_it_is[i] = i;
  const int unordered = entries_of_factor(a, as_it_is);
  const auto fewer = [&](auto call) {
    CALL(call(p.data()));
    EXPECT(std::set<int>(p.begin(), p.end()).size() == static_cast<size_t>(n) && entries_of_factor(a, p) * 10 < unordered * 8);
  };
  fewer([&](int* to) { return cusolverSpXcsrsymrcmHost(h, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), to); });
  fewer([&](int* to) { return cusolverSpXcsrsymamdHost(h, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), to); });
  fewer([&](int* to) { return cusolverSpXcsrsymmdqHost(h, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), to); });
  fewer([&](int* to) { return cusolverSpXcsrmetisndHost(h, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), nullptr, to); });
  // One entry less on one side.
  matrix skew = before;
  for (int i = 2; i <= n; ++i) --skew.offsets[i];
  skew.indices.erase(skew.indices.begin() + before.offsets[1] - 1);
  CALL(cusolverSpXcsrissymHost(h, n, skew.entries(), descr.is, skew.offsets.data(), skew.offsets.data() + 1, skew.indices.data(), &is_symmetric));
  EXPECT(is_symmetric == 0);
}

// P A = L U, with L and U multiplied again.
template <class T>
static void factors_of_lu(cusolverSpHandle_t h, int n, double threshold) {
  const matrix a = some(n, n, letters<T>::is_complex, 0);
  const description descr(0), of_factors(1);
  csrluInfoHost_t info;
  const std::vector<T> values = of_type<T>(a.values);
  size_t internal, workspace;
  NEED(cusolverSpCreateCsrluInfoHost(&info));
  NEED(cusolverSpXcsrluAnalysisHost(h, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), info));
  NEED(letters<T>::buffer_lu(h, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), info, &internal, &workspace));
  std::vector<char> buffer(workspace);
  NEED(letters<T>::factor_lu(h, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), info, threshold, buffer.data()));
  int of_l, of_u;
  NEED(cusolverSpXcsrluNnzHost(h, &of_l, &of_u, info));
  std::vector<int> p(n), q(n), offsets_l(n + 1), offsets_u(n + 1), indices_l(of_l), indices_u(of_u);
  std::vector<T> l(of_l), u(of_u), x(n);
  NEED(letters<T>::extract_lu(h, p.data(), q.data(), of_factors.is, l.data(), offsets_l.data(), indices_l.data(), of_factors.is, u.data(), offsets_u.data(),
                              indices_u.data(), info, buffer.data()));
  numbers lower(n * n), upper(n * n);
  for (int i = 0; i < n; ++i) {
    lower[i * n + i] = 1;
    for (int k = offsets_l[i] - 1; k < offsets_l[i + 1] - 1; ++k) {
      EXPECT(indices_l[k] - 1 < i && (threshold < 1 || std::abs(letters<T>::in(l[k])) <= 1.0001));
      lower[i * n + indices_l[k] - 1] = letters<T>::in(l[k]);
    }
    for (int k = offsets_u[i] - 1; k < offsets_u[i + 1] - 1; ++k) {
      EXPECT(indices_u[k] - 1 >= i);
      upper[i * n + indices_u[k] - 1] = letters<T>::in(u[k]);
    }
  }
  for (int j = 0; j < n; ++j) {
    numbers column(n), right(n);
    for (int i = 0; i < n; ++i) column[i] = upper[i * n + j];
    for (int i = 0; i < n; ++i) right[i] = a.dense[p[i] * n + q[j]];
    EXPECT(near(of_type<T>(product(lower, n, n, column)), right));
  }
  const numbers b = some(n, letters<T>::is_complex);
  CALL(letters<T>::solve_lu(h, n, of_type<T>(b).data(), x.data(), info, buffer.data()));
  EXPECT(near(x, solved(a.dense, b)));
  CALL(cusolverSpDestroyCsrluInfoHost(info));
}

// Least squares by the normal equations, with a shift, step by step on the device and the host.
static void steps(cusolverSpHandle_t h) {
  const int m = 13, n = 6;
  matrix a = some(m, n, true, 1);
  const numbers b = some(m, true);
  const description descr(1);
  const std::vector<cuDoubleComplex> values = of_type<cuDoubleComplex>(a.values);
  std::vector<cuDoubleComplex> right = of_type<cuDoubleComplex>(b), x(n);
  const complex mu(0.25, -0.5);
  matrix shifted = a;
  for (int i = 0; i < n; ++i) shifted.dense[i * n + i] -= mu;
  const numbers expected = solved(squared(shifted, 0), product(shifted.dense, m, n, b, true));
  size_t internal, workspace;
  int at = 7;
  csrqrInfoHost_t on_host;
  CALL(cusolverSpCreateCsrqrInfoHost(&on_host));
  CALL(cusolverSpXcsrqrAnalysisHost(h, m, n, a.entries(), descr.is, a.offsets.data(), a.indices.data(), on_host));
  CALL(cusolverSpZcsrqrBufferInfoHost(h, m, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), on_host, &internal, &workspace));
  std::vector<char> buffer(workspace);
  CALL(cusolverSpZcsrqrSetupHost(h, m, n, a.entries(), descr.is, values.data(), a.offsets.data(), a.indices.data(), letters<cuDoubleComplex>::of(mu), on_host));
  CALL(cusolverSpZcsrqrFactorHost(h, m, n, a.entries(), right.data(), x.data(), on_host, buffer.data()));
  EXPECT(near(x, expected));
  CALL(cusolverSpZcsrqrZeroPivotHost(h, on_host, 1e-12, &at));
  EXPECT(at == -1);
  CALL(cusolverSpDestroyCsrqrInfoHost(on_host));

  const matrix p = sparse(squared(a, 1), n, n, 1);
  csrcholInfo_t info;
  cuDoubleComplex *const values_there = on_device(of_type<cuDoubleComplex>(p.values)), *const b_there = on_device(right), *const x_there = on_device(x);
  int *const offsets_there = on_device(p.offsets), *const indices_there = on_device(p.indices);
  double* diagonal;
  char* buffer_there;
  cudaMalloc(&diagonal, n * sizeof *diagonal);
  CALL(cusolverSpCreateCsrcholInfo(&info));
  CALL(cusolverSpXcsrcholAnalysis(h, n, p.entries(), descr.is, offsets_there, indices_there, info));
  CALL(cusolverSpZcsrcholBufferInfo(h, n, p.entries(), descr.is, values_there, offsets_there, indices_there, info, &internal, &workspace));
  cudaMalloc(&buffer_there, workspace);
  EXPECT(cusolverSpZcsrcholSolve(h, n, b_there, x_there, info, buffer_there) != CUSOLVER_STATUS_SUCCESS);
  CALL(cusolverSpZcsrcholFactor(h, n, p.entries(), descr.is, values_there, offsets_there, indices_there, info, buffer_there));
  CALL(cusolverSpZcsrcholZeroPivot(h, info, 1e-12, &at));
  EXPECT(at == -1);
  CALL(cusolverSpZcsrcholDiag(h, info, diagonal));
  EXPECT(std::fabs(back(diagonal, 1)[0] - std::sqrt(p.dense[0].real())) < 1e-12);
  CALL(cusolverSpZcsrcholSolve(h, n, b_there, x_there, info, buffer_there));
  EXPECT(near(back(x_there, n), solved(p.dense, numbers(b.begin(), b.begin() + n))));
  CALL(cusolverSpDestroyCsrcholInfo(info));
  for (cuDoubleComplex* const each : {values_there, b_there, x_there}) cudaFree(each);
  for (int* const each : {offsets_there, indices_there}) cudaFree(each);
  cudaFree(diagonal);
  cudaFree(buffer_there);
}

// Systems of one pattern.
template <class T>
static void many(cusolverSpHandle_t h) {
  const int m = 8, n = 5, count = 3;
  matrix a = some(m, n, letters<T>::is_complex, 0);
  const description descr(0);
  numbers values, right, expected;
  for (int c = 0; c < count; ++c) {
    const numbers b = some(m, letters<T>::is_complex);
    for (complex& each : a.dense) each *= 1.5;
    for (complex& each : a.values) each *= 1.5;
    const numbers x = solved(squared(a, 0), product(a.dense, m, n, b, true));
    values.insert(values.end(), a.values.begin(), a.values.end());
    right.insert(right.end(), b.begin(), b.end());
    expected.insert(expected.end(), x.begin(), x.end());
  }
  csrqrInfo_t info;
  T *const values_there = on_device(of_type<T>(values)), *const b = on_device(of_type<T>(right)), *x;
  int *const offsets = on_device(a.offsets), *const indices = on_device(a.indices);
  char* buffer;
  size_t internal, workspace;
  cudaMalloc(&x, n * count * sizeof *x);
  CALL(cusolverSpCreateCsrqrInfo(&info));
  CALL(cusolverSpXcsrqrAnalysisBatched(h, m, n, a.entries(), descr.is, offsets, indices, info));
  CALL(letters<T>::many_info(h, m, n, a.entries(), descr.is, values_there, offsets, indices, count, info, &internal, &workspace));
  cudaMalloc(&buffer, workspace);
  CALL(letters<T>::many(h, m, n, a.entries(), descr.is, values_there, offsets, indices, b, x, count, info, buffer));
  EXPECT(near(back(x, n * count), expected));
  CALL(cusolverSpDestroyCsrqrInfo(info));
  for (T* const each : {values_there, b, x}) cudaFree(each);
  for (int* const each : {offsets, indices}) cudaFree(each);
  cudaFree(buffer);
}

// P A Q^T = L U with a reversed order on both sides, as rows or as columns; then other values.
static void refactored(bool by_columns, bool boosts) {
  const int n = 7;
  numbers dense(n * n);
  for (int i = 0; i < n; ++i) {
    dense[i * n + i] = 5 + i;
    if (i > 0) dense[i * n + i - 1] = -1 - i;
    if (i > 1) dense[(i - 2) * n + i] = 0.5 * i;
  }
  const auto transposed = [&](const numbers& x) {
    numbers y(n * n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) y[i * n + j] = x[by_columns ? j * n + i : i * n + j];
    return y;
  };
  matrix a = sparse(transposed(dense), n, n, 0);
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = n - 1 - i;
  numbers lower(n * n), upper(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) (j < i ? lower : upper)[i * n + j] = std::abs(i - j) < 3 ? 1 : 0;
  matrix l = sparse(transposed(lower), n, n, 0), u = sparse(transposed(upper), n, n, 0);
  std::vector<double> values = of_type<double>(a.values), of_l(l.entries()), of_u(u.entries());
  cusolverRfHandle_t h;
  CALL(cusolverRfCreate(&h));
  CALL(cusolverRfSetMatrixFormat(h, by_columns ? CUSOLVERRF_MATRIX_FORMAT_CSC : CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
  CALL(cusolverRfSetNumericProperties(h, boosts ? 100 : 0, boosts ? 1000 : 0));
  CALL(cusolverRfSetupHost(n, a.entries(), a.offsets.data(), a.indices.data(), values.data(), l.entries(), l.offsets.data(), l.indices.data(), of_l.data(),
                           u.entries(), u.offsets.data(), u.indices.data(), of_u.data(), order.data(), order.data(), h));
  EXPECT(cusolverRfRefactor(h) == CUSOLVER_STATUS_NOT_INITIALIZED);
  CALL(cusolverRfAnalyze(h));
  for (complex& each : dense) each *= 2;
  for (double& each : values) each *= 2;
  const numbers b = some(n, false);
  int *const offsets = on_device(a.offsets), *const indices = on_device(a.indices), *const p = on_device(order);
  double *const values_there = on_device(values), *const x = on_device(of_type<double>(b)), *temp;
  cudaMalloc(&temp, n * sizeof *temp);
  CALL(cusolverRfResetValues(n, a.entries(), offsets, indices, values_there, p, p, h));
  CALL(cusolverRfRefactor(h));
  cusolverRfNumericBoostReport_t report;
  CALL(cusolverRfGetNumericBoostReport(h, &report));
  EXPECT(report == (boosts ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED));
  CALL(cusolverRfSolve(h, p, p, 1, temp, n, x, n));
  EXPECT(near(back(x, n), solved(dense, b)) != boosts);
  CALL(cusolverRfDestroy(h));
  for (int* const each : {offsets, indices, p}) cudaFree(each);
  for (double* const each : {values_there, x, temp}) cudaFree(each);
}

int main(int words, char** argv) {
  const char* const mode = words > 1 ? argv[1] : "";
  cusolverSpHandle_t h;
  cusolverSpCreate(&h);
  if (*mode != 0) {
    const matrix a = grid(3);
    const int n = a.rows;
    const description descr(1);
    int *offsets = on_device(a.offsets), *indices = on_device(a.indices), singularity;
    double *values = on_device(of_type<double>(a.values)), *b, *x;
    cudaMalloc(&b, n * sizeof *b);
    cudaMalloc(&x, (n - 1) * sizeof *x);
    if (std::strcmp(mode, "short") == 0) {
      cudaMemset(b, 0, n * sizeof *b);
      cusolverSpDcsrlsvchol(h, n, a.entries(), descr.is, values, offsets, indices, b, 1e-12, 0, x, &singularity);  // @short
    } else if (std::strcmp(mode, "unset") == 0) {
      cusolverSpDcsrlsvqr(h, n, a.entries(), descr.is, values, offsets, indices, b, 1e-12, 0, b, &singularity);  // @unset
    } else if (std::strcmp(mode, "indices") == 0) {
      int last = a.entries() + 2;
      cudaMemset(b, 0, n * sizeof *b);
      cudaMemcpy(offsets + n, &last, sizeof last, cudaMemcpyHostToDevice);
      cusolverSpDcsrlsvqr(h, n, a.entries(), descr.is, values, offsets, indices, b, 1e-12, 0, b, &singularity);  // @indices
    }
    return 0;
  }
  at_once<float>(h, 9, 0);
  at_once<double>(h, 14, 1);
  at_once<cuComplex>(h, 8, 1);
  at_once<cuDoubleComplex>(h, 11, 0);
  at_once<double>(h, 1, 0);
  singular(h);
  orders(h);
  factors_of_lu<double>(h, 12, 1);
  factors_of_lu<cuDoubleComplex>(h, 9, 0.1);
  factors_of_lu<float>(h, 7, 1);
  steps(h);
  many<double>(h);
  many<cuComplex>(h);
  for (const bool by_columns : {false, true}) refactored(by_columns, false);
  refactored(false, true);
  cusolverSpDestroy(h);
  std::printf("failures: %d\n", failures);
}

// program
// clean
// prints failures: 0
// program -- short
// finds out-of-bounds @short of x
// program -- unset
// finds uninitialised-read @unset of b
// program -- indices
// finds out-of-bounds @indices of made
