#pragma once
#pragma GCC system_header

/// Replacements of cuSOLVER's refactorisation: new values in the pattern of factors P A Q^T = L U that are
/// known.

#include "../names_begin.hpp"

#include <complex>
// Not before the macros are put away.
#include "sparse_matrices.hpp"

#define CUSOLVERRF_H_

enum cusolverRfResetValuesFastMode_t {
  CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF,
  CUSOLVERRF_RESET_VALUES_FAST_MODE_ON
};
enum cusolverRfMatrixFormat_t { CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_MATRIX_FORMAT_CSC };
enum cusolverRfUnitDiagonal_t {
  CUSOLVERRF_UNIT_DIAGONAL_STORED_L,
  CUSOLVERRF_UNIT_DIAGONAL_STORED_U,
  CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L,
  CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U
};
enum cusolverRfFactorization_t {
  CUSOLVERRF_FACTORIZATION_ALG0,
  CUSOLVERRF_FACTORIZATION_ALG1,
  CUSOLVERRF_FACTORIZATION_ALG2
};
enum cusolverRfTriangularSolve_t {
  CUSOLVERRF_TRIANGULAR_SOLVE_ALG1 = 1,
  CUSOLVERRF_TRIANGULAR_SOLVE_ALG2 = 2,
  CUSOLVERRF_TRIANGULAR_SOLVE_ALG3 = 3
};
enum cusolverRfNumericBoostReport_t { CUSOLVERRF_NUMERIC_BOOST_NOT_USED, CUSOLVERRF_NUMERIC_BOOST_USED };

/// The entries of L and U together are those of `offsets` and `indices`, by rows; `values` are A's there.
struct cusolverRfCommon {
  cusolverRfMatrixFormat_t format = CUSOLVERRF_MATRIX_FORMAT_CSR;
  cusolverRfUnitDiagonal_t diagonal = CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
  cusolverRfResetValuesFastMode_t fast_mode = CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF;
  cusolverRfFactorization_t factoring = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t solving = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
  double zero = 0, boost = 0;
  int n = -1, entries_of_a = 0;
  bool is_analysed = false;
  heddle_device::library_numbers<long long>*offsets = nullptr, *indices = nullptr;
  heddle_device::library_numbers<double>* values = nullptr;
  heddle_device::solver::kept_factors factors;
};
using cusolverRfHandle_t = cusolverRfCommon*;

namespace heddle_device::solver {

inline void forget_pattern(cusolverRfHandle_t h) {
  delete h->offsets;
  delete h->indices;
  delete h->values;
  h->offsets = h->indices = nullptr;
  h->values = nullptr;
}

/// Entries (i, j) of a square matrix, some more than once, as rows in order.
class entries_by_rows {
 public:
  entries_by_rows(long long n, long long most) : n_(n), keys_(most), numbers_(most) {}
  void add(long long i, long long j) {
    if (i < 0 || i >= n_ || j < 0 || j >= n_ || !keys_.has(count_)) return;
    keys_.set(count_, static_cast<u64>(i * n_ + j));
    numbers_.set(count_, static_cast<u64>(count_));
    ++count_;
  }
  /// Fills the offsets, and says how many entries there are; f(k, column) is told of each.
  template <class F>
  long long finish(library_numbers<long long>& offsets, const F& f) {
    numbers_.sort_by(keys_, 0, count_);
    long long made = 0;
    u64 before = 0;
    for (long long i = 0; i < count_; ++i) {
      const u64 key = keys_.get(static_cast<long long>(numbers_.get(i)));
      if (i > 0 && key == before) continue;
      before = key;
      f(made++, static_cast<long long>(key) % n_);
      offsets.set(static_cast<long long>(key) / n_ + 1, made);
    }
    for (long long i = 0; i < n_; ++i)
      if (offsets.get(i + 1) < offsets.get(i)) offsets.set(i + 1, offsets.get(i));
    return made;
  }

 private:
  long long n_, count_ = 0;
  library_numbers<u64> keys_, numbers_;
};

HEDDLE_UNWATCHED inline double value_of(const sparse_matrix& a, long long k) {
  return a.values[k];
}
/// Adds A's values to their places in the pattern of its factors.
inline void scatter(const library_numbers<long long>* offsets, const library_numbers<long long>* indices,
                    library_numbers<double>* values, bool by_columns, const compressed_rows& a,
                    const double* of_a, const int* p, const int* q) {
  const long long n = a.rows;
  library_numbers<long long> row_of(n), column_of(n);
  for (long long i = 0; i < n; ++i) {
    const int from_row = p[i], from_column = q[i];
    if (row_of.has(from_row)) row_of.set(from_row, i);
    if (column_of.has(from_column)) column_of.set(from_column, i);
  }
  for (long long k = 0; k < values->size(); ++k) values->set(k, 0);
  const matrix_copy copy(a, of_a);
  const sparse_matrix view = copy.view();
  for (long long major = 0; major < n; ++major) {
    for (long long k = copy.begin(major); k < copy.begin(major + 1); ++k) {
      const long long minor = copy.column(k);
      if (minor < 0 || minor >= n) continue;
      const long long i = row_of.get(by_columns ? minor : major),
                      j = column_of.get(by_columns ? major : minor);
      long long first = offsets->get(i), last = offsets->get(i + 1);
      while (first < last) {
        const long long middle = (first + last) / 2;
        if (indices->get(middle) < j) {
          first = middle + 1;
        } else {
          last = middle;
        }
      }
      if (first < offsets->get(i + 1) && indices->get(first) == j) values->add(first, value_of(view, k));
    }
  }
}

inline cusolverStatus_t set_up(bool on_device, const char* what, int n, const compressed_rows& a,
                               const double* of_a, const compressed_rows& l, const compressed_rows& u,
                               const int* p, const int* q, cusolverRfHandle_t h) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (program_runtime() == nullptr) return CUSOLVER_STATUS_INTERNAL_ERROR;
  if (a.is_wrong() || l.is_wrong() || u.is_wrong() || of_a == nullptr || p == nullptr || q == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  forget_pattern(h);
  h->n = n;
  h->entries_of_a = a.entries;
  h->is_analysed = false;
  const long long most = static_cast<long long>(l.entries) + u.entries + n;
  auto* const offsets = h->offsets = new library_numbers<long long>(n + 1);
  auto* const indices = h->indices = new library_numbers<long long>(most);
  auto* const values = h->values = new library_numbers<double>(most);
  const bool by_columns = h->format == CUSOLVERRF_MATRIX_FORMAT_CSC;
  return run_and_wait(on_device, what, nullptr, [=] {
    entries_by_rows all(n, most);
    for (int i = 0; i < n; ++i) all.add(i, i);
    for (const compressed_rows* each : {&l, &u}) {
      const matrix_copy copy(*each);
      for (long long i = 0; i < n; ++i)
        for (long long k = copy.begin(i); k < copy.begin(i + 1); ++k)
          by_columns ? all.add(copy.column(k), i) : all.add(i, copy.column(k));
    }
    all.finish(*offsets, [&](long long k, long long column) { indices->set(k, column); });
    scatter(offsets, indices, values, by_columns, a, of_a, p, q);
  });
}

}  // namespace heddle_device::solver

inline cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t* handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *handle = new cusolverRfCommon;
  return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle) {
  if (handle != nullptr) heddle_device::solver::forget_pattern(handle);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
#define HEDDLE_RF_PROPERTY(NAME, TYPE, MEMBER)                                          \
  inline cusolverStatus_t cusolverRfSet##NAME(cusolverRfHandle_t handle, TYPE value) {  \
    if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;                      \
    handle->MEMBER = value;                                                             \
    return CUSOLVER_STATUS_SUCCESS;                                                     \
  }                                                                                     \
  inline cusolverStatus_t cusolverRfGet##NAME(cusolverRfHandle_t handle, TYPE* value) { \
    if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;                      \
    if (value == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                         \
    *value = handle->MEMBER;                                                            \
    return CUSOLVER_STATUS_SUCCESS;                                                     \
  }
#define HEDDLE_RF_PROPERTIES(NAME, FIRST, OF_FIRST, SECOND, OF_SECOND)                                   \
  inline cusolverStatus_t cusolverRfSet##NAME(cusolverRfHandle_t handle, FIRST first, SECOND second) {   \
    if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;                                       \
    handle->OF_FIRST = first;                                                                            \
    handle->OF_SECOND = second;                                                                          \
    return CUSOLVER_STATUS_SUCCESS;                                                                      \
  }                                                                                                      \
  inline cusolverStatus_t cusolverRfGet##NAME(cusolverRfHandle_t handle, FIRST* first, SECOND* second) { \
    if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;                                       \
    if (first == nullptr || second == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                     \
    *first = handle->OF_FIRST;                                                                           \
    *second = handle->OF_SECOND;                                                                         \
    return CUSOLVER_STATUS_SUCCESS;                                                                      \
  }
HEDDLE_RF_PROPERTY(ResetValuesFastMode, cusolverRfResetValuesFastMode_t, fast_mode)
HEDDLE_RF_PROPERTIES(MatrixFormat, cusolverRfMatrixFormat_t, format, cusolverRfUnitDiagonal_t, diagonal)
HEDDLE_RF_PROPERTIES(NumericProperties, double, zero, double, boost)
HEDDLE_RF_PROPERTIES(Algs, cusolverRfFactorization_t, factoring, cusolverRfTriangularSolve_t, solving)
#undef HEDDLE_RF_PROPERTY
#undef HEDDLE_RF_PROPERTIES

#define HEDDLE_RF_SETUP(NAME, ON_DEVICE)                                                                     \
  inline cusolverStatus_t NAME(int n, int nnzA, int* csrRowPtrA, int* csrColIndA, double* csrValA, int nnzL, \
                               int* csrRowPtrL, int* csrColIndL, double*, int nnzU, int* csrRowPtrU,         \
                               int* csrColIndU, double*, int* P, int* Q, cusolverRfHandle_t handle) {        \
    using heddle_device::solver::rows_at;                                                                    \
    return heddle_device::solver::set_up(                                                                    \
        ON_DEVICE, #NAME, n, rows_at(n, n, nnzA, nullptr, csrRowPtrA, csrColIndA), csrValA,                  \
        rows_at(n, n, nnzL, nullptr, csrRowPtrL, csrColIndL),                                                \
        rows_at(n, n, nnzU, nullptr, csrRowPtrU, csrColIndU), P, Q, handle);                                 \
  }
HEDDLE_RF_SETUP(cusolverRfSetupHost, false)
HEDDLE_RF_SETUP(cusolverRfSetupDevice, true)
#undef HEDDLE_RF_SETUP

inline cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle) {
  if (handle == nullptr || handle->offsets == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->is_analysed = true;
  return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverRfResetValues(int n, int nnzA, int* csrRowPtrA, int* csrColIndA,
                                              double* csrValA, int* P, int* Q, cusolverRfHandle_t handle) {
  using namespace heddle_device::solver;
  if (handle == nullptr || handle->offsets == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const compressed_rows a = rows_at(n, n, nnzA, nullptr, csrRowPtrA, csrColIndA);
  if (n != handle->n || nnzA != handle->entries_of_a || a.is_wrong() || csrValA == nullptr || P == nullptr ||
      Q == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return run_and_wait(true, "cusolverRfResetValues", nullptr,
                      [=, offsets = handle->offsets, indices = handle->indices, values = handle->values,
                       by_columns = handle->format == CUSOLVERRF_MATRIX_FORMAT_CSC] {
                        scatter(offsets, indices, values, by_columns, a, csrValA, P, Q);
                      });
}
inline cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle) {
  if (handle == nullptr || !handle->is_analysed) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->factors.make(
      {false, handle->n, handle->n, handle->offsets->data(), handle->indices->data(), handle->values->data()},
      {heddle_device::sparse_method::lu_in_place, 1, handle->zero, handle->boost});
  return handle->factors.first_small_pivot(0) < 0 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ZERO_PIVOT;
}
inline cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle,
                                                        cusolverRfNumericBoostReport_t* report) {
  if (handle == nullptr || !handle->factors.are_made()) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (report == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *report = handle->factors.are_boosted() ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
  return CUSOLVER_STATUS_SUCCESS;
}
/// Temp is written, as cuSOLVER does with P's order of the right side.
inline cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int* P, int* Q, int nrhs, double* Temp,
                                        int ldt, double* XF, int ldxf) {
  using namespace heddle_device::solver;
  if (handle == nullptr || !handle->factors.are_made()) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const int n = handle->n;
  if (nrhs != 1 || ldt < n || ldxf < n || P == nullptr || Q == nullptr || Temp == nullptr || XF == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const kept_factors* const made = &handle->factors;
  return run_and_wait(true, "cusolverRfSolve", nullptr, [=] {
    for (int i = 0; i < n; ++i) Temp[i] = XF[P[i]];
    made->solve(Temp, n, Temp, n);
    for (int j = 0; j < n; ++j) XF[Q[j]] = Temp[j];
  });
}
#include "../names_end.hpp"
