#pragma once

#include <heddle/any_array.hpp>
#include <heddle/fft.hpp>
#include <heddle/histogram.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/sort.hpp>
#include <heddle/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// The patterns on arrays whose element type is known at run time. Each computes what the pattern of the same
/// name computes on array and array_view, bit for bit, and throws heddle::error where that one does not
/// compile: for an operator that the type does not define, for types that differ, and for the order of
/// complex numbers. An initial value is any number, converted as any_value::converted says.
///
///     hd::any_array x = hd::read_npy("samples.npy");
///     hd::any_value total = hd::reduce(where, x, hd::parse_runtime_op("add"));
///     hd::write_npy("sums.npy", hd::inclusive_scan(where, x));
///
/// An array seen as (outer, length, inner) is reduced, scanned or sorted along its middle axis by
/// `hd::any_const_view(data, type, {outer, length, inner}, where)` and `hd::axis{1}`.
namespace heddle {

// Defined in <heddle/algorithm.hpp>; {} is the default.
enum class reduce_algorithm : std::uint8_t;
enum class scan_algorithm : std::uint8_t;

/// The identity of the operator on elements of that type; throws heddle::error where there is none: for
/// minus, and where the type does not define the operator.
any_value identity(runtime_op op, dtype type);

// ------------------------------------------------------------------------------------------------ reduce

/// Combines the elements of x by an operator: see reduce.hpp. Waits for the value and returns it.
any_value reduce(const target& where, const any_const_view& x, runtime_op op = runtime_op::plus,
                 const std::optional<any_value>& init = {}, reduce_algorithm algorithm = {});
any_value reduce(const target& where, const any_const_view& x, runtime_op op, reduce_algorithm algorithm);

/// Combines along one axis; the result has the other axes, and lives on the target.
any_array reduce(const target& where, const any_const_view& x, axis along_axis,
                 runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});

/// The same into `out`, which has one element, or the shape of x without the axis, and does not overlap x.
/// Asynchronous on a GPU. `out` has the type of x. A sum may have float64 instead, or complex128 for complex
/// elements: elements are then widened as they are read, as by numpy.sum(x, dtype=float64).
void reduce_into(const target& where, const any_view& out, const any_const_view& x,
                 runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});
void reduce_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                 runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});

/// Whether any element is non-zero, and whether all are, of the whole array or along one axis: see any.hpp.
bool any(const target& where, const any_const_view& x);
bool all(const target& where, const any_const_view& x);
array<bool> any(const target& where, const any_const_view& x, axis along_axis);
array<bool> all(const target& where, const any_const_view& x, axis along_axis);

/// One result for each segment of x, whose operator has an identity: see segmented_reduce.hpp.
any_array segmented_reduce(const target& where, const any_const_view& x,
                           const array_view<const std::size_t>& offsets, runtime_op op = runtime_op::plus);

/// Reduces the values of each run of consecutive equal keys: see segmented_reduce.hpp.
std::pair<any_array, any_array> reduce_by_key(const target& where, const any_const_view& keys,
                                              const any_const_view& values, runtime_op op = runtime_op::plus);

// ------------------------------------------------------------------------------------------------ scan

/// The inclusive scan, in C order or along one axis: see scan.hpp.
any_array inclusive_scan(const target& where, const any_const_view& x, runtime_op op = runtime_op::plus,
                         const std::optional<any_value>& init = {}, scan_algorithm algorithm = {});
any_array inclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         scan_algorithm algorithm);
any_array inclusive_scan(const target& where, const any_const_view& x, axis along_axis,
                         runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});
/// The same into `out`, which has the type of x and as many elements, and may be x itself. Asynchronous on a
/// GPU.
void inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x,
                         runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {},
                         scan_algorithm algorithm = {});
void inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                         runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});

/// The exclusive scan, which begins with `init`, or with the operator's identity.
any_array exclusive_scan(const target& where, const any_const_view& x, runtime_op op = runtime_op::plus,
                         const std::optional<any_value>& init = {}, scan_algorithm algorithm = {});
any_array exclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         scan_algorithm algorithm);
any_array exclusive_scan(const target& where, const any_const_view& x, axis along_axis,
                         runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});
void exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x,
                         runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {},
                         scan_algorithm algorithm = {});
void exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                         runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});

/// The scan of each segment of x, which begin at offsets, or of each run of consecutive equal keys: see
/// segmented_scan.hpp. An exclusive one begins with `init`, or with the operator's identity.
any_array segmented_inclusive_scan(const target& where, const any_const_view& x,
                                   const array_view<const std::size_t>& offsets,
                                   runtime_op op = runtime_op::plus,
                                   const std::optional<any_value>& init = {});
any_array segmented_exclusive_scan(const target& where, const any_const_view& x,
                                   const array_view<const std::size_t>& offsets,
                                   runtime_op op = runtime_op::plus,
                                   const std::optional<any_value>& init = {});
any_array inclusive_scan_by_key(const target& where, const any_const_view& keys, const any_const_view& values,
                                runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});
any_array exclusive_scan_by_key(const target& where, const any_const_view& keys, const any_const_view& values,
                                runtime_op op = runtime_op::plus, const std::optional<any_value>& init = {});
/// The same into `out`, which has the type of the scanned elements and as many, and may be these themselves.
/// Asynchronous on a GPU.
void segmented_inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x,
                                   const array_view<const std::size_t>& offsets,
                                   runtime_op op = runtime_op::plus,
                                   const std::optional<any_value>& init = {});
void segmented_exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x,
                                   const array_view<const std::size_t>& offsets,
                                   runtime_op op = runtime_op::plus,
                                   const std::optional<any_value>& init = {});
void inclusive_scan_by_key_into(const target& where, const any_view& out, const any_const_view& keys,
                                const any_const_view& values, runtime_op op = runtime_op::plus,
                                const std::optional<any_value>& init = {});
void exclusive_scan_by_key_into(const target& where, const any_view& out, const any_const_view& keys,
                                const any_const_view& values, runtime_op op = runtime_op::plus,
                                const std::optional<any_value>& init = {});

/// Each element minus the one before it, in C order or along one axis; the first is copied: see scan.hpp.
any_array adjacent_difference(const target& where, const any_const_view& x);
any_array adjacent_difference(const target& where, const any_const_view& x, axis along_axis);
/// The same into `out`, which has the type of x and as many elements, and may be x itself. Asynchronous on a
/// GPU.
void adjacent_difference_into(const target& where, const any_view& out, const any_const_view& x);
void adjacent_difference_into(const target& where, const any_view& out, const any_const_view& x,
                              axis along_axis);

// ------------------------------------------------------------------------------------------------ transform

/// An array of op(x[i], y[i]) by any operator, including minus: see transform.hpp. Both arrays have the same
/// type and shape; a scalar is broadcast, and converted to their type as any_value::converted says.
any_array transform(const target& where, const any_const_view& x, const any_const_view& y, runtime_op op);
any_array transform(const target& where, const any_const_view& x, const any_value& y, runtime_op op);
any_array transform(const target& where, const any_value& x, const any_const_view& y, runtime_op op);
/// The same into `out`, which has their type and shape and may be one of them. Asynchronous on a GPU.
void transform_into(const target& where, const any_view& out, const any_const_view& x,
                    const any_const_view& y, runtime_op op);
void transform_into(const target& where, const any_view& out, const any_const_view& x, const any_value& y,
                    runtime_op op);
void transform_into(const target& where, const any_view& out, const any_value& x, const any_const_view& y,
                    runtime_op op);

// ------------------------------------------------------------------------------------------------ order

/// The sorted elements, flat or along one axis: see sort.hpp. All types but the complex ones.
any_array sort(const target& where, const any_const_view& x, sort_order order = sort_order::ascending);
any_array sort(const target& where, const any_const_view& x, axis along_axis,
               sort_order order = sort_order::ascending);
/// The same into `out`, which has the type of x and as many elements, and may be x itself.
void sort_into(const target& where, const any_view& out, const any_const_view& x,
               sort_order order = sort_order::ascending);
void sort_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
               sort_order order = sort_order::ascending);

/// The indices of the elements in stable sorted order.
array<std::size_t> argsort(const target& where, const any_const_view& x,
                           sort_order order = sort_order::ascending);
array<std::size_t> argsort(const target& where, const any_const_view& x, axis along_axis,
                           sort_order order = sort_order::ascending);

/// The k largest elements, or with `ascending` the k smallest, and their indices: see top_k.hpp.
struct any_top_elements {
  any_array values;
  array<std::size_t> indices;
};
any_top_elements top_k(const target& where, const any_const_view& x, std::size_t k,
                       sort_order order = sort_order::descending);
any_top_elements top_k(const target& where, const any_const_view& x, std::size_t k, axis along_axis,
                       sort_order order = sort_order::descending);

/// The distinct elements in sorted order, and the first of each run of equal elements: see unique.hpp. Only
/// unique_consecutive takes complex elements.
any_array unique(const target& where, const any_const_view& x);
any_array unique_consecutive(const target& where, const any_const_view& x);

/// The index of the first smallest or largest element, in C order or along one axis: see argmin.hpp.
std::size_t argmin(const target& where, const any_const_view& x);
std::size_t argmax(const target& where, const any_const_view& x);
array<std::size_t> argmin(const target& where, const any_const_view& x, axis along_axis);
array<std::size_t> argmax(const target& where, const any_const_view& x, axis along_axis);

/// For each value the first index, or the last, where inserting it keeps the order of `sorted`, which has the
/// same type: see lower_bound.hpp.
array<std::size_t> lower_bound(const target& where, const any_const_view& sorted,
                               const any_const_view& values, sort_order order = sort_order::ascending);
array<std::size_t> upper_bound(const target& where, const any_const_view& sorted,
                               const any_const_view& values, sort_order order = sort_order::ascending);

/// The elements whose flag is true, flat; or all elements, those first, and how many they are: see
/// copy_if.hpp.
struct any_partitioned {
  any_array elements;
  std::size_t chosen = 0;
};
any_array copy_if(const target& where, const any_const_view& x, const array_view<const bool>& flags);
any_partitioned partition(const target& where, const any_const_view& x, const array_view<const bool>& flags);

// ------------------------------------------------------------------------------------------------ statistics

/// The edges of even bins for elements of that type, as edges_of<T> gives them.
std::vector<double> edges_of(dtype type, const even_bins& bins);

/// How many elements lie in each bin, or the sum of their weights, in the type of the weights: see
/// histogram.hpp.
array<std::uint64_t> histogram(const target& where, const any_const_view& x, const even_bins& bins);
array<std::uint64_t> histogram(const target& where, const any_const_view& x,
                               const std::vector<double>& edges);
any_array histogram(const target& where, const any_const_view& x, const even_bins& bins,
                    const any_const_view& weights);
any_array histogram(const target& where, const any_const_view& x, const std::vector<double>& edges,
                    const any_const_view& weights);

/// The mean, the variance and the extrema of all elements, or along one axis: see statistics.hpp.
any_value mean(const target& where, const any_const_view& x);
any_array mean(const target& where, const any_const_view& x, axis along_axis);
any_value variance(const target& where, const any_const_view& x, std::size_t ddof = 0);
any_array variance(const target& where, const any_const_view& x, axis along_axis, std::size_t ddof = 0);
minmax_result<any_value> minmax(const target& where, const any_const_view& x);
minmax_result<any_array> minmax(const target& where, const any_const_view& x, axis along_axis);

/// The quantiles of fractions q as float64, and the median, of all elements or along one axis: see
/// statistics.hpp. An array that is moved in is sorted in place, without a copy.
any_array quantile(const target& where, const any_const_view& x, const std::vector<double>& q);
any_array quantile(const target& where, const any_const_view& x, const std::vector<double>& q,
                   axis along_axis);
any_array quantile(const target& where, any_array&& x, const std::vector<double>& q);
any_array quantile(const target& where, any_array&& x, const std::vector<double>& q, axis along_axis);
any_value median(const target& where, const any_const_view& x);
any_array median(const target& where, const any_const_view& x, axis along_axis);
any_value median(const target& where, any_array&& x);
any_array median(const target& where, any_array&& x, axis along_axis);

// ------------------------------------------------------------------------------------------------ numerics

/// Discrete Fourier transforms of float32, float64, complex64 and complex128: see fft.hpp.
any_array fft(const target& where, const any_const_view& x, const fft_axes& axes = {-1});
any_array ifft(const target& where, const any_const_view& x, const fft_axes& axes = {-1});
any_array rfft(const target& where, const any_const_view& x, const fft_axes& axes = {-1});
any_array irfft(const target& where, const any_const_view& x, const fft_axes& axes = {-1},
                std::size_t length = 0);
/// The same into `out`, which has the result's type and shape and does not overlap x.
void fft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes = {-1});
void ifft_into(const target& where, const any_view& out, const any_const_view& x,
               const fft_axes& axes = {-1});
void rfft_into(const target& where, const any_view& out, const any_const_view& x,
               const fft_axes& axes = {-1});
void irfft_into(const target& where, const any_view& out, const any_const_view& x,
                const fft_axes& axes = {-1}, std::size_t length = 0);
/// The shapes of the results of fft and ifft, of rfft, and of irfft, for an array of shape `lengths`. Throws
/// heddle::error as the transforms do.
shape fft_shape(const shape& lengths, const fft_axes& axes = {-1});
shape rfft_shape(const shape& lengths, const fft_axes& axes = {-1});
shape irfft_shape(const shape& lengths, const fft_axes& axes = {-1}, std::size_t length = 0);

/// The product of matrices of one type, float32, float64, complex64 or complex128: see linear_algebra.hpp.
any_array matmul(const target& where, const any_const_view& a, const any_const_view& b,
                 matmul_algorithm algorithm = matmul_algorithm::blas);
/// The same into `c`, which has the product's type and shape and does not overlap a or b.
void matmul_into(const target& where, const any_view& c, const any_const_view& a, const any_const_view& b,
                 matmul_algorithm algorithm = matmul_algorithm::blas);
/// The shape of the product of arrays of these shapes; throws heddle::error naming both where they do not
/// match.
shape matmul_shape(const shape& a, const shape& b);
/// The target that matmul picks for `auto`, for arrays on the CPU of these shapes and this type; another
/// target is returned unchanged.
target matmul_target(const target& where, const shape& a, const shape& b, dtype type);

}  // namespace heddle
