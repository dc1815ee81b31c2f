#pragma once

#include <heddle/algorithm.hpp>
#include <heddle/impl/patterns/textbook/cpu/reduce.hpp>
#include <heddle/impl/patterns/textbook/cpu/scan.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>

#include <cstddef>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/textbook/gpu/reduce.cuh>
#include <heddle/impl/patterns/textbook/gpu/scan.cuh>
#endif

/// Runs the textbook method that the caller named, on the target that the caller named.
namespace heddle::impl {

/// Reduces the n ≥ 1 elements of x to *out by a built-in operator and a textbook method; both are on
/// `where`.
void library_reduce_by(reduce_algorithm algorithm, runtime_op op, dtype type, const void* x, std::size_t n,
                       void* out, const target& where);

/// Scans the n ≥ 1 elements of x into `out` by a built-in operator and a textbook method; both are on
/// `where`, and may be one array.
void library_scan_by(scan_algorithm algorithm, runtime_op op, dtype type, bool exclusive, const void* x,
                     std::size_t n, const void* init, void* out, const target& where);

inline namespace HD_BUILD {

/// By a textbook method, not by the default.
template <class T, class Op>
void reduce_by_method(const target& where, reduce_algorithm algorithm, const T* x, const Op& op,
                      std::size_t n, T* out) {
  if constexpr (library_combines<T, Op>()) {
    library_reduce_by(algorithm, function_of<Op>, dtype_of<T>, x, n, out, where);
  } else if (!where.is_gpu()) {
    cpu::textbook::reduce(where.threads(), algorithm, element_at<T, Op>{x}, op, n, out);
  } else {
#if defined(__CUDACC__)
    gpu::textbook::reduce(where, algorithm, element_at<T, Op>{x}, op, n, out);
#else
    fail_not_compiled_for_gpu();
#endif
  }
}

template <class T, class X, class Op>
T reduce_flat_by(reduce_algorithm algorithm, const target& requested, const X& x, const Op& op,
                 const T* init) {
  if (algorithm == reduce_algorithm::single_pass) return reduce_flat<T>(requested, x, op, init);
  const T result = reduce_flat_with<T>(requested, x, op, init,
                                       [&](const target& where, const T* elements, std::size_t n, T* out) {
                                         reduce_by_method(where, algorithm, elements, op, n, out);
                                       });
  return order::canonical(result);
}

template <class T, class X, class Op>
void reduce_into_by(reduce_algorithm algorithm, const target& requested, const elements<T>& out, const X& x,
                    const Op& op) {
  check_operator<T, Op>();
  const elements<const T> in = input(x);
  operation running("reduce", in.size, type_name<T>());
  if (out.size != 1) fail_sizes("the output of reduce", out.size, 1);
  const target where = resolve(
      requested, {in.size * sizeof(T), sizeof(T), in.where, compiled_for_gpu || library_has<T, Op>()});
  running.runs_on(where);
  if (in.size == 0)
    return array_view<T>(out.data, heddle::shape{1}, out.where).fill(reduce_of_nothing<T>(op, nullptr));
  const staged_input<T> staged(in, where);
  staged_output<T> result(out, where);
  if (algorithm == reduce_algorithm::single_pass) {
    reduce_array(where, staged.data(), op, axis_lines{1, in.size, 1}, result.data());
  } else {
    reduce_by_method(where, algorithm, staged.data(), op, in.size, result.data());
  }
  result.deliver();
}

/// By a textbook method, not by the default.
template <class T, class Op>
void scan_by_method(const target& where, scan_algorithm algorithm, const T* x, const Op& op, bool exclusive,
                    const T* init, std::size_t n, T* out) {
  if constexpr (library_combines<T, Op>()) {
    library_scan_by(algorithm, function_of<Op>, dtype_of<T>, exclusive, x, n, init, out, where);
  } else if (!where.is_gpu()) {
    cpu::textbook::scan(where.threads(), algorithm, x, op, exclusive, init, n, out);
  } else {
#if defined(__CUDACC__)
    gpu::textbook::scan(where, algorithm, x, op, exclusive, init, n, out);
#else
    fail_not_compiled_for_gpu();
#endif
  }
}

/// How the elements of a scan are scanned: by the named method.
template <scan_kind Kind>
struct scan_by {
  scan_algorithm algorithm;
  template <class T, class Op>
  void operator()(const target& where, const T* x, const Op& op, axis_lines all, const T* init,
                  T* out) const {
    if (algorithm != scan_algorithm::single_pass)
      return scan_by_method(where, algorithm, x, op, Kind == scan_kind::exclusive, init, all.length, out);
    scan_array<Kind>(where, x, op, all, init, out);
  }
};

}  // namespace HD_BUILD
}  // namespace heddle::impl
