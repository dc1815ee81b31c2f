// Dense matrices by plain loops; sparse and dense matrices and vectors as cuSPARSE takes them.
#pragma once

#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <type_traits>
#include <vector>

using number = std::complex<double>;

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)
#define RIGHT(CALL) EXPECT((CALL) == CUSPARSE_STATUS_SUCCESS)

static cusparseHandle_t handle;

static unsigned state = 1;
static double next() { return static_cast<double>((state = state * 1664525 + 1013904223) >> 24) / 64 - 2; }

// The types of values and of indices, as cuSPARSE names them.
template <class V>
struct type_of;
#define TYPE(V, NUMBER, IS_COMPLEX)                     \
  template <>                                           \
  struct type_of<V> {                                   \
    static constexpr cudaDataType value = NUMBER;       \
    static constexpr bool is_complex = IS_COMPLEX;      \
  }
TYPE(float, CUDA_R_32F, false);
TYPE(double, CUDA_R_64F, false);
TYPE(cuComplex, CUDA_C_32F, true);
TYPE(cuDoubleComplex, CUDA_C_64F, true);
template <class I>
constexpr cusparseIndexType_t index_of = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
template <class V>
static V stored(number z) {
  if constexpr (type_of<V>::is_complex) {
    V v;
    v.x = z.real(), v.y = z.imag();
    return v;
  } else {
    return static_cast<V>(z.real());
  }
}
template <class V>
static number loaded(V v) {
  if constexpr (type_of<V>::is_complex) {
    return {v.x, v.y};
  } else {
    return v;
  }
}
template <class V>
static number random_of() {
  const double re = next();
  return {re, type_of<V>::is_complex ? next() : 0};
}

// A dense matrix by rows.
struct matrix {
  int rows, columns;
  std::vector<number> of;
  matrix(int m, int n) : rows(m), columns(n), of(m * n) {}
  number& operator()(int i, int j) { return of[i * columns + j]; }
  number operator()(int i, int j) const { return of[i * columns + j]; }
};
static matrix with(cusparseOperation_t op, const matrix& a) {
  if (op == CUSPARSE_OPERATION_NON_TRANSPOSE) return a;
  matrix b(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) b(j, i) = op == CUSPARSE_OPERATION_TRANSPOSE ? a(i, j) : std::conj(a(i, j));
  return b;
}
static matrix product(const matrix& a, const matrix& b) {
  matrix c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j)
      for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}
static matrix sum(number alpha, const matrix& a, number beta, const matrix& b) {
  matrix c = a;
  for (size_t i = 0; i < c.of.size(); ++i) c.of[i] = alpha * a.of[i] + beta * b.of[i];
  return c;
}
static bool are_near(const std::vector<number>& x, const std::vector<number>& y) {
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - y[i]) <= 1e-5 * (1 + std::abs(y[i])))) return false;
  return true;
}
template <class V>
static matrix some(int m, int n, int of_three = 3) {
  matrix a(m, n);
  for (int i = 0; i < m * n; ++i) {
    const number z = random_of<V>();
    if (static_cast<int>(std::fabs(next()) * 64) % 3 < of_three) a.of[i] = z == number() ? 1 : z;
  }
  return a;
}

template <class T>
static T* device(const std::vector<T>& x) {
  T* made;
  cudaMalloc(&made, std::max<size_t>(x.size(), 1) * sizeof(T));
  cudaMemcpy(made, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
  return made;
}
template <class T>
static std::vector<T> back(const T* from, size_t n) {
  std::vector<T> x(n);
  cudaMemcpy(x.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return x;
}
template <class V>
static std::vector<V> all_stored(const std::vector<number>& x) {
  std::vector<V> y;
  for (const number& z : x) y.push_back(stored<V>(z));
  return y;
}
template <class V>
static std::vector<number> all_loaded(const std::vector<V>& x) {
  std::vector<number> y;
  for (const V& v : x) y.push_back(loaded(v));
  return y;
}

// The entries of a dense matrix that are not zero, in a format.
template <class V, class I>
struct sparse {
  cusparseSpMatDescr_t descr;
  std::vector<I> lines, across;
  std::vector<V> values;
  I *on_lines, *on_across;
  V* on_values;
  sparse(const matrix& a, cusparseFormat_t format, int base) {
    const bool by_columns = format == CUSPARSE_FORMAT_CSC;
    for (int line = 0; line < (by_columns ? a.columns : a.rows); ++line) {
      if (format != CUSPARSE_FORMAT_COO) lines.push_back(values.size() + base);
      for (int k = 0; k < (by_columns ? a.rows : a.columns); ++k) {
        const number z = by_columns ? a(k, line) : a(line, k);
        if (z == number()) continue;
        if (format == CUSPARSE_FORMAT_COO) lines.push_back(line + base);
        across.push_back(k + base);
        values.push_back(stored<V>(z));
      }
    }
    if (format != CUSPARSE_FORMAT_COO) lines.push_back(values.size() + base);
    on_lines = device(lines);
    on_across = device(across);
    on_values = device(values);
    const auto from = static_cast<cusparseIndexBase_t>(base);
    if (format == CUSPARSE_FORMAT_COO) {
      RIGHT(cusparseCreateCoo(&descr, a.rows, a.columns, values.size(), on_lines, on_across, on_values, index_of<I>, from, type_of<V>::value));
    } else {
      RIGHT((by_columns ? cusparseCreateCsc : cusparseCreateCsr)(&descr, a.rows, a.columns, values.size(), on_lines, on_across,
                                                                 on_values, index_of<I>, index_of<I>, from, type_of<V>::value));
    }
  }
  ~sparse() {
    cusparseDestroySpMat(descr);
    cudaFree(on_lines);
    cudaFree(on_across);
    cudaFree(on_values);
  }
};
// A dense matrix with a gap behind each row or column.
template <class V>
struct dense {
  cusparseDnMatDescr_t descr;
  int rows, columns, pitch;
  bool by_columns;
  V* on_values;
  dense(const matrix& a, cusparseOrder_t order)
      : rows(a.rows), columns(a.columns), pitch((order == CUSPARSE_ORDER_COL ? rows : columns) + 2), by_columns(order == CUSPARSE_ORDER_COL) {
    std::vector<V> values(pitch * (by_columns ? columns : rows), stored<V>(7));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) values[at(i, j)] = stored<V>(a(i, j));
    on_values = device(values);
    RIGHT(cusparseCreateDnMat(&descr, rows, columns, pitch, on_values, type_of<V>::value, order));
  }
  ~dense() {
    cusparseDestroyDnMat(descr);
    cudaFree(on_values);
  }
  int at(int i, int j) const { return by_columns ? i + j * pitch : i * pitch + j; }
  matrix get() const {
    const auto values = back(on_values, pitch * (by_columns ? columns : rows));
    EXPECT(loaded(values[pitch - 1]) == number(7));
    matrix a(rows, columns);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) a(i, j) = loaded(values[at(i, j)]);
    return a;
  }
};
template <class V>
struct vector {
  cusparseDnVecDescr_t descr;
  V* on_values;
  size_t size;
  explicit vector(const std::vector<number>& x) : on_values(device(all_stored<V>(x))), size(x.size()) {
    RIGHT(cusparseCreateDnVec(&descr, size, on_values, type_of<V>::value));
  }
  ~vector() {
    cusparseDestroyDnVec(descr);
    cudaFree(on_values);
  }
  std::vector<number> get() const { return all_loaded(back(on_values, size)); }
};
struct buffer {
  size_t bytes = 0;
  char* made = nullptr;
  void* get() {
    if (made == nullptr) cudaMalloc(&made, bytes);
    return made;
  }
  ~buffer() { cudaFree(made); }
};
// alpha and beta, on the host or on the device.
template <class V>
struct factors {
  V on_host[2];
  V* on_device;
  const void *alpha, *beta;
  factors(number a, number b, bool is_on_device) : on_host{stored<V>(a), stored<V>(b)}, on_device(device(std::vector<V>{on_host[0], on_host[1]})) {
    cusparseSetPointerMode(handle, is_on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST);
    alpha = is_on_device ? on_device : on_host;
    beta = static_cast<const V*>(alpha) + 1;
  }
  ~factors() {
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST);
    cudaFree(on_device);
  }
};
