#pragma once

#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/ranks.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort_order.hpp>
#include <heddle/target.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Arrays over ranks whose element type is known at run time, and the patterns on them: what
/// distributed_array and distributed.hpp are for static types, with the same meaning and the same bits.
namespace heddle {

/// As distributed_array, of a type known at run time.
///
///     hd::any_distributed_array x = hd::read_npy(all, "samples.npy");
///     hd::any_value total = hd::reduce(all, x);
class any_distributed_array {
 public:
  /// Uninitialised, in even blocks or in blocks that begin at `begins`: see distributed_array.
  any_distributed_array(const ranks& all, heddle::dtype type, const heddle::shape& lengths);
  any_distributed_array(const ranks& all, heddle::dtype type, const heddle::shape& lengths,
                        const std::vector<std::size_t>& begins);
  /// Of existing blocks, with the `begins` that every rank knows, or without: then ranks exchange them.
  any_distributed_array(const ranks& all, const heddle::shape& lengths,
                        const std::vector<std::size_t>& begins, any_array local);
  any_distributed_array(const ranks& all, any_array local);
  template <class T>
    requires has_dtype<T>
  any_distributed_array(distributed_array<T>&& x) : typed_(std::move(x)) {}

  heddle::dtype dtype() const noexcept { return static_cast<heddle::dtype>(typed_.index()); }
  const ranks& all() const;
  /// Of the whole array.
  const heddle::shape& shape() const;
  std::size_t size() const { return shape().elements(); }
  /// The first row of each rank's block, then the number of rows.
  const std::vector<std::size_t>& begins() const;
  std::size_t first_row() const;
  std::size_t rows() const;

  /// The block of this rank.
  any_view local() &;
  any_const_view local() const&;
  void local() && = delete;

  /// The whole array, on every rank.
  any_array gather(const target& where = {}) const;
  /// The same elements in other blocks.
  any_distributed_array redistributed(const std::vector<std::size_t>& begins) const;

  /// With the static type; throws heddle::error naming both types when T is another one.
  template <class T>
    requires has_dtype<T>
  const distributed_array<T>& as() const {
    if (dtype_of<T> != dtype()) impl::fail_dtype(dtype(), dtype_of<T>);
    return std::get<distributed_array<T>>(typed_);
  }

  /// Calls f with the distributed_array of the static type. f is compiled 13 times.
  template <class F>
  decltype(auto) visit(const F& f) const {
    return std::visit(f, typed_);
  }
  template <class F>
  decltype(auto) visit(const F& f) {
    return std::visit(f, typed_);
  }

 private:
  template <class... T>
  using one_of = std::variant<distributed_array<T>...>;
  // In the order of dtype.
  one_of<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
         std::uint32_t, std::uint64_t, float, double, std::complex<float>, std::complex<double>>
      typed_;
};

/// The elements combined, flat or along one axis: see distributed.hpp and any_patterns.hpp.
any_value reduce(const ranks& all, const any_distributed_array& x, runtime_op op = runtime_op::plus,
                 const std::optional<any_value>& init = {});
any_distributed_array reduce(const ranks& all, const any_distributed_array& x, axis along,
                             runtime_op op = runtime_op::plus);

any_distributed_array inclusive_scan(const ranks& all, const any_distributed_array& x,
                                     runtime_op op = runtime_op::plus,
                                     const std::optional<any_value>& init = {});
any_distributed_array exclusive_scan(const ranks& all, const any_distributed_array& x,
                                     runtime_op op = runtime_op::plus,
                                     const std::optional<any_value>& init = {});
any_distributed_array inclusive_scan(const ranks& all, const any_distributed_array& x, axis along,
                                     runtime_op op = runtime_op::plus,
                                     const std::optional<any_value>& init = {});
any_distributed_array exclusive_scan(const ranks& all, const any_distributed_array& x, axis along,
                                     runtime_op op = runtime_op::plus,
                                     const std::optional<any_value>& init = {});

any_distributed_array adjacent_difference(const ranks& all, const any_distributed_array& x);
any_distributed_array adjacent_difference(const ranks& all, const any_distributed_array& x, axis along);

/// All types but the complex ones have an order.
std::size_t argmin(const ranks& all, const any_distributed_array& x);
std::size_t argmax(const ranks& all, const any_distributed_array& x);
distributed_array<std::size_t> argmin(const ranks& all, const any_distributed_array& x, axis along);
distributed_array<std::size_t> argmax(const ranks& all, const any_distributed_array& x, axis along);
any_distributed_array sort(const ranks& all, const any_distributed_array& x,
                           sort_order order = sort_order::ascending);
any_distributed_array sort(const ranks& all, const any_distributed_array& x, axis along,
                           sort_order order = sort_order::ascending);
distributed_array<std::size_t> argsort(const ranks& all, const any_distributed_array& x,
                                       sort_order order = sort_order::ascending);
distributed_array<std::size_t> argsort(const ranks& all, const any_distributed_array& x, axis along,
                                       sort_order order = sort_order::ascending);
/// The first k elements and their indices, on every rank; or of each line along an axis, distributed: see
/// distributed.hpp.
struct any_distributed_top_elements {
  any_distributed_array values;
  distributed_array<std::size_t> indices;
};
any_top_elements top_k(const ranks& all, const any_distributed_array& x, std::size_t k,
                       sort_order order = sort_order::descending);
any_distributed_top_elements top_k(const ranks& all, const any_distributed_array& x, std::size_t k,
                                   axis along, sort_order order = sort_order::descending);
/// Means and variances of all elements, on every rank, or along an axis: see statistics.hpp. They have the
/// bits of one array. Ranks send as much as two calls of `reduce` of float64 or complex128, and along the
/// slowest axis the means to every rank.
any_value mean(const ranks& all, const any_distributed_array& x);
any_distributed_array mean(const ranks& all, const any_distributed_array& x, axis along);
any_value variance(const ranks& all, const any_distributed_array& x, std::size_t ddof = 0);
any_distributed_array variance(const ranks& all, const any_distributed_array& x, axis along,
                               std::size_t ddof = 0);
/// Quantiles and medians of all elements, on every rank, or along an axis: see distributed.hpp.
array<double> quantile(const ranks& all, const any_distributed_array& x, const std::vector<double>& q);
std::vector<distributed_array<double>> quantile(const ranks& all, const any_distributed_array& x,
                                                const std::vector<double>& q, axis along);
any_value median(const ranks& all, const any_distributed_array& x);
any_distributed_array median(const ranks& all, const any_distributed_array& x, axis along);
any_distributed_array unique(const ranks& all, const any_distributed_array& x);

array<std::uint64_t> histogram(const ranks& all, const any_distributed_array& x, const even_bins& bins);
array<std::uint64_t> histogram(const ranks& all, const any_distributed_array& x,
                               const std::vector<double>& edges);
/// Sums of weights, of any type: see distributed.hpp.
any_array histogram(const ranks& all, const any_distributed_array& x, const even_bins& bins,
                    const any_distributed_array& weights);
any_array histogram(const ranks& all, const any_distributed_array& x, const std::vector<double>& edges,
                    const any_distributed_array& weights);

/// op(x[i], y[i]) of arrays of one type, shape and blocks, or with a scalar: see any_patterns.hpp.
any_distributed_array transform(const ranks& all, const any_distributed_array& x,
                                const any_distributed_array& y, runtime_op op);
any_distributed_array transform(const ranks& all, const any_distributed_array& x, const any_value& y,
                                runtime_op op);
any_distributed_array transform(const ranks& all, const any_value& x, const any_distributed_array& y,
                                runtime_op op);

/// The product of matrices of one type, float32, float64 or complex, of which one or both are distributed:
/// see distributed.hpp.
any_distributed_array matmul(const ranks& all, const any_distributed_array& a, const any_const_view& b,
                             matmul_algorithm algorithm = matmul_algorithm::blas);
any_distributed_array matmul(const ranks& all, const any_const_view& a, const any_distributed_array& b,
                             matmul_algorithm algorithm = matmul_algorithm::blas);
any_distributed_array matmul(const ranks& all, const any_distributed_array& a, const any_distributed_array& b,
                             matmul_algorithm algorithm = matmul_algorithm::blas);

/// Arrays of one type and of equal rows, one after another along the slowest axis, as numpy.concatenate: in
/// even blocks. Each element is sent to another rank at most once.
any_distributed_array concatenate(const ranks& all, const std::vector<any_distributed_array>& parts);

/// Converted to another type as NumPy's astype does; the blocks stay where they are.
any_distributed_array converted(const any_distributed_array& x, dtype type);

/// The array in a .npy file with the type that the file has: each rank reads its own rows.
any_distributed_array read_npy(const ranks& all, const std::string& path);
void write_npy(const std::string& path, const any_distributed_array& x);
/// The same with another shape, of as many elements in C order.
void write_npy(const std::string& path, const any_distributed_array& x, const heddle::shape& lengths);

}  // namespace heddle
