#pragma once

/// Of cuBLAS: what is calculated, in column order.

#include "types.hpp"

namespace heddle_device::blas {

template <class C, class T>
HEDDLE_INSIDE C element(const T* a, std::ptrdiff_t pitch, cublasOperation_t op, std::ptrdiff_t i,
                        std::ptrdiff_t j) {
  if (op == CUBLAS_OP_N) return loaded<C>(a[i + j * pitch]);
  const C of = loaded<C>(a[j + i * pitch]);
  return op == CUBLAS_OP_C ? conjugate(of) : of;
}

/// c becomes alpha op(a) op(b) + beta c: m × n, over k.
template <class C, class A, class D>
HEDDLE_UNWATCHED void multiply(cublasOperation_t of_a, cublasOperation_t of_b, std::ptrdiff_t m,
                               std::ptrdiff_t n, std::ptrdiff_t k, C alpha, const A* a, std::ptrdiff_t lda,
                               const A* b, std::ptrdiff_t ldb, C beta, D* c, std::ptrdiff_t ldc) {
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    for (std::ptrdiff_t i = 0; i < m; ++i) {
      C sum = C();
      for (std::ptrdiff_t l = 0; l < k; ++l)
        sum += product(element<C>(a, lda, of_a, i, l), element<C>(b, ldb, of_b, l, j));
      C value = product(alpha, sum);
      if (!(beta == C())) value += product(beta, loaded<C>(c[i + j * ldc]));
      stored(c[i + j * ldc], value);
    }
  }
}
template <class C, class A, class D>
void gemm(cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, const scalar_of_call<C>& alpha,
          const A* a, int lda, const A* b, int ldb, const scalar_of_call<C>& beta, D* c, int ldc) {
  const C factor = alpha.get(), kept = beta.get();
  reads(a, of_a == CUBLAS_OP_N ? m : k, of_a == CUBLAS_OP_N ? k : m, lda);
  reads(b, of_b == CUBLAS_OP_N ? k : n, of_b == CUBLAS_OP_N ? n : k, ldb);
  if (!(kept == C())) reads(c, m, n, ldc);
  writes(c, m, n, ldc);
  multiply(of_a, of_b, m, n, k, factor, a, lda, b, ldb, kept, c, ldc);
}
inline bool is_wrong(cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k,
                     int lda, int ldb, int ldc) {
  const auto most = [](int x) { return x > 1 ? x : 1; };
  return h == nullptr || m < 0 || n < 0 || k < 0 || lda < most(of_a == CUBLAS_OP_N ? m : k) ||
         ldb < most(of_b == CUBLAS_OP_N ? k : n) || ldc < most(m);
}
template <class C, class A, class D, class S>
cublasStatus_t gemm_call(const char* what, cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b,
                         int m, int n, int k, const S* alpha, const A* a, int lda, long long step_a,
                         const A* b, int ldb, long long step_b, const S* beta, D* c, int ldc,
                         long long step_c, int count) {
  if (is_wrong(h, of_a, of_b, m, n, k, lda, ldb, ldc) || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  const scalar_of_call<C> factor(h, alpha), kept(h, beta);
  return run(h, what, [=] {
    for (long long i = 0; i < count; ++i)
      gemm<C>(of_a, of_b, m, n, k, factor, a + i * step_a, lda, b + i * step_b, ldb, kept, c + i * step_c,
              ldc);
  });
}
template <class C, class A, class D, class S>
cublasStatus_t gemm_of_pointers(const char* what, cublasHandle_t h, cublasOperation_t of_a,
                                cublasOperation_t of_b, int m, int n, int k, const S* alpha,
                                const A* const* a, int lda, const A* const* b, int ldb, const S* beta,
                                D* const* c, int ldc, int count) {
  if (is_wrong(h, of_a, of_b, m, n, k, lda, ldb, ldc) || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  const scalar_of_call<C> factor(h, alpha), kept(h, beta);
  return run(h, what, [=] {
    for (int i = 0; i < count; ++i)
      gemm<C>(of_a, of_b, m, n, k, factor, a[i], lda, b[i], ldb, kept, c[i], ldc);
  });
}

/// The offset of element i of a vector with a step, which from behind begins at its end.
HEDDLE_INSIDE std::ptrdiff_t at(std::ptrdiff_t i, std::ptrdiff_t n, std::ptrdiff_t step) {
  return step < 0 ? (i - (n - 1)) * step : i * step;
}

template <class T>
cublasStatus_t axpy(cublasHandle_t h, int n, const T* alpha, const T* x, int step_x, T* y, int step_y) {
  using C = number_t<T>;
  const scalar_of_call<C> factor(h, alpha);
  return run(h, "cublasaxpy", [=] {
    const C by = factor.get();
    for (int i = 0; i < n; ++i) {
      T& to = y[at(i, n, step_y)];
      stored(to, product(by, loaded<C>(x[at(i, n, step_x)])) + loaded<C>(to));
    }
  });
}
template <class T, class S>
cublasStatus_t scal(cublasHandle_t h, int n, const S* alpha, T* x, int step) {
  using C = number_t<T>;
  const scalar_of_call<number_t<S>> factor(h, alpha);
  return run(h, "cublasscal", [=] {
    const C by = C(factor.get());
    for (int i = 0; i < n; ++i) stored(x[at(i, n, step)], product(by, loaded<C>(x[at(i, n, step)])));
  });
}
template <class T>
cublasStatus_t copy(cublasHandle_t h, int n, const T* x, int step_x, T* y, int step_y) {
  return run(h, "cublascopy", [=] {
    for (int i = 0; i < n; ++i) y[at(i, n, step_y)] = x[at(i, n, step_x)];
  });
}
template <class T>
cublasStatus_t swap(cublasHandle_t h, int n, T* x, int step_x, T* y, int step_y) {
  return run(h, "cublasswap", [=] {
    for (int i = 0; i < n; ++i) {
      const T before = x[at(i, n, step_x)];
      x[at(i, n, step_x)] = y[at(i, n, step_y)];
      y[at(i, n, step_y)] = before;
    }
  });
}
template <class T>
cublasStatus_t dot(cublasHandle_t h, int n, const T* x, int step_x, const T* y, int step_y, T* to,
                   bool conjugates) {
  using C = number_t<T>;
  return result(h, "cublasdot", to, [=] {
    C sum = C();
    for (int i = 0; i < n; ++i) {
      const C a = loaded<C>(x[at(i, n, step_x)]);
      sum += product(conjugates ? conjugate(a) : a, loaded<C>(y[at(i, n, step_y)]));
    }
    T answer;
    stored(answer, sum);
    return answer;
  });
}
template <class R, class T>
cublasStatus_t nrm2(cublasHandle_t h, int n, const T* x, int step, R* to) {
  using C = number_t<T>;
  return result(h, "cublasnrm2", to, [=] {
    // In double precision, so that squares do not overflow floats.
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const double size = std::abs(loaded<C>(x[at(i, n, step)]));
      sum += size * size;
    }
    return static_cast<R>(std::sqrt(sum));
  });
}
template <class C>
auto size_of(const C& z) {
  if constexpr (std::is_arithmetic_v<C>) {
    return std::abs(z);
  } else {
    return std::abs(z.real()) + std::abs(z.imag());
  }
}
template <class R, class T>
cublasStatus_t asum(cublasHandle_t h, int n, const T* x, int step, R* to) {
  return result(h, "cublasasum", to, [=] {
    R sum = 0;
    for (int i = 0; i < n; ++i) sum += size_of(loaded<number_t<T>>(x[at(i, n, step)]));
    return sum;
  });
}
template <class T>
cublasStatus_t extreme(cublasHandle_t h, const char* what, int n, const T* x, int step, int* to,
                       bool is_most) {
  return result(h, what, to, [=] {
    int best = 0;
    for (int i = 1; i < n; ++i) {
      const auto now = size_of(loaded<number_t<T>>(x[at(i, n, step)])),
                 known = size_of(loaded<number_t<T>>(x[at(best, n, step)]));
      if (is_most ? now > known : now < known) best = i;
    }
    return n > 0 ? best + 1 : 0;  // counted from 1
  });
}
template <class T>
cublasStatus_t gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T* alpha, const T* a, int lda,
                    const T* x, int step_x, const T* beta, T* y, int step_y) {
  using C = number_t<T>;
  if (h == nullptr || m < 0 || n < 0 || lda < (m > 1 ? m : 1) || step_x == 0 || step_y == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const scalar_of_call<C> factor(h, alpha), kept(h, beta);
  return run(h, "cublasgemv", [=] {
    const C by = factor.get(), old = kept.get();
    const int rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
    for (int i = 0; i < rows; ++i) {
      C sum = C();
      for (int j = 0; j < columns; ++j)
        sum += product(element<C>(a, lda, op, i, j), loaded<C>(x[at(j, columns, step_x)]));
      T& to = y[at(i, rows, step_y)];
      C value = product(by, sum);
      if (!(old == C())) value += product(old, loaded<C>(to));
      stored(to, value);
    }
  });
}
template <class T>
cublasStatus_t ger(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int step_x, const T* y,
                   int step_y, T* a, int lda, bool conjugates) {
  using C = number_t<T>;
  const scalar_of_call<C> factor(h, alpha);
  return run(h, "cublasger", [=] {
    for (int j = 0; j < n; ++j) {
      const C of = loaded<C>(y[at(j, n, step_y)]);
      const C by = product(factor.get(), conjugates ? conjugate(of) : of);
      for (int i = 0; i < m; ++i)
        stored(a[i + std::ptrdiff_t{j} * lda],
               loaded<C>(a[i + std::ptrdiff_t{j} * lda]) + product(loaded<C>(x[at(i, m, step_x)]), by));
    }
  });
}
template <class T>
cublasStatus_t geam(cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,
                    const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
  using C = number_t<T>;
  const scalar_of_call<C> by_a(h, alpha), by_b(h, beta);
  return run(h, "cublasgeam", [=] {
    const C fa = by_a.get(), fb = by_b.get();
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      for (std::ptrdiff_t i = 0; i < m; ++i) {
        C sum = C();
        if (!(fa == C())) sum += product(fa, element<C>(a, lda, of_a, i, j));
        if (!(fb == C())) sum += product(fb, element<C>(b, ldb, of_b, i, j));
        stored(c[i + j * ldc], sum);
      }
    }
  });
}
template <class T>
cublasStatus_t dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T* a, int lda, const T* x,
                    int step, T* c, int ldc) {
  using C = number_t<T>;
  return run(h, "cublasdgmm", [=] {
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      for (std::ptrdiff_t i = 0; i < m; ++i) {
        const std::ptrdiff_t of = side == CUBLAS_SIDE_LEFT ? at(i, m, step) : at(j, n, step);
        stored(c[i + j * ldc], product(loaded<C>(a[i + j * lda]), loaded<C>(x[of])));
      }
    }
  });
}
/// One triangle of c becomes alpha op(a) op(a)^T + beta c; with the conjugate where it is Hermitian.
template <class T, class S>
cublasStatus_t syrk(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n, int k,
                    const S* alpha, const T* a, int lda, const S* beta, T* c, int ldc, bool is_hermitian) {
  using C = number_t<T>;
  const scalar_of_call<number_t<S>> factor(h, alpha), kept(h, beta);
  return run(h, "cublassyrk", [=] {
    const C by = C(factor.get()), old = C(kept.get());
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      const std::ptrdiff_t first = fill == CUBLAS_FILL_MODE_LOWER ? j : 0,
                           last = fill == CUBLAS_FILL_MODE_LOWER ? n : j + 1;
      for (std::ptrdiff_t i = first; i < last; ++i) {
        C sum = C();
        for (std::ptrdiff_t l = 0; l < k; ++l) {
          const C other = element<C>(a, lda, op, j, l);
          sum += product(element<C>(a, lda, op, i, l), is_hermitian ? conjugate(other) : other);
        }
        C value = product(by, sum);
        if (!(old == C())) value += product(old, loaded<C>(c[i + j * ldc]));
        stored(c[i + j * ldc], value);
      }
    }
  });
}
/// b becomes x with op(a) x = alpha b, or x op(a) = alpha b, for a triangle a.
template <class T>
cublasStatus_t trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
                    cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, T* b,
                    int ldb) {
  using C = number_t<T>;
  const scalar_of_call<C> factor(h, alpha);
  return run(h, "cublastrsm", [=] {
    const C by = factor.get();
    const bool is_left = side == CUBLAS_SIDE_LEFT;
    const std::ptrdiff_t size = is_left ? m : n, many = is_left ? n : m;
    const bool is_lower = (fill == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N);
    // From the right the transposed system is solved, whose triangle is the other one.
    const bool goes_up = is_left == is_lower;
    for (std::ptrdiff_t s = 0; s < many; ++s) {
      const auto place = [&](std::ptrdiff_t i) { return is_left ? i + s * ldb : s + i * ldb; };
      for (std::ptrdiff_t step = 0; step < size; ++step) {
        const std::ptrdiff_t i = goes_up ? step : size - 1 - step;
        C value = product(by, loaded<C>(b[place(i)]));
        for (std::ptrdiff_t j = goes_up ? 0 : i + 1; j < (goes_up ? i : size); ++j)
          value -= product(is_left ? element<C>(a, lda, op, i, j) : element<C>(a, lda, op, j, i),
                           loaded<C>(b[place(j)]));
        if (diagonal == CUBLAS_DIAG_NON_UNIT) value = value / element<C>(a, lda, op, i, i);
        stored(b[place(i)], value);
      }
    }
  });
}

}  // namespace heddle_device::blas
