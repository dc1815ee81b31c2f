#pragma once

/// Of cuSOLVER: sparse matrices and vectors of a program, as what factors them takes them. Every access is
/// watched, and everything is calculated in double precision.

#include "../sparse/sparse.hpp"
#include "status.hpp"

#include <type_traits>

HEDDLE_SOLVER_CONTEXT(Sp)

namespace heddle_device::solver {

template <class T>
inline constexpr bool is_complex = std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>;
template <class T>
inline constexpr int parts_of = is_complex<T> ? 2 : 1;

/// Numbers of the program as doubles.
template <class T>
void copy_in(const T* from, long long n, library_numbers<double>& to) {
  for (long long i = 0; i < n; ++i) {
    const T value = from[i];
    if constexpr (is_complex<T>) {
      to.set(2 * i, value.x);
      to.set(2 * i + 1, value.y);
    } else {
      to.set(i, value);
    }
  }
}
template <class T>
void copy_out(const library_numbers<double>& from, long long n, T* to) {
  for (long long i = 0; i < n; ++i) {
    if constexpr (is_complex<T>) {
      T value;
      value.x = static_cast<decltype(value.x)>(from.get(2 * i));
      value.y = static_cast<decltype(value.y)>(from.get(2 * i + 1));
      to[i] = value;
    } else {
      to[i] = static_cast<T>(from.get(i));
    }
  }
}

/// The rows of a matrix, where its entries are.
struct compressed_rows {
  int rows, columns, entries, base;
  const int *offsets, *ends, *indices;

  bool is_wrong() const {
    return rows < 0 || columns < 0 || entries < 0 || offsets == nullptr ||
           (entries > 0 && indices == nullptr);
  }
};
inline compressed_rows rows_at(int rows, int columns, int entries, cusparseMatDescr_t descr,
                               const int* offsets, const int* indices) {
  return {rows,    columns,
          entries, descr == nullptr ? 0 : static_cast<int>(descr->base),
          offsets, offsets == nullptr ? nullptr : offsets + 1,
          indices};
}

/// A copy of a matrix, or of its pattern. What lies beyond its entries is read, so that it is told, and left
/// out.
class matrix_copy {
 public:
  explicit matrix_copy(const compressed_rows& of, int parts = 0)
      : rows_(of.rows),
        columns_(of.columns),
        parts_(parts),
        offsets_(of.rows + 1),
        indices_(of.entries),
        places_(of.entries),
        values_(static_cast<long long>(parts) * of.entries) {
    long long count = 0;
    for (int i = 0; i < of.rows; ++i) {
      const int first = of.offsets[i] - of.base, last = of.ends[i] - of.base;
      for (int k = first; k < last; ++k) {
        const int column = of.indices[k] - of.base;
        if (!indices_.has(count)) continue;
        indices_.set(count, column);
        places_.set(count, k);
        ++count;
      }
      offsets_.set(i + 1, count);
    }
  }
  /// Also its values, less `shift` on the diagonal.
  template <class T>
  matrix_copy(const compressed_rows& of, const T* values, const T& shift = T{})
      : matrix_copy(of, parts_of<T>) {
    for (int i = 0; i < of.rows; ++i) {
      for (long long k = offsets_.get(i); k < offsets_.get(i + 1); ++k) {
        const T value = values[places_.get(k)];
        const T less = indices_.get(k) == i ? shift : T{};
        if constexpr (is_complex<T>) {
          values_.set(2 * k, value.x - less.x);
          values_.set(2 * k + 1, value.y - less.y);
        } else {
          values_.set(k, value - less);
        }
      }
    }
  }

  long long rows() const { return rows_; }
  long long begin(long long row) const { return offsets_.get(row); }
  long long column(long long k) const { return indices_.get(k); }
  /// Where the program has entry k.
  long long place(long long k) const { return places_.get(k); }
  sparse_matrix view() const {
    return {parts_ == 2, rows_, columns_, offsets_.data(), indices_.data(), values_.data()};
  }

 private:
  long long rows_, columns_;
  int parts_;
  library_numbers<long long> offsets_, indices_, places_;
  library_numbers<double> values_;
};

/// Owns factors. The object is the host's, also where a kernel asks.
class kept_factors {
 public:
  kept_factors() = default;
  HEDDLE_UNWATCHED ~kept_factors() { forget(); }
  kept_factors(const kept_factors&) = delete;
  kept_factors& operator=(const kept_factors&) = delete;
  HEDDLE_UNWATCHED void make(const sparse_matrix& of, const sparse_factoring& how) {
    forget();
    made_ = program_runtime()->libraries().factor(of, how);
  }
  HEDDLE_UNWATCHED bool are_made() const { return made_ != nullptr; }
  HEDDLE_UNWATCHED int first_small_pivot(double tolerance) const {
    return static_cast<int>(made_->first_small_pivot(tolerance));
  }
  HEDDLE_UNWATCHED bool are_boosted() const { return made_->boosted() > 0; }
  HEDDLE_UNWATCHED void pivots(double* to) const { made_->pivots(to); }
  HEDDLE_UNWATCHED long long entries_of(bool is_upper) const { return made_->entries_of(is_upper); }
  HEDDLE_UNWATCHED void extract(bool is_upper, long long* offsets, long long* indices, double* values,
                                long long* rows) const {
    made_->extract(is_upper, offsets, indices, values, rows);
  }
  HEDDLE_UNWATCHED void solve(const double* right, double* solution) const { made_->solve(right, solution); }
  template <class T>
  void solve(const T* right, long long rows, T* solution, long long columns) const {
    library_numbers<double> b(parts_of<T> * rows), x(parts_of<T> * columns);
    copy_in(right, rows, b);
    solve(b.data(), x.data());
    copy_out(x, columns, solution);
  }

 private:
  HEDDLE_UNWATCHED void forget() {
    if (made_ != nullptr) program_runtime()->libraries().release(made_);
    made_ = nullptr;
  }
  sparse_factors* made_ = nullptr;
};

/// Runs f on the host, or as a kernel for which the host waits.
template <class F>
cusolverStatus_t run_and_wait(bool on_device, const char* what, cudaStream_t stream, const F& f) {
  if (program_runtime() == nullptr) return CUSOLVER_STATUS_INTERNAL_ERROR;
  if (!on_device) {
    f();
    return CUSOLVER_STATUS_SUCCESS;
  }
  return run_library(what, 1, 1, stream, f) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess
             ? CUSOLVER_STATUS_SUCCESS
             : CUSOLVER_STATUS_EXECUTION_FAILED;
}

}  // namespace heddle_device::solver
