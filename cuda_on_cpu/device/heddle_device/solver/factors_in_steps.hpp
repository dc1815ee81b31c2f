#pragma once

/// Of cuSOLVER: sparse factors step by step, for the host and the device, and those of many systems.

#include "sparse_matrices.hpp"

namespace heddle_device::solver {

/// What the steps of one factorisation leave to one another.
struct steps_of_factors {
  int rows = -1, columns = -1, entries = 0;
  bool is_set_up = false;
  kept_factors factors;

  bool fits(int m, int n, int nnz) const { return rows == m && columns == n && entries == nnz; }
  /// How many bytes a buffer has to have.
  size_t buffer_bytes() const { return 16 * (static_cast<size_t>(rows) + static_cast<size_t>(columns) + 1); }
};
template <class Info>
cusolverStatus_t create_info(Info** info) {
  if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *info = new Info;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class Info>
cusolverStatus_t destroy_info(Info* info) {
  delete info;
  return CUSOLVER_STATUS_SUCCESS;
}
inline void use_whole_buffer(void* buffer, size_t bytes) {
  library_writes(buffer, bytes);
}

inline cusolverStatus_t analyse(cusolverSpHandle_t handle, bool on_device, const char* what,
                                const compressed_rows& a, steps_of_factors* info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (a.is_wrong() || info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  info->rows = a.rows;
  info->columns = a.columns;
  info->entries = a.entries;
  info->is_set_up = false;
  return run_and_wait(on_device, what, handle->stream, [=] { (void)matrix_copy(a); });
}
inline cusolverStatus_t tell_sizes(cusolverSpHandle_t handle, int m, int n, int nnz,
                                   const steps_of_factors* info, size_t* internal, size_t* workspace) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || !info->fits(m, n, nnz) || internal == nullptr || workspace == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  *internal = 0;
  *workspace = info->buffer_bytes();
  return CUSOLVER_STATUS_SUCCESS;
}
/// Factors the matrix less `shift` on its diagonal; QR is not given a buffer here.
template <class T>
cusolverStatus_t factor(cusolverSpHandle_t handle, bool on_device, const char* what, const compressed_rows& a,
                        const T* values, const T& shift, const sparse_factoring& how, steps_of_factors* info,
                        void* buffer) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (a.is_wrong() || values == nullptr || info == nullptr || !info->fits(a.rows, a.columns, a.entries) ||
      (buffer == nullptr && how.method != sparse_method::qr))
    return CUSOLVER_STATUS_INVALID_VALUE;
  kept_factors* const made = &info->factors;
  const size_t bytes = buffer == nullptr ? 0 : info->buffer_bytes();
  const cusolverStatus_t status = run_and_wait(on_device, what, handle->stream, [=] {
    if (on_device && bytes != 0) use_whole_buffer(buffer, bytes);
    made->make(matrix_copy(a, values, shift).view(), how);
  });
  info->is_set_up = info->factors.are_made();
  return status;
}
template <class T>
cusolverStatus_t solve_by_factors(cusolverSpHandle_t handle, bool on_device, const char* what, int m, int n,
                                  const T* b, T* x, const steps_of_factors* info, void* buffer) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (b == nullptr || x == nullptr || info == nullptr || info->rows != m || info->columns != n ||
      buffer == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  if (!info->is_set_up) return CUSOLVER_STATUS_INTERNAL_ERROR;
  const kept_factors* const made = &info->factors;
  const size_t bytes = info->buffer_bytes();
  return run_and_wait(on_device, what, handle->stream, [=] {
    if (on_device) use_whole_buffer(buffer, bytes);
    made->solve(b, m, x, n);
  });
}
/// The second step of QR, which here is done with the first one; with b and x it also solves.
template <class T>
cusolverStatus_t factor_rows(cusolverSpHandle_t handle, bool on_device, const char* what, int m, int n,
                             int nnz, const T* b, T* x, const steps_of_factors* info, void* buffer) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || !info->fits(m, n, nnz) || buffer == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!info->is_set_up) return CUSOLVER_STATUS_INTERNAL_ERROR;
  if (b != nullptr && x != nullptr)
    return solve_by_factors(handle, on_device, what, m, n, b, x, info, buffer);
  const size_t bytes = info->buffer_bytes();
  return run_and_wait(on_device, what, handle->stream, [=] {
    if (on_device) use_whole_buffer(buffer, bytes);
  });
}
inline cusolverStatus_t tell_small_pivot(cusolverSpHandle_t handle, const steps_of_factors* info,
                                         double tolerance, int* position) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || position == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!info->is_set_up) return CUSOLVER_STATUS_INTERNAL_ERROR;
  *position = info->factors.first_small_pivot(tolerance);
  return CUSOLVER_STATUS_SUCCESS;
}
/// The diagonal of R or L, in memory of the device.
template <class R>
cusolverStatus_t tell_diagonal(cusolverSpHandle_t handle, const char* what, const steps_of_factors* info,
                               R* to) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || to == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!info->is_set_up) return CUSOLVER_STATUS_INTERNAL_ERROR;
  const kept_factors* const made = &info->factors;
  return run_and_wait(true, what, handle->stream, [=, n = info->columns] {
    const library_numbers<double> pivots(n);
    made->pivots(pivots.data());
    for (int i = 0; i < n; ++i) to[i] = static_cast<R>(pivots.get(i));
  });
}
/// Whether there are L and U, which a singular matrix has not.
inline cusolverStatus_t whole_factors(const steps_of_factors& info) {
  if (!info.is_set_up) return CUSOLVER_STATUS_INTERNAL_ERROR;
  return info.factors.first_small_pivot(0) < 0 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ZERO_PIVOT;
}
/// One of the factors P A = L U.
template <class T>
void extract_factor(const steps_of_factors& info, bool is_upper, int base, T* values, int* offsets,
                    int* indices, int* rows) {
  const long long n = info.columns, entries = info.factors.entries_of(is_upper);
  const library_numbers<long long> begins(n + 1), columns(entries), of(n);
  library_numbers<double> numbers(parts_of<T> * entries);
  info.factors.extract(is_upper, begins.data(), columns.data(), numbers.data(), of.data());
  for (long long i = 0; i <= n; ++i) offsets[i] = static_cast<int>(begins.get(i)) + base;
  for (long long k = 0; k < entries; ++k) indices[k] = static_cast<int>(columns.get(k)) + base;
  for (long long i = 0; i < n; ++i) rows[i] = static_cast<int>(of.get(i));
  copy_out(numbers, entries, values);
}
/// Systems of one pattern, whose values, right sides and solutions lie one after another.
template <class T>
cusolverStatus_t solve_many(cusolverSpHandle_t handle, const char* what, const compressed_rows& a,
                            const T* values, const T* b, T* x, int count, const steps_of_factors* info,
                            void* buffer) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (a.is_wrong() || values == nullptr || b == nullptr || x == nullptr || count < 0 || info == nullptr ||
      !info->fits(a.rows, a.columns, a.entries) || buffer == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const size_t bytes = info->buffer_bytes() * static_cast<size_t>(count);
  return run_library(what, 1, 1, handle->stream,
                     [=] {
                       use_whole_buffer(buffer, bytes);
                       for (long long i = 0; i < count; ++i) {
                         kept_factors factors;
                         factors.make(matrix_copy(a, values + i * a.entries).view(), {sparse_method::qr});
                         factors.solve(b + i * a.rows, a.rows, x + i * a.columns, a.columns);
                       }
                     }) == cudaSuccess
             ? CUSOLVER_STATUS_SUCCESS
             : CUSOLVER_STATUS_EXECUTION_FAILED;
}

}  // namespace heddle_device::solver

// A handle's name, its functions' beginnings and ends, and whether they are of the device.
#define HEDDLE_SPARSE_INFO(KIND, HOST)                                                             \
  struct csr##KIND##Info##HOST : heddle_device::solver::steps_of_factors {};                       \
  using csr##KIND##Info##HOST##_t = csr##KIND##Info##HOST*;                                        \
  inline cusolverStatus_t cusolverSpCreateCsr##KIND##Info##HOST(csr##KIND##Info##HOST##_t* info) { \
    return heddle_device::solver::create_info(info);                                               \
  }                                                                                                \
  inline cusolverStatus_t cusolverSpDestroyCsr##KIND##Info##HOST(csr##KIND##Info##HOST##_t info) { \
    return heddle_device::solver::destroy_info(info);                                              \
  }
HEDDLE_SPARSE_INFO(lu, Host)
HEDDLE_SPARSE_INFO(qr, Host)
HEDDLE_SPARSE_INFO(qr, )
HEDDLE_SPARSE_INFO(chol, Host)
HEDDLE_SPARSE_INFO(chol, )
#undef HEDDLE_SPARSE_INFO

#define HEDDLE_SQUARE_ANALYSIS(NAME, INFO, ON_DEVICE)                                                       \
  inline cusolverStatus_t NAME(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, \
                               const int* csrRowPtrA, const int* csrColIndA, INFO info) {                   \
    return heddle_device::solver::analyse(                                                                  \
        handle, ON_DEVICE, #NAME,                                                                           \
        heddle_device::solver::rows_at(n, n, nnzA, descrA, csrRowPtrA, csrColIndA), info);                  \
  }
HEDDLE_SQUARE_ANALYSIS(cusolverSpXcsrluAnalysisHost, csrluInfoHost_t, false)
HEDDLE_SQUARE_ANALYSIS(cusolverSpXcsrcholAnalysisHost, csrcholInfoHost_t, false)
HEDDLE_SQUARE_ANALYSIS(cusolverSpXcsrcholAnalysis, csrcholInfo_t, true)
#undef HEDDLE_SQUARE_ANALYSIS
#define HEDDLE_TALL_ANALYSIS(NAME, INFO, ON_DEVICE)                                        \
  inline cusolverStatus_t NAME(cusolverSpHandle_t handle, int m, int n, int nnzA,          \
                               const cusparseMatDescr_t descrA, const int* csrRowPtrA,     \
                               const int* csrColIndA, INFO info) {                         \
    return heddle_device::solver::analyse(                                                 \
        handle, ON_DEVICE, #NAME,                                                          \
        heddle_device::solver::rows_at(m, n, nnzA, descrA, csrRowPtrA, csrColIndA), info); \
  }
HEDDLE_TALL_ANALYSIS(cusolverSpXcsrqrAnalysisHost, csrqrInfoHost_t, false)
HEDDLE_TALL_ANALYSIS(cusolverSpXcsrqrAnalysis, csrqrInfo_t, true)
HEDDLE_TALL_ANALYSIS(cusolverSpXcsrqrAnalysisBatched, csrqrInfo_t, true)
#undef HEDDLE_TALL_ANALYSIS

// L is a type's letter, and R that of its real numbers.
#define HEDDLE_SPARSE_CHOLESKY(L, T, R, HOST, ON_DEVICE)                                                    \
  inline cusolverStatus_t cusolverSp##L##csrcholBufferInfo##HOST(                                           \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t, const T*, const int*,           \
      const int*, csrcholInfo##HOST##_t info, size_t* internal, size_t* workspace) {                        \
    return heddle_device::solver::tell_sizes(handle, n, n, nnzA, info, internal, workspace);                \
  }                                                                                                         \
  inline cusolverStatus_t cusolverSp##L##csrcholFactor##HOST(                                               \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const T* csrValA,        \
      const int* csrRowPtrA, const int* csrColIndA, csrcholInfo##HOST##_t info, void* buffer) {             \
    return heddle_device::solver::factor(                                                                   \
        handle, ON_DEVICE, "cusolverSp" #L "csrcholFactor",                                                 \
        heddle_device::solver::rows_at(n, n, nnzA, descrA, csrRowPtrA, csrColIndA), csrValA, T{},           \
        {heddle_device::sparse_method::cholesky}, info, buffer);                                            \
  }                                                                                                         \
  inline cusolverStatus_t cusolverSp##L##csrcholZeroPivot##HOST(                                            \
      cusolverSpHandle_t handle, csrcholInfo##HOST##_t info, R tol, int* position) {                        \
    return heddle_device::solver::tell_small_pivot(handle, info, tol, position);                            \
  }                                                                                                         \
  inline cusolverStatus_t cusolverSp##L##csrcholSolve##HOST(                                                \
      cusolverSpHandle_t handle, int n, const T* b, T* x, csrcholInfo##HOST##_t info, void* buffer) {       \
    return heddle_device::solver::solve_by_factors(handle, ON_DEVICE, "cusolverSp" #L "csrcholSolve", n, n, \
                                                   b, x, info, buffer);                                     \
  }
#define HEDDLE_SPARSE_QR(L, T, R, HOST, ON_DEVICE)                                                           \
  inline cusolverStatus_t cusolverSp##L##csrqrBufferInfo##HOST(                                              \
      cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t, const T*, const int*,     \
      const int*, csrqrInfo##HOST##_t info, size_t* internal, size_t* workspace) {                           \
    return heddle_device::solver::tell_sizes(handle, m, n, nnzA, info, internal, workspace);                 \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrqrSetup##HOST(                                                   \
      cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const T* csrValA,  \
      const int* csrRowPtrA, const int* csrColIndA, T mu, csrqrInfo##HOST##_t info) {                        \
    return heddle_device::solver::factor(                                                                    \
        handle, ON_DEVICE, "cusolverSp" #L "csrqrSetup",                                                     \
        heddle_device::solver::rows_at(m, n, nnzA, descrA, csrRowPtrA, csrColIndA), csrValA, mu,             \
        {heddle_device::sparse_method::qr}, info, nullptr);                                                  \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrqrFactor##HOST(cusolverSpHandle_t handle, int m, int n,          \
                                                           int nnzA, T* b, T* x, csrqrInfo##HOST##_t info,   \
                                                           void* buffer) {                                   \
    return heddle_device::solver::factor_rows(handle, ON_DEVICE, "cusolverSp" #L "csrqrFactor", m, n, nnzA,  \
                                              b, x, info, buffer);                                           \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrqrZeroPivot##HOST(                                               \
      cusolverSpHandle_t handle, csrqrInfo##HOST##_t info, R tol, int* position) {                           \
    return heddle_device::solver::tell_small_pivot(handle, info, tol, position);                             \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrqrSolve##HOST(cusolverSpHandle_t handle, int m, int n, T* b,     \
                                                          T* x, csrqrInfo##HOST##_t info, void* buffer) {    \
    return heddle_device::solver::solve_by_factors(handle, ON_DEVICE, "cusolverSp" #L "csrqrSolve", m, n, b, \
                                                   x, info, buffer);                                         \
  }
#define HEDDLE_SPARSE_STEPS(L, T, R)                                                                         \
  HEDDLE_SPARSE_CHOLESKY(L, T, R, Host, false)                                                               \
  HEDDLE_SPARSE_CHOLESKY(L, T, R, , true)                                                                    \
  HEDDLE_SPARSE_QR(L, T, R, Host, false)                                                                     \
  HEDDLE_SPARSE_QR(L, T, R, , true)                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info,          \
                                                     R* diag) {                                              \
    return heddle_device::solver::tell_diagonal(handle, "cusolverSp" #L "csrcholDiag", info, diag);          \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrqrBufferInfoBatched(                                             \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t, const T*, const int*,      \
      const int*, int count, csrqrInfo_t info, size_t* internal, size_t* workspace) {                        \
    const cusolverStatus_t status =                                                                          \
        heddle_device::solver::tell_sizes(handle, m, n, nnz, info, internal, workspace);                     \
    if (status == CUSOLVER_STATUS_SUCCESS) *workspace *= static_cast<size_t>(count);                         \
    return status;                                                                                           \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrqrsvBatched(                                                     \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, const T* csrValA,   \
      const int* csrRowPtrA, const int* csrColIndA, const T* b, T* x, int count, csrqrInfo_t info,           \
      void* buffer) {                                                                                        \
    return heddle_device::solver::solve_many(                                                                \
        handle, "cusolverSp" #L "csrqrsvBatched",                                                            \
        heddle_device::solver::rows_at(m, n, nnz, descrA, csrRowPtrA, csrColIndA), csrValA, b, x, count,     \
        info, buffer);                                                                                       \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrluBufferInfoHost(                                                \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t, const T*, const int*,            \
      const int*, csrluInfoHost_t info, size_t* internal, size_t* workspace) {                               \
    return heddle_device::solver::tell_sizes(handle, n, n, nnzA, info, internal, workspace);                 \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrluFactorHost(                                                    \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const T* csrValA,         \
      const int* csrRowPtrA, const int* csrColIndA, csrluInfoHost_t info, R threshold, void* buffer) {       \
    return heddle_device::solver::factor(                                                                    \
        handle, false, "cusolverSp" #L "csrluFactorHost",                                                    \
        heddle_device::solver::rows_at(n, n, nnzA, descrA, csrRowPtrA, csrColIndA), csrValA, T{},            \
        {heddle_device::sparse_method::lu, threshold}, info, buffer);                                        \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrluZeroPivotHost(cusolverSpHandle_t handle, csrluInfoHost_t info, \
                                                            R tol, int* position) {                          \
    return heddle_device::solver::tell_small_pivot(handle, info, tol, position);                             \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrluSolveHost(cusolverSpHandle_t handle, int n, const T* b, T* x,  \
                                                        csrluInfoHost_t info, void* buffer) {                \
    return heddle_device::solver::solve_by_factors(handle, false, "cusolverSp" #L "csrluSolveHost", n, n, b, \
                                                   x, info, buffer);                                         \
  }                                                                                                          \
  inline cusolverStatus_t cusolverSp##L##csrluExtractHost(                                                   \
      cusolverSpHandle_t handle, int* P, int* Q, const cusparseMatDescr_t descrL, T* csrValL,                \
      int* csrRowPtrL, int* csrColIndL, const cusparseMatDescr_t descrU, T* csrValU, int* csrRowPtrU,        \
      int* csrColIndU, csrluInfoHost_t info, void*) {                                                        \
    return heddle_device::solver::extract_factors(handle, P, Q, descrL, csrValL, csrRowPtrL, csrColIndL,     \
                                                  descrU, csrValU, csrRowPtrU, csrColIndU, info);            \
  }
namespace heddle_device::solver {
template <class T>
cusolverStatus_t extract_factors(cusolverSpHandle_t handle, int* p, int* q, cusparseMatDescr_t of_l,
                                 T* values_l, int* offsets_l, int* indices_l, cusparseMatDescr_t of_u,
                                 T* values_u, int* offsets_u, int* indices_u, const steps_of_factors* info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (p == nullptr || q == nullptr || offsets_l == nullptr || offsets_u == nullptr || info == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  if (const cusolverStatus_t status = whole_factors(*info); status != CUSOLVER_STATUS_SUCCESS) return status;
  extract_factor(*info, false, of_l == nullptr ? 0 : of_l->base, values_l, offsets_l, indices_l, p);
  extract_factor(*info, true, of_u == nullptr ? 0 : of_u->base, values_u, offsets_u, indices_u, p);
  for (int j = 0; j < info->columns; ++j) q[j] = j;
  return CUSOLVER_STATUS_SUCCESS;
}
}  // namespace heddle_device::solver
HEDDLE_SPARSE_STEPS(S, float, float)
HEDDLE_SPARSE_STEPS(D, double, double)
HEDDLE_SPARSE_STEPS(C, cuComplex, float)
HEDDLE_SPARSE_STEPS(Z, cuDoubleComplex, double)
#undef HEDDLE_SPARSE_STEPS
#undef HEDDLE_SPARSE_QR
#undef HEDDLE_SPARSE_CHOLESKY

inline cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int* nnzL, int* nnzU,
                                                csrluInfoHost_t info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (nnzL == nullptr || nnzU == nullptr || info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (const cusolverStatus_t status = heddle_device::solver::whole_factors(*info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  *nnzL = static_cast<int>(info->factors.entries_of(false));
  *nnzU = static_cast<int>(info->factors.entries_of(true));
  return CUSOLVER_STATUS_SUCCESS;
}
