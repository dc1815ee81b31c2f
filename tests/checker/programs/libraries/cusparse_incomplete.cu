// cuSPARSE: incomplete factors against those of a dense matrix without fill, and counts of nonzeros; and mistakes around the calls.
#include <cusparse.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)
#define RIGHT(CALL) EXPECT((CALL) == CUSPARSE_STATUS_SUCCESS)

template <class T>
static T* device(const std::vector<T>& x) {
  T* made;
  cudaMalloc(&made, x.size() * sizeof(T));
  cudaMemcpy(made, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
  return made;
}

/// A matrix of n × n by rows, with about half of its entries.
static std::vector<double> some(int n) {
  std::vector<double> a(n * n);
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      state = state * 1664525 + 1013904223;
      a[i * n + j] = i == j ? 9 + i : state >> 31 != 0 ? static_cast<double>(state >> 27) - 7.5 : 0;
    }
  }
  return a;
}

struct sparse {
  std::vector<double> values;
  std::vector<int> offsets, columns;
  sparse(const std::vector<double>& a, int n, int base) {
    for (int i = 0; i < n; ++i) {
      offsets.push_back(static_cast<int>(values.size()) + base);
      for (int j = 0; j < n; ++j) {
        if (a[i * n + j] == 0) continue;
        values.push_back(a[i * n + j]);
        columns.push_back(j + base);
      }
    }
    offsets.push_back(static_cast<int>(values.size()) + base);
  }
};

static void factors(cusparseHandle_t h, cusparseIndexBase_t base) {
  const int n = 12;
  std::vector<double> a = some(n);
  const sparse s(a, n, base);
  const int nnz = static_cast<int>(s.values.size());
  double* const values = device(s.values);
  int *const offsets = device(s.offsets), *const columns = device(s.columns);
  cusparseMatDescr_t descr;
  cusparseCreateMatDescr(&descr);
  cusparseSetMatIndexBase(descr, base);
  csrilu02Info_t info;
  RIGHT(cusparseCreateCsrilu02Info(&info));
  int bytes, place;
  RIGHT(cusparseDcsrilu02_bufferSize(h, n, nnz, descr, values, offsets, columns, info, &bytes));
  void* buffer;
  cudaMalloc(&buffer, bytes);
#ifdef __HEDDLE_CHECK__
  // Factors without an analysis: cuSPARSE does not say which status that gives.
  EXPECT(cusparseDcsrilu02(h, n, nnz, descr, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer) == CUSPARSE_STATUS_INVALID_VALUE);
#endif
  RIGHT(cusparseDcsrilu02_analysis(h, n, nnz, descr, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
  RIGHT(cusparseXcsrilu02_zeroPivot(h, info, &place));
  RIGHT(cusparseDcsrilu02(h, n, nnz, descr, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
  RIGHT(cusparseXcsrilu02_zeroPivot(h, info, &place));
  EXPECT(place == -1);
  // By columns of l: what is 0 stays 0.
  const std::vector<double> before = a;
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      if (before[i * n + k] == 0) continue;
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; ++j)
        if (before[i * n + j] != 0) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
  std::vector<double> got(nnz);
  cudaMemcpy(got.data(), values, nnz * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    for (int at = s.offsets[i] - base; at < s.offsets[i + 1] - base; ++at) {
      const double right = a[i * n + s.columns[at] - base];
      EXPECT(std::fabs(got[at] - right) <= 1e-10 * (1 + std::fabs(right)));
    }
  }
  // The third row's pivot becomes 0.
  std::vector<double> singular(s.values);
  for (int at = s.offsets[2] - base; at < s.offsets[3] - base; ++at) singular[at] = 0;
  cudaMemcpy(values, singular.data(), nnz * sizeof(double), cudaMemcpyHostToDevice);
  RIGHT(cusparseDcsrilu02(h, n, nnz, descr, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
  EXPECT(cusparseXcsrilu02_zeroPivot(h, info, &place) == CUSPARSE_STATUS_ZERO_PIVOT);
  EXPECT(place == 2 + base);
  RIGHT(cusparseDestroyCsrilu02Info(info));
  cusparseDestroyMatDescr(descr);
  cudaFree(values);
  cudaFree(offsets);
  cudaFree(columns);
  cudaFree(buffer);
}

static void counts(cusparseHandle_t h) {
  const int m = 5, n = 7, lda = 6;
  std::vector<float> a(lda * n);
  int all = 0;
  for (int i = 0; i < lda * n; ++i) a[i] = i % 3 == 0 ? 0.f : 1.f;
  float* const x = device(a);
  cusparseMatDescr_t descr;
  cusparseCreateMatDescr(&descr);
  for (const auto direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
    const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
    std::vector<int> each(by_rows ? m : n), got(each.size());
    all = 0;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        if (a[i + j * lda] != 0) ++each[by_rows ? i : j], ++all;
    int *of_each, total = 0;
    cudaMalloc(&of_each, each.size() * sizeof(int));
    RIGHT(cusparseSnnz(h, direction, m, n, descr, x, lda, of_each, &total));
    cudaMemcpy(got.data(), of_each, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
    EXPECT(got == each && total == all);
    cudaFree(of_each);
  }
  EXPECT(cusparseSnnz(h, CUSPARSE_DIRECTION_ROW, m, n, descr, x, m - 1, nullptr, &all) == CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDestroyMatDescr(descr);
  cudaFree(x);
}

int main(int words, char** argv) {
  const char* const mode = words > 1 ? argv[1] : "";
  cusparseHandle_t h;
  cusparseCreate(&h);
  cusparseMatDescr_t descr;
  cusparseCreateMatDescr(&descr);
  if (std::strcmp(mode, "short") == 0) {
    float* const x = device(std::vector<float>(12));
    int *counts, total;
    cudaMalloc(&counts, 2 * sizeof(int));
    cusparseSnnz(h, CUSPARSE_DIRECTION_ROW, 3, 4, descr, x, 3, counts, &total);  // @short
  } else if (std::strcmp(mode, "unset") == 0) {
    const sparse s({1, 2, 3, 4}, 2, 0);
    int *const offsets = device(s.offsets), *const columns = device(s.columns);
    double* values;
    void* buffer;
    cudaMalloc(&values, 4 * sizeof(double));
    cudaMalloc(&buffer, 1024);
    csrilu02Info_t info;
    cusparseCreateCsrilu02Info(&info);
    cusparseDcsrilu02_analysis(h, 2, 4, descr, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer);  // @unset
  } else {
    factors(h, CUSPARSE_INDEX_BASE_ZERO);
    factors(h, CUSPARSE_INDEX_BASE_ONE);
    counts(h);
    std::printf("failures: %d\n", failures);
  }
  cusparseDestroyMatDescr(descr);
  cusparseDestroy(h);
}

// program
// clean
// prints failures: 0
// program -- short
// finds out-of-bounds @short of counts
// program -- unset
// finds uninitialised-read @unset of values
