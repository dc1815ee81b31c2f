#include "patterns/linear_algebra/cpu.hpp"

#include "patterns/linear_algebra/half.hpp"
#include "target/core_set.hpp"
#include "target/process_limits.hpp"
#include "target/shared_library.hpp"
#include <heddle/impl/core/part_begin.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <cblas.h>
#include <pthread.h>

namespace heddle::cpu {
namespace {

using impl::matrix_operand;

/// While it lives, the calling thread has one core.
class on_one_core {
 public:
  on_one_core() { before_.first().use(); }
  ~on_one_core() { before_.use(); }
  on_one_core(const on_one_core&) = delete;
  on_one_core& operator=(const on_one_core&) = delete;

 private:
  const impl::core_set before_ = impl::core_set::of_this_thread();
};

/// The functions of OpenBLAS.
struct openblas {
  impl::shared_library library{{"libopenblas.so.0", "libopenblas.so"},
                               "matmul needs OpenBLAS (libopenblas0); the algorithms naive and tiled do not"};
  decltype(cblas_sgemm)* sgemm = library.function<decltype(cblas_sgemm)>("cblas_sgemm");
  decltype(cblas_dgemm)* dgemm = library.function<decltype(cblas_dgemm)>("cblas_dgemm");
  decltype(cblas_cgemm)* cgemm = library.function<decltype(cblas_cgemm)>("cblas_cgemm");
  decltype(cblas_zgemm)* zgemm = library.function<decltype(cblas_zgemm)>("cblas_zgemm");
  decltype(openblas_get_num_threads)* threads =
      library.function<decltype(openblas_get_num_threads)>("openblas_get_num_threads");
  decltype(openblas_set_num_threads)* set_threads =
      library.function<decltype(openblas_set_num_threads)>("openblas_set_num_threads");
  /// Of its own, not in its headers, which not every build has: a work buffer, and back.
  void* (*take_buffer)(int) = library.optional_function<void*(int)>("blas_memory_alloc");
  void (*give_buffer)(void*) = library.optional_function<void(void*)>("blas_memory_free");

  /// As OpenBLAS is loaded it starts a thread for every core but one, and where the system refuses them it
  /// waits for ever or interrupts the process: it is loaded on one core. Who loads
  /// the same library later finds it with one thread, which openblas_set_num_threads() changes.
  ///
  /// Null in a child that was forked while a thread of the parent loaded it: then it is half loaded.
  static const openblas* loaded() {
    constinit static std::atomic<bool> is_half_loaded = false;
    constinit static fork_aware_mutex loading;
    if (is_loaded()) return only.load();
    if (!loading.lock_or_take_over()) is_half_loaded = true;
    const std::lock_guard lock(loading, std::adopt_lock);
    if (!is_loaded() && !is_half_loaded) {
      const on_one_core one_core;
      only.store(new openblas, std::memory_order_release);
    }
    return only.load();
  }
  static bool is_loaded() { return only.load(std::memory_order_acquire) != nullptr; }

 private:
  static std::atomic<const openblas*> only;
};
constinit std::atomic<const openblas*> openblas::only = nullptr;

/// OpenBLAS is called on threads of ours, each of which it computes on alone. A program that uses it too gets
/// its number of threads back when no call of ours runs.
///
/// A fork waits until no thread is inside OpenBLAS. A child would otherwise find its locks held, also when it
/// ends, because OpenBLAS frees its buffers then.
class openblas_calls {
  struct shared;

 public:
  /// For calls from up to so many threads at once.
  explicit openblas_calls(int threads) {
    const openblas* const blas = may_load() ? openblas::loaded() : nullptr;
    const std::lock_guard lock(state.mutex);
    if (state.users == 0 && blas != nullptr) {
      secure_buffers(*blas, static_cast<std::size_t>(threads));
      // A child that was forked during a call finds the number of the call.
      state.threads_before = std::exchange(state.threads_of_parent, 0);
      if (state.threads_before == 0) state.threads_before = blas->threads();
      if (blas->threads() != 1) blas->set_threads(1);
    }
    ++state.users;
  }
  ~openblas_calls() {
    const std::lock_guard lock(state.mutex);
    if (--state.users == 0 && state.threads_before != 1)
      openblas::loaded()->set_threads(state.threads_before);
  }
  openblas_calls(const openblas_calls&) = delete;
  openblas_calls& operator=(const openblas_calls&) = delete;

  /// Whether the limits of this process leave OpenBLAS a work buffer.
  bool are_possible() const { return state.most > 0; }

  /// While it lives, the calling thread is one of those that may call OpenBLAS.
  class of_thread {
   public:
    of_thread() {
      const std::lock_guard lock(state.mutex);
      state.wait_until([] { return state.forking == 0 && state.inside < state.most; });
      ++state.inside;
    }
    ~of_thread() {
      const std::lock_guard lock(state.mutex);
      --state.inside;
      pthread_cond_broadcast(&state.changed);
    }
    of_thread(const of_thread&) = delete;
    of_thread& operator=(const of_thread&) = delete;
  };

 private:
  /// Constant-initialised and never destroyed, as threads may outlive static objects.
  struct shared {
    std::mutex mutex;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    int users = 0, threads_before = 1, threads_of_parent = 0;
    std::size_t looked_at = 0, inside = 0, most = 0, secured = 0, forking = 0;

    /// With the mutex held.
    template <class Condition>
    void wait_until(const Condition& is_met) {
      while (!is_met()) pthread_cond_wait(&changed, mutex.native_handle());
    }
    void before_fork() {
      mutex.lock();
      ++forking;
      wait_until([&] { return inside == 0; });
    }
    void in_parent() {
      --forking;
      pthread_cond_broadcast(&changed);
      mutex.unlock();
    }
    void in_child() {
      // The waiting threads of the parent are not there.
      changed = PTHREAD_COND_INITIALIZER;
      forking = 0;
      if (users > 0) threads_of_parent = threads_before;
      users = 0, threads_before = 1;
      mutex.unlock();
    }
  };
  static shared state;
  [[maybe_unused]] static const int is_registered;

  /// Whether the limits of this process leave room for OpenBLAS and one buffer.
  static bool may_load() {
    if (openblas::is_loaded()) return true;
    const std::optional<memory_limit> limit = impl::resource_limit();
    constexpr std::size_t library_bytes = std::size_t{64} << 20;
    return !limit || limit->free >= library_bytes + buffer_bytes;
  }

  /// A thread in OpenBLAS takes a buffer, which OpenBLAS then keeps for the next. Where the system refuses
  /// one it asks again for ever: under limits they are taken before.
  static void secure_buffers(const openblas& blas, std::size_t wanted) {
    shared& now = state;
    // Asking for limits takes nearly as long as a small product.
    if (wanted <= now.looked_at) return;
    if (!impl::resource_limit()) {
      now.looked_at = wanted;
      now.most = most_at_once;
      return;
    }
    if (blas.take_buffer == nullptr || blas.give_buffer == nullptr) {
      // may_load() has left room for one.
      now.looked_at = wanted;
      now.most = 1;
      return;
    }
    const std::size_t most = std::min(wanted, most_at_once);
    std::vector<void*> buffers;
    buffers.reserve(most);
    while (buffers.size() < most) {
      if (buffers.size() >= now.secured) {
        // More than one are worth a small part of what there is.
        const std::size_t left = impl::resource_limit()->free;
        if (left / (buffers.empty() ? 1 : 8) < buffer_bytes) break;
      }
      buffers.push_back(blas.take_buffer(0));
    }
    for (void* const buffer : buffers) blas.give_buffer(buffer);
    now.looked_at = now.most = now.secured = std::max(now.secured, buffers.size());
  }
  static constexpr std::size_t most_at_once = 128;                     // fewer than it has places for
  static constexpr std::size_t buffer_bytes = std::size_t{132} << 20;  // the largest of any processor
};

constinit openblas_calls::shared openblas_calls::state;
const int openblas_calls::is_registered =
    pthread_atfork([] { state.before_fork(); }, [] { state.in_parent(); }, [] { state.in_child(); });

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

/// A product a·b of m×k and k×n elements into rows of c that are `leading` apart.
template <class T>
void gemm(const T* a, const blas_operand& as_a, const T* b, const blas_operand& as_b, std::size_t m,
          std::size_t n, std::size_t k, T* c, std::size_t leading) {
  const openblas& blas = *openblas::loaded();
  const auto call = [&](auto* function, auto one, auto none) {
    const auto size = [](std::size_t s) { return static_cast<blasint>(s); };
    function(CblasRowMajor, as_a.transposed ? CblasTrans : CblasNoTrans,
             as_b.transposed ? CblasTrans : CblasNoTrans, size(m), size(n), size(k), one, a,
             size(as_a.leading), b, size(as_b.leading), none, c, size(leading));
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
  for_slices(threads, a.rows * b.columns, impl::threshold.matmul_grain / work + 1,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) {
                 T sum(0);
                 for (std::size_t k = 0; k < a.columns; ++k) sum += a(i / b.columns, k) * b(k, i % b.columns);
                 c[i] = sum;
               }
             });
}

/// Tiles of a and b that stay in the L1 cache; rows of b are read side by side. The same sums in the
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
memory packed(int threads, const matrix<T>& m) {
  memory copied(m.rows * m.columns * sizeof(T), target());
  T* const to = static_cast<T*>(copied.data());
  for_slices(threads, m.rows, impl::threshold.matmul_grain / (m.columns + 1) + 1,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t r = first; r < last; ++r) {
                 for (std::size_t k = 0; k < m.columns; ++k) to[r * m.columns + k] = m(r, k);
               }
             });
  return copied;
}

/// How the elements of a product are cut into blocks for threads: `down` of rows by `across` of columns.
struct product_blocks {
  std::size_t down = 1, across = 1;

  /// Blocks as square as they can be, which are read least for, each worth a thread.
  product_blocks(int threads, std::size_t m, std::size_t n, std::size_t k) {
    constexpr auto worthwhile = static_cast<double>(impl::threshold.matmul_block_products);
    if (threads <= 1) return;
    const double products = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const auto wanted =
        static_cast<std::size_t>(std::min(static_cast<double>(threads), products / worthwhile));
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (std::size_t d = 1; d <= wanted; ++d) {
      if (wanted % d != 0) continue;
      const std::size_t rows = std::min(d, m), columns = std::min(wanted / d, n);
      const std::size_t sides = m / rows + n / columns;
      if (sides >= least) continue;
      least = sides;
      down = rows;
      across = columns;
    }
  }

  /// Where part `i` of `parts` of a side begins: a multiple of what OpenBLAS computes at once.
  static std::size_t begin(std::size_t side, std::size_t i, std::size_t parts) {
    constexpr std::size_t step = 16;
    const std::size_t at = impl::part_begin(side, parts, i);
    return i == parts || side / parts < 2 * step ? at : at / step * step;
  }
};

/// How many rows of a block one call computes: a fork waits for the calls that have begun, about a second at
/// most.
std::size_t rows_at_once(std::size_t columns, std::size_t k) {
  constexpr std::size_t least = 512, products = std::size_t{1} << 33;
  return std::max(least,
                  products / std::max<std::size_t>(1, columns) / std::max<std::size_t>(1, k) / least * least);
}

template <class T>
void by_blas(int threads, const matrix_operand& a, const matrix_operand& b, std::size_t batches, T* c) {
  constexpr std::size_t most = std::numeric_limits<blasint>::max();
  const std::size_t m = a.rows, n = b.columns, k = a.columns;
  const openblas_calls calls(threads);
  // Sides that BLAS cannot count, or no room for it to work in.
  if (std::max({m, n, k}) > most || !calls.are_possible()) {
    for (std::size_t batch = 0; batch < batches; ++batch)
      tiled(threads, batch_of<T>(a, batch), batch_of<T>(b, batch), c + batch * m * n);
    return;
  }
  const auto one_batch = [&](int with, std::size_t batch) {
    matrix<T> left = batch_of<T>(a, batch), right = batch_of<T>(b, batch);
    blas_operand as_a = for_blas(a), as_b = for_blas(b);
    memory packed_a, packed_b;
    if (!as_a.possible) {
      packed_a = packed(with, left);
      left = {static_cast<const T*>(packed_a.data()), m, k, k, 1};
      as_a = {true, false, k};
    }
    if (!as_b.possible) {
      packed_b = packed(with, right);
      right = {static_cast<const T*>(packed_b.data()), k, n, n, 1};
      as_b = {true, false, n};
    }
    T* const product = c + batch * m * n;
    const product_blocks blocks(with, m, n, k);
    for_slices(with, blocks.down * blocks.across, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t block = first; block < last; ++block) {
        const std::size_t i = block / blocks.across, j = block % blocks.across;
        const std::size_t column = blocks.begin(n, j, blocks.across),
                          columns = blocks.begin(n, j + 1, blocks.across) - column;
        const std::size_t end = blocks.begin(m, i + 1, blocks.down), step = rows_at_once(columns, k);
        for (std::size_t row = blocks.begin(m, i, blocks.down), rows = 0; row < end; row += rows) {
          rows = std::min(step, end - row);
          const openblas_calls::of_thread calling;
          gemm(left.data + row * left.row_stride, as_a, right.data + column * right.column_stride, as_b, rows,
               columns, k, product + row * n + column, n);
        }
      }
    });
  };
  // Many small products are shared out; of a few each is.
  if (batches >= static_cast<std::size_t>(threads)) {
    for_slices(threads, batches, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t batch = first; batch < last; ++batch) one_batch(1, batch);
    });
  } else {
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
  const auto multiply = algorithm == matmul_algorithm::naive ? naive<T> : tiled<T>;
  for (std::size_t batch = 0; batch < batches; ++batch)
    multiply(threads, batch_of<T>(a, batch), batch_of<T>(b, batch), c + batch * elements);
}

/// The matrices of an operand as floats, row after row.
template <class Half>
memory as_floats(int threads, const matrix_operand& m) {
  memory copied(m.batches * m.rows * m.columns * sizeof(float), target());
  auto* const to = static_cast<float*>(copied.data());
  for_slices(threads, m.batches * m.rows, impl::threshold.matmul_grain / (m.columns + 1) + 1,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t row = first; row < last; ++row) {
                 const matrix<Half> from = batch_of<Half>(m, row / m.rows);
                 for (std::size_t k = 0; k < m.columns; ++k)
                   to[row * m.columns + k] = static_cast<float>(from(row % m.rows, k));
               }
             });
  return copied;
}

/// Products of floats, rounded at the end.
template <class Half>
void matmul_by_floats(int threads, const matrix_operand& a, const matrix_operand& b, std::size_t batches,
                      Half* c, matmul_algorithm algorithm) {
  const auto contiguous = [](const matrix_operand& m, const memory& floats) {
    return matrix_operand{floats.data(), m.rows, m.columns, m.columns, 1, m.batches, m.rows * m.columns, {}};
  };
  const memory of_a = as_floats<Half>(threads, a), of_b = as_floats<Half>(threads, b);
  const std::size_t elements = batches * a.rows * b.columns;
  const memory product_buffer(elements * sizeof(float), target());
  auto* const product = static_cast<float*>(product_buffer.data());
  matmul_of(threads, contiguous(a, of_a), contiguous(b, of_b), batches, product, algorithm);
  for_slices(threads, elements, std::size_t{1} << 14, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) c[i] = Half(product[i]);
  });
}

}  // namespace

void matmul(int threads, impl::matrix_type type, const matrix_operand& a, const matrix_operand& b,
            std::size_t batches, void* c, matmul_algorithm algorithm) {
  const auto of = [&]<class T>(T) { matmul_of(threads, a, b, batches, static_cast<T*>(c), algorithm); };
  const auto of_halves = [&]<class T>(T) {
    matmul_by_floats(threads, a, b, batches, static_cast<T*>(c), algorithm);
  };
  switch (type) {
    case impl::matrix_type::float32:
      return of(float{});
    case impl::matrix_type::float64:
      return of(double{});
    case impl::matrix_type::complex64:
      return of(std::complex<float>{});
    case impl::matrix_type::complex128:
      return of(std::complex<double>{});
    case impl::matrix_type::float16:
      return of_halves(half{});
    default:
      return of_halves(bfloat16{});
  }
}

}  // namespace heddle::cpu
