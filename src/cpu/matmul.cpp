#include "cpu/matmul.hpp"

#include "cpu/half.hpp"
#include "shared_library.hpp"
#include <heddle/cpu/threads.hpp>

#include <algorithm>
#include <complex>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>

#include <cblas.h>

namespace heddle::cpu {
namespace {

using detail::matrix_operand;

/// The functions of OpenBLAS, of Debian's build with threads of its own.
struct openblas {
  detail::shared_library library{
      {"libopenblas.so.0", "libopenblas.so"},
      "matmul needs OpenBLAS (libopenblas0); the algorithms naive and tiled do not"};
  decltype(cblas_sgemm)* sgemm = library.function<decltype(cblas_sgemm)>("cblas_sgemm");
  decltype(cblas_dgemm)* dgemm = library.function<decltype(cblas_dgemm)>("cblas_dgemm");
  decltype(cblas_cgemm)* cgemm = library.function<decltype(cblas_cgemm)>("cblas_cgemm");
  decltype(cblas_zgemm)* zgemm = library.function<decltype(cblas_zgemm)>("cblas_zgemm");
  decltype(openblas_set_num_threads)* set_threads =
      library.function<decltype(openblas_set_num_threads)>("openblas_set_num_threads");

  static const openblas& loaded() {
    static const openblas only;
    return only;
  }
};

/// OpenBLAS has one number of threads for the whole program: calls that want the same run at once, others
/// wait for them, and those that come later wait behind these.
class openblas_threads {
 public:
  explicit openblas_threads(int wanted) {
    const openblas& blas = openblas::loaded();
    shared& now = state();
    std::unique_lock lock(now.mutex);
    const std::uint64_t turn = now.last_turn++;
    now.changed.wait(lock, [&] { return now.turn == turn && (now.users == 0 || now.threads == wanted); });
    if (now.threads != wanted) blas.set_threads(now.threads = wanted);
    ++now.users;
    ++now.turn;
    now.changed.notify_all();
  }
  ~openblas_threads() {
    const std::lock_guard lock(state().mutex);
    if (--state().users == 0) state().changed.notify_all();
  }
  openblas_threads(const openblas_threads&) = delete;
  openblas_threads& operator=(const openblas_threads&) = delete;

 private:
  struct shared {
    std::mutex mutex;
    std::condition_variable changed;
    int threads = 0, users = 0;
    std::uint64_t turn = 0, last_turn = 0;
  };
  static shared& state() {
    static auto& only = *new shared;
    return only;
  }
};

/// A matrix as BLAS takes it: rows side by side, or columns.
struct blas_operand {
  bool possible, transposed;
  std::size_t leading;
};
blas_operand for_blas(const matrix_operand& m) {
  constexpr std::size_t most = std::numeric_limits<blasint>::max();
  if (m.rows > most || m.columns > most) return {false, false, 0};
  const auto fits = [&](std::size_t stride, std::size_t length) {
    return stride >= length && stride <= most;
  };
  if (m.rows == 1 && m.column_stride == 1) return {true, false, std::max<std::size_t>(m.columns, 1)};
  if (m.columns == 1 && m.row_stride == 1) return {true, true, std::max<std::size_t>(m.rows, 1)};
  if (m.column_stride == 1 && fits(m.row_stride, m.columns)) return {true, false, m.row_stride};
  if (m.row_stride == 1 && fits(m.column_stride, m.rows)) return {true, true, m.column_stride};
  return {false, false, 0};
}

template <class T>
void gemm(const T* a, const blas_operand& as_a, const T* b, const blas_operand& as_b, std::size_t m,
          std::size_t n, std::size_t k, T* c) {
  const openblas& blas = openblas::loaded();
  const auto call = [&](auto* function, auto one, auto none) {
    const auto size = [](std::size_t s) { return static_cast<blasint>(s); };
    function(CblasRowMajor, as_a.transposed ? CblasTrans : CblasNoTrans,
             as_b.transposed ? CblasTrans : CblasNoTrans, size(m), size(n), size(k), one, a,
             size(as_a.leading), b, size(as_b.leading), none, c, size(n));
  };
  if constexpr (std::is_same_v<T, float>) {
    call(blas.sgemm, 1.0f, 0.0f);
  } else if constexpr (std::is_same_v<T, double>) {
    call(blas.dgemm, 1.0, 0.0);
  } else {
    const T one(1), none(0);
    call(std::is_same_v<T, std::complex<float>> ? blas.cgemm : blas.zgemm, static_cast<const void*>(&one),
         static_cast<const void*>(&none));
  }
}

template <class T>
struct matrix {
  const T* data;
  std::size_t rows, columns, row_stride, column_stride;
  const T& operator()(std::size_t r, std::size_t c) const { return data[r * row_stride + c * column_stride]; }
};
template <class T>
matrix<T> batch_of(const matrix_operand& m, std::size_t batch) {
  const std::size_t at = m.batches == 1 ? 0 : batch * m.batch_stride;
  return {static_cast<const T*>(m.data) + at, m.rows, m.columns, m.row_stride, m.column_stride};
}

/// Each element by itself, in the order of the sum.
template <class T>
void naive(int threads, const matrix<T>& a, const matrix<T>& b, T* c) {
  const std::size_t work = std::max<std::size_t>(1, a.columns);
  for_slices(threads, a.rows * b.columns, (std::size_t{1} << 14) / work + 1,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) {
                 T sum(0);
                 for (std::size_t k = 0; k < a.columns; ++k) sum += a(i / b.columns, k) * b(k, i % b.columns);
                 c[i] = sum;
               }
             });
}

/// Tiles of a and b that stay in the first-level cache; rows of b are read side by side. The same sums in the
/// same order.
template <class T>
void tiled(int threads, const matrix<T>& a, const matrix<T>& b, T* c) {
  constexpr std::size_t tile = 64;
  const std::size_t m = a.rows, n = b.columns, down = (m + tile - 1) / tile, across = (n + tile - 1) / tile;
  for_slices(threads, down * across, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      const std::size_t row = t / across * tile, column = t % across * tile;
      const std::size_t row_end = std::min(row + tile, m), column_end = std::min(column + tile, n);
      for (std::size_t r = row; r < row_end; ++r) std::fill(c + r * n + column, c + r * n + column_end, T(0));
      for (std::size_t inner = 0; inner < a.columns; inner += tile) {
        const std::size_t inner_end = std::min(inner + tile, a.columns);
        for (std::size_t r = row; r < row_end; ++r) {
          for (std::size_t k = inner; k < inner_end; ++k) {
            const T factor = a(r, k);
            for (std::size_t j = column; j < column_end; ++j) c[r * n + j] += factor * b(k, j);
          }
        }
      }
    }
  });
}

/// The elements of a matrix row after row.
template <class T>
detail::memory packed(int threads, const matrix<T>& m) {
  detail::memory held(m.rows * m.columns * sizeof(T), target());
  T* const to = static_cast<T*>(held.data());
  for_slices(threads, m.rows, (std::size_t{1} << 14) / (m.columns + 1) + 1,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t r = first; r < last; ++r) {
                 for (std::size_t k = 0; k < m.columns; ++k) to[r * m.columns + k] = m(r, k);
               }
             });
  return held;
}

template <class T>
void by_blas(int threads, const matrix_operand& a, const matrix_operand& b, std::size_t batches, T* c) {
  constexpr std::size_t most = std::numeric_limits<blasint>::max();
  const std::size_t elements = a.rows * b.columns;
  const auto one_batch = [&](int with, std::size_t batch) {
    matrix<T> left = batch_of<T>(a, batch), right = batch_of<T>(b, batch);
    blas_operand as_a = for_blas(a), as_b = for_blas(b);
    // Sides that BLAS cannot count.
    if (std::max({a.rows, a.columns, b.columns}) > most)
      return tiled(with, left, right, c + batch * elements);
    detail::memory packed_a, packed_b;
    if (!as_a.possible) {
      packed_a = packed(with, left);
      left.data = static_cast<const T*>(packed_a.data());
      as_a = {true, false, std::max<std::size_t>(a.columns, 1)};
    }
    if (!as_b.possible) {
      packed_b = packed(with, right);
      right.data = static_cast<const T*>(packed_b.data());
      as_b = {true, false, std::max<std::size_t>(b.columns, 1)};
    }
    gemm(left.data, as_a, right.data, as_b, a.rows, b.columns, a.columns, c + batch * elements);
  };
  // Many small products are shared out; of a few each is.
  if (batches >= static_cast<std::size_t>(threads)) {
    const openblas_threads serial(1);
    for_slices(threads, batches, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t batch = first; batch < last; ++batch) one_batch(1, batch);
    });
  } else {
    const openblas_threads all(threads);
    for (std::size_t batch = 0; batch < batches; ++batch) one_batch(threads, batch);
  }
}

template <class T>
void matmul_of(int threads, const matrix_operand& a, const matrix_operand& b, std::size_t batches, T* c,
               matmul_algorithm algorithm) {
  const std::size_t elements = a.rows * b.columns;
  if (a.columns == 0) {
    std::fill_n(c, batches * elements, T(0));
    return;
  }
  if (algorithm == matmul_algorithm::blas) return by_blas(threads, a, b, batches, c);
  const auto rung = algorithm == matmul_algorithm::naive ? naive<T> : tiled<T>;
  for (std::size_t batch = 0; batch < batches; ++batch)
    rung(threads, batch_of<T>(a, batch), batch_of<T>(b, batch), c + batch * elements);
}

/// The matrices of an operand as floats, row after row.
template <class Half>
detail::memory as_floats(int threads, const matrix_operand& m) {
  detail::memory held(m.batches * m.rows * m.columns * sizeof(float), target());
  auto* const to = static_cast<float*>(held.data());
  for_slices(threads, m.batches * m.rows, (std::size_t{1} << 14) / (m.columns + 1) + 1,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t row = first; row < last; ++row) {
                 const matrix<Half> from = batch_of<Half>(m, row / m.rows);
                 for (std::size_t k = 0; k < m.columns; ++k)
                   to[row * m.columns + k] = static_cast<float>(from(row % m.rows, k));
               }
             });
  return held;
}

/// Products of floats, rounded at the end.
template <class Half>
void matmul_by_floats(int threads, const matrix_operand& a, const matrix_operand& b, std::size_t batches,
                      Half* c, matmul_algorithm algorithm) {
  const auto contiguous = [](const matrix_operand& m, const detail::memory& floats) {
    return matrix_operand{floats.data(), m.rows, m.columns, m.columns, 1, m.batches, m.rows * m.columns, {}};
  };
  const detail::memory of_a = as_floats<Half>(threads, a), of_b = as_floats<Half>(threads, b);
  const std::size_t elements = batches * a.rows * b.columns;
  const detail::memory held(elements * sizeof(float), target());
  auto* const product = static_cast<float*>(held.data());
  matmul_of(threads, contiguous(a, of_a), contiguous(b, of_b), batches, product, algorithm);
  for_slices(threads, elements, std::size_t{1} << 14, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) c[i] = Half(product[i]);
  });
}

}  // namespace

void matmul(int threads, detail::matrix_type type, const matrix_operand& a, const matrix_operand& b,
            std::size_t batches, void* c, matmul_algorithm algorithm) {
  const auto of = [&]<class T>(T) { matmul_of(threads, a, b, batches, static_cast<T*>(c), algorithm); };
  const auto of_halves = [&]<class T>(T) {
    matmul_by_floats(threads, a, b, batches, static_cast<T*>(c), algorithm);
  };
  switch (type) {
    case detail::matrix_type::float32:
      return of(float{});
    case detail::matrix_type::float64:
      return of(double{});
    case detail::matrix_type::complex64:
      return of(std::complex<float>{});
    case detail::matrix_type::complex128:
      return of(std::complex<double>{});
    case detail::matrix_type::float16:
      return of_halves(half{});
    case detail::matrix_type::bfloat16:
      return of_halves(bfloat16{});
    case detail::matrix_type::none:
      return;
  }
}

}  // namespace heddle::cpu
