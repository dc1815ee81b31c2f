#pragma once

/// Of dense matrices in column order: factors and what is solved with them, for cuBLAS and cuSOLVER. The
/// factors are those of LAPACK's getrf, potrf and geqrf, up to last bits.

#include "products.hpp"

#include <cmath>

namespace heddle_device::blas {

/// The real numbers of C.
template <class C>
using real_of = decltype(std::abs(C()));

/// Rows i and j of `columns` columns change places.
template <class T>
HEDDLE_UNWATCHED void exchange_rows(T* a, std::ptrdiff_t lda, std::ptrdiff_t columns, std::ptrdiff_t i,
                                    std::ptrdiff_t j) {
  if (i == j) return;
  for (std::ptrdiff_t k = 0; k < columns; ++k) {
    const T before = a[i + k * lda];
    a[i + k * lda] = a[j + k * lda];
    a[j + k * lda] = before;
  }
}

/// a becomes the factors l and u of m × n with rows exchanged, which `pivots` has, counted from 1; without
/// exchanges where that is null. Gives 0, or the first i, from 1, for which u(i, i) is 0.
template <class T>
HEDDLE_UNWATCHED int factor_lu(std::ptrdiff_t m, std::ptrdiff_t n, T* a, std::ptrdiff_t lda, int* pivots) {
  using C = number_t<T>;
  int singular = 0;
  for (std::ptrdiff_t k = 0; k < (m < n ? m : n); ++k) {
    std::ptrdiff_t best = k;
    if (pivots != nullptr) {
      for (std::ptrdiff_t i = k + 1; i < m; ++i)
        if (size_of(loaded<C>(a[i + k * lda])) > size_of(loaded<C>(a[best + k * lda]))) best = i;
      pivots[k] = static_cast<int>(best) + 1;
      exchange_rows(a, lda, n, k, best);
    }
    const C pivot = loaded<C>(a[k + k * lda]);
    if (pivot == C()) {
      if (singular == 0) singular = static_cast<int>(k) + 1;
      continue;
    }
    for (std::ptrdiff_t i = k + 1; i < m; ++i) stored(a[i + k * lda], loaded<C>(a[i + k * lda]) / pivot);
    for (std::ptrdiff_t j = k + 1; j < n; ++j) {
      const C by = loaded<C>(a[k + j * lda]);
      for (std::ptrdiff_t i = k + 1; i < m; ++i)
        stored(a[i + j * lda], loaded<C>(a[i + j * lda]) - product(loaded<C>(a[i + k * lda]), by));
    }
  }
  return singular;
}

/// x becomes the solution of op(a) x = x for one triangle of a.
template <class T>
HEDDLE_UNWATCHED void solve_triangle(bool is_lower, cublasOperation_t op, bool is_unit, std::ptrdiff_t n,
                                     const T* a, std::ptrdiff_t lda, T* x) {
  using C = number_t<T>;
  const bool goes_up = is_lower == (op == CUBLAS_OP_N);
  for (std::ptrdiff_t step = 0; step < n; ++step) {
    const std::ptrdiff_t i = goes_up ? step : n - 1 - step;
    C value = loaded<C>(x[i]);
    for (std::ptrdiff_t j = goes_up ? 0 : i + 1; j < (goes_up ? i : n); ++j)
      value -= product(element<C>(a, lda, op, i, j), loaded<C>(x[j]));
    if (!is_unit) value = value / element<C>(a, lda, op, i, i);
    stored(x[i], value);
  }
}

/// The columns of b become the solutions of op(a) x = b, of factors by factor_lu.
template <class T>
HEDDLE_UNWATCHED void solve_lu(cublasOperation_t op, std::ptrdiff_t n, std::ptrdiff_t columns, const T* a,
                               std::ptrdiff_t lda, const int* pivots, T* b, std::ptrdiff_t ldb) {
  for (std::ptrdiff_t k = 0; k < n && pivots != nullptr && op == CUBLAS_OP_N; ++k)
    exchange_rows(b, ldb, columns, k, pivots[k] - 1);
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    T* const x = b + j * ldb;
    const bool lower_first = op == CUBLAS_OP_N;
    solve_triangle(lower_first, op, lower_first, n, a, lda, x);
    solve_triangle(!lower_first, op, !lower_first, n, a, lda, x);
  }
  for (std::ptrdiff_t k = n; k-- > 0 && pivots != nullptr && op != CUBLAS_OP_N;)
    exchange_rows(b, ldb, columns, k, pivots[k] - 1);
}

/// Element (i, j) of a lower triangle that may be kept as an upper one, transposed and conjugate.
template <class T>
HEDDLE_INSIDE number_t<T> in_triangle(bool is_lower, const T* a, std::ptrdiff_t lda, std::ptrdiff_t i,
                                      std::ptrdiff_t j) {
  using C = number_t<T>;
  return is_lower ? loaded<C>(a[i + j * lda]) : conjugate(loaded<C>(a[j + i * lda]));
}

template <class T>
HEDDLE_UNWATCHED void set_identity(std::ptrdiff_t m, std::ptrdiff_t n, T* a, std::ptrdiff_t lda) {
  using C = number_t<T>;
  for (std::ptrdiff_t j = 0; j < n; ++j)
    for (std::ptrdiff_t i = 0; i < m; ++i) stored(a[i + j * lda], i == j ? C(1) : C());
}
template <class T>
HEDDLE_UNWATCHED void copy_columns(std::ptrdiff_t m, std::ptrdiff_t n, const T* from, std::ptrdiff_t pitch,
                                   T* to, std::ptrdiff_t pitch_to) {
  for (std::ptrdiff_t j = 0; j < n; ++j)
    for (std::ptrdiff_t i = 0; i < m; ++i) to[i + j * pitch_to] = from[i + j * pitch];
}
/// m × n elements become the adjoint of what is there.
template <class T>
HEDDLE_UNWATCHED void set_adjoint(std::ptrdiff_t m, std::ptrdiff_t n, const T* from, std::ptrdiff_t pitch,
                                  T* to, std::ptrdiff_t pitch_to) {
  using C = number_t<T>;
  for (std::ptrdiff_t j = 0; j < n; ++j)
    for (std::ptrdiff_t i = 0; i < m; ++i)
      stored(to[i + j * pitch_to], conjugate(loaded<C>(from[j + i * pitch])));
}
/// The first i, from 1, for which a(i, i) is 0; 0 for none.
template <class T>
HEDDLE_UNWATCHED int first_zero_of_diagonal(std::ptrdiff_t n, const T* a, std::ptrdiff_t lda) {
  using C = number_t<T>;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    if (loaded<C>(a[i + i * lda]) == C()) return static_cast<int>(i) + 1;
  return 0;
}

/// One triangle of a becomes its factor by Cholesky. Gives 0, or the order, from 1, of the first minor that
/// is not positive.
template <class T>
HEDDLE_UNWATCHED int factor_cholesky(bool is_lower, std::ptrdiff_t n, T* a, std::ptrdiff_t lda) {
  using C = number_t<T>;
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    for (std::ptrdiff_t i = j; i < n; ++i) {
      C sum = in_triangle(is_lower, a, lda, i, j);
      for (std::ptrdiff_t k = 0; k < j; ++k)
        sum -= product(in_triangle(is_lower, a, lda, i, k), conjugate(in_triangle(is_lower, a, lda, j, k)));
      if (i == j) {
        const real_of<C> square = std::real(sum);
        if (!(square > 0)) return static_cast<int>(j) + 1;
        stored(a[j + j * lda], C(std::sqrt(square)));
      } else {
        const C value = sum / in_triangle(is_lower, a, lda, j, j);
        stored(is_lower ? a[i + j * lda] : a[j + i * lda], is_lower ? value : conjugate(value));
      }
    }
  }
  return 0;
}

/// The columns of c become (1 - factor v v*) c, of which v(0) counts as 1.
template <class T, class C>
HEDDLE_UNWATCHED void reflect(std::ptrdiff_t m, std::ptrdiff_t columns, const T* v, C factor, T* c,
                              std::ptrdiff_t ldc) {
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    T* const x = c + j * ldc;
    C sum = loaded<C>(x[0]);
    for (std::ptrdiff_t i = 1; i < m; ++i) sum += product(conjugate(loaded<C>(v[i])), loaded<C>(x[i]));
    sum = product(factor, sum);
    stored(x[0], loaded<C>(x[0]) - sum);
    for (std::ptrdiff_t i = 1; i < m; ++i) stored(x[i], loaded<C>(x[i]) - product(loaded<C>(v[i]), sum));
  }
}

/// a becomes r and, below it, the reflectors of q with their factors in tau, as by LAPACK's geqrf.
template <class T>
HEDDLE_UNWATCHED void factor_qr(std::ptrdiff_t m, std::ptrdiff_t n, T* a, std::ptrdiff_t lda, T* tau) {
  using C = number_t<T>;
  using R = real_of<C>;
  for (std::ptrdiff_t k = 0; k < (m < n ? m : n); ++k) {
    T* const v = a + k + k * lda;
    const C first = loaded<C>(v[0]);
    R below = 0;
    for (std::ptrdiff_t i = 1; i < m - k; ++i) below += std::norm(loaded<C>(v[i]));
    if (below == 0 && std::imag(first) == 0) {
      stored(tau[k], C());
      continue;
    }
    const R size = std::sqrt(std::norm(first) + below), beta = std::real(first) >= 0 ? -size : size;
    const C factor = (C(beta) - first) / beta, by = C(1) / (first - C(beta));
    stored(tau[k], factor);
    for (std::ptrdiff_t i = 1; i < m - k; ++i) stored(v[i], product(loaded<C>(v[i]), by));
    stored(v[0], C(beta));
    reflect(m - k, n - k - 1, v, conjugate(factor), v + lda, lda);
  }
}

/// The m rows of c become op(q) c, for q of k reflectors as factor_qr leaves them.
template <class T>
HEDDLE_UNWATCHED void multiply_by_q(cublasOperation_t op, std::ptrdiff_t m, std::ptrdiff_t columns,
                                    std::ptrdiff_t k, const T* a, std::ptrdiff_t lda, const T* tau, T* c,
                                    std::ptrdiff_t ldc) {
  using C = number_t<T>;
  for (std::ptrdiff_t step = 0; step < k; ++step) {
    const std::ptrdiff_t i = op == CUBLAS_OP_N ? k - 1 - step : step;
    const C factor = loaded<C>(tau[i]);
    reflect(m - i, columns, a + i + i * lda, op == CUBLAS_OP_N ? factor : conjugate(factor), c + i, ldc);
  }
}

}  // namespace heddle_device::blas
