// Sparse matrices with the dense ones beside them, elimination by a plain loop, and cuSOLVER's functions by types.
#pragma once

#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include <cmath>
#include <complex>
#include <vector>

using complex = std::complex<double>;
using numbers = std::vector<complex>;

// A sparse matrix by rows, and the same matrix as a dense one.
struct matrix {
  int rows, columns, base = 0;
  std::vector<int> offsets, indices;
  numbers values, dense;
  int entries() const { return static_cast<int>(indices.size()); }
};
static unsigned state = 1;
static double next() { return static_cast<double>((state = state * 1664525 + 1013904223) >> 20) / 2048 - 1; }
static matrix sparse(const numbers& dense, int rows, int columns, int base) {
  matrix m{rows, columns, base, {base}, {}, {}, dense};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      if (dense[i * columns + j] == 0.0) continue;
      m.indices.push_back(j + base);
      m.values.push_back(dense[i * columns + j]);
    }
    m.offsets.push_back(m.entries() + base);
  }
  return m;
}
static matrix some(int rows, int columns, bool is_complex, int base) {
  numbers dense(rows * columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (next() > 0.6 || i % columns == j) dense[i * columns + j] = {next() + (i == j ? 0.5 : 0), is_complex ? next() : 0};
  return sparse(dense, rows, columns, base);
}
static numbers some(int n, bool is_complex) {
  numbers x(n);
  for (complex& each : x) each = {next(), is_complex ? next() : 0};
  return x;
}
static numbers product(const numbers& a, int rows, int columns, const numbers& x, bool adjoint = false) {
  numbers y(adjoint ? columns : rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      adjoint ? y[j] += std::conj(a[i * columns + j]) * x[i] : y[i] += a[i * columns + j] * x[j];
  return y;
}
// a^H a + 1, or a^H a.
static numbers squared(const matrix& a, double shift) {
  const int n = a.columns;
  numbers s(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < a.rows; ++k) s[i * n + j] += std::conj(a.dense[k * n + i]) * a.dense[k * n + j];
  for (int i = 0; i < n; ++i) s[i * n + i] += shift;
  return s;
}
// Gauss-Jordan elimination with exchanges of rows.
static numbers solved(numbers a, numbers b) {
  const int n = static_cast<int>(b.size());
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    for (int j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    std::swap(b[k], b[best]);
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const complex by = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; ++j) a[i * n + j] -= by * a[k * n + j];
      b[i] -= by * b[k];
    }
  }
  for (int k = 0; k < n; ++k) b[k] /= a[k * n + k];
  return b;
}

template <class T>
struct letters;
#define LETTERS(L, T, R, OF, IN)                                                                                    \
  template <>                                                                                                       \
  struct letters<T> {                                                                                               \
    using real = R;                                                                                                 \
    static constexpr bool is_complex = sizeof(T) == 2 * sizeof(R);                                                  \
    static T of(const complex& z) { return OF; }                                                                    \
    static complex in(const T& z) { return IN; }                                                                    \
    static constexpr auto lu_host = cusolverSp##L##csrlsvluHost;                                                    \
    static constexpr auto qr_host = cusolverSp##L##csrlsvqrHost;                                                    \
    static constexpr auto qr = cusolverSp##L##csrlsvqr;                                                             \
    static constexpr auto chol_host = cusolverSp##L##csrlsvcholHost;                                                \
    static constexpr auto chol = cusolverSp##L##csrlsvchol;                                                         \
    static constexpr auto buffer_lu = cusolverSp##L##csrluBufferInfoHost;                                           \
    static constexpr auto factor_lu = cusolverSp##L##csrluFactorHost;                                               \
    static constexpr auto extract_lu = cusolverSp##L##csrluExtractHost;                                             \
    static constexpr auto solve_lu = cusolverSp##L##csrluSolveHost;                                                 \
    static constexpr auto many_info = cusolverSp##L##csrqrBufferInfoBatched;                                        \
    static constexpr auto many = cusolverSp##L##csrqrsvBatched;                                                     \
  }
LETTERS(S, float, float, static_cast<float>(z.real()), complex(z));
LETTERS(D, double, double, z.real(), complex(z));
LETTERS(C, cuComplex, float, make_cuComplex(static_cast<float>(z.real()), static_cast<float>(z.imag())), complex(z.x, z.y));
LETTERS(Z, cuDoubleComplex, double, make_cuDoubleComplex(z.real(), z.imag()), complex(z.x, z.y));

template <class T>
static std::vector<T> of_type(const numbers& x) {
  std::vector<T> own;
  for (const complex& each : x) own.push_back(letters<T>::of(each));
  return own;
}
template <class T>
static bool near(const std::vector<T>& got, const numbers& right) {
  const double tolerance = sizeof(typename letters<T>::real) == 4 ? 1e-3 : 1e-9;
  for (size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(letters<T>::in(got[i]) - right[i]) <= tolerance * (1 + std::abs(right[i])))) return false;
  return got.size() == right.size();
}
template <class T>
static T* on_device(const std::vector<T>& x) {
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
struct description {
  explicit description(int base) {
    cusparseCreateMatDescr(&is);
    cusparseSetMatIndexBase(is, base == 0 ? CUSPARSE_INDEX_BASE_ZERO : CUSPARSE_INDEX_BASE_ONE);
  }
  ~description() { cusparseDestroyMatDescr(is); }
  cusparseMatDescr_t is;
};
