#pragma once

#include <heddle/any_patterns.hpp>
#include <heddle/argmin.hpp>
#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/histogram.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/distributed/elements.hpp>
#include <heddle/impl/patterns/histogram/ranks.hpp>
#include <heddle/impl/patterns/linear_algebra/ranks.hpp>
#include <heddle/impl/patterns/quantile/ranks.hpp>
#include <heddle/impl/patterns/ranks_along.hpp>
#include <heddle/impl/patterns/scan/ranks.hpp>
#include <heddle/impl/patterns/sort/ranks.hpp>
#include <heddle/impl/patterns/stencil/ranks.hpp>
#include <heddle/impl/patterns/top_k/ranks.hpp>
#include <heddle/io/distributed_npy.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/neighbours.hpp>
#include <heddle/operators.hpp>
#include <heddle/random.hpp>
#include <heddle/ranks.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/sort.hpp>
#include <heddle/statistics.hpp>
#include <heddle/top_k.hpp>
#include <heddle/transform.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Patterns on distributed arrays. They have the names, the meaning and the bits of those on one machine, for
/// every number of ranks. Every rank calls them and gets the value.
namespace heddle {

inline namespace HD_BUILD {

/// Combines all elements, as `reduce` of one array: see reduce.hpp. Each rank reads its block once; ranks
/// exchange less than two tiles of elements each for every level of tiles (docs/reference/reduce.md).
///
///     double total = hd::reduce(all, x);
template <element T, class Op = plus>
T reduce(const ranks& all, const distributed_array<T>& x, const Op& op = {}) {
  impl::check_ranks("reduce", all, x.all());
  if (x.size() == 0) return reduce(target(), array<T>(0), op);
  if (all.size() == 1) return reduce(all.where(), x.local(), op);
  return impl::reduce_over_ranks<T>(all, x.local().reshaped({x.local().size()}),
                                    x.first_row() * impl::row_elements(x.shape()), x.size(), op);
}
/// op(init, the elements of x combined); init alone when there are none.
template <element T, class Op>
T reduce(const ranks& all, const distributed_array<T>& x, const Op& op,
         const std::type_identity_t<impl::given<T>>& init) {
  array<T> total(x.size() == 0 ? 0 : 1);
  if (x.size() > 0) total.data()[0] = reduce(all, x, op);
  return reduce(target(), total, op, init);
}

/// Combines along one axis. The result has the other axes and the rows of x on each rank; along the slowest
/// axis it has even blocks. There each element is sent to another rank once, or, with fewer columns than
/// ranks, all ranks reduce one column after another, as `reduce` of all elements does.
template <element T, class Op = plus>
distributed_array<T> reduce(const ranks& all, const distributed_array<T>& x, axis along, const Op& op = {}) {
  impl::check_ranks("reduce", all, x.all());
  return impl::reduce_along_over_ranks(all, x, along, op);
}

/// Running combinations, as inclusive_scan of one array: see scan.hpp. The result has the blocks of x. Each
/// rank reads its block twice and writes it once. A block that does not begin at a multiple of 32 vectors of
/// elements (docs/reference/scan.md) sends some of its elements to a neighbour and back.
///
///     hd::distributed_array<float> running_total = hd::inclusive_scan(all, x);
template <element T, class Op = plus>
distributed_array<T> inclusive_scan(const ranks& all, const distributed_array<T>& x, const Op& op = {},
                                    initial_value<array<T>> init = {}) {
  return impl::scan_new_over_ranks<impl::scan_kind::inclusive, T>("inclusive_scan", all, x, op, init);
}
template <element T, class Op = plus>
distributed_array<T> exclusive_scan(const ranks& all, const distributed_array<T>& x, const Op& op = {},
                                    initial_value<array<T>> init = {}) {
  return impl::scan_new_over_ranks<impl::scan_kind::exclusive, T>("exclusive_scan", all, x, op, init);
}

/// The same of every row or column along one axis. Along the slowest axis each element is sent to another
/// rank and back once, or, with fewer columns than ranks, all ranks scan one column after another.
template <element T, class Op = plus>
distributed_array<T> inclusive_scan(const ranks& all, const distributed_array<T>& x, axis along,
                                    const Op& op = {}, initial_value<array<T>> init = {}) {
  return impl::scan_new_over_ranks<impl::scan_kind::inclusive, T>("inclusive_scan", all, x, op, init, &along);
}
template <element T, class Op = plus>
distributed_array<T> exclusive_scan(const ranks& all, const distributed_array<T>& x, axis along,
                                    const Op& op = {}, initial_value<array<T>> init = {}) {
  return impl::scan_new_over_ranks<impl::scan_kind::exclusive, T>("exclusive_scan", all, x, op, init, &along);
}

/// The same into `out`, which has the shape and the blocks of x and may be x itself.
template <element T, class Op = plus>
void inclusive_scan_into(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x,
                         const Op& op = {}, initial_value<array<T>> init = {}) {
  impl::scan_existing_over_ranks<impl::scan_kind::inclusive, T>("inclusive_scan_into", all, out, x, op, init);
}
template <element T, class Op = plus>
void inclusive_scan_into(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x,
                         axis along, const Op& op = {}, initial_value<array<T>> init = {}) {
  impl::scan_existing_over_ranks<impl::scan_kind::inclusive, T>("inclusive_scan_into", all, out, x, op, init,
                                                                &along);
}
template <element T, class Op = plus>
void exclusive_scan_into(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x,
                         const Op& op = {}, initial_value<array<T>> init = {}) {
  impl::scan_existing_over_ranks<impl::scan_kind::exclusive, T>("exclusive_scan_into", all, out, x, op, init);
}
template <element T, class Op = plus>
void exclusive_scan_into(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x,
                         axis along, const Op& op = {}, initial_value<array<T>> init = {}) {
  impl::scan_existing_over_ranks<impl::scan_kind::exclusive, T>("exclusive_scan_into", all, out, x, op, init,
                                                                &along);
}

/// As adjacent_difference(where, x, along, op) of one array, where `along` and `op` need not be given: see
/// scan.hpp. Ranks send their last element, or along the slowest axis their last row, to the next one.
template <element T, class... AlongAndOp>
distributed_array<T> adjacent_difference(const ranks& all, const distributed_array<T>& x,
                                         const AlongAndOp&... how) {
  return impl::difference_new_over_ranks(all, x, how...);
}
/// The same into `out`, which has the shape and the blocks of x and may be x itself.
template <element T, class... AlongAndOp>
void adjacent_difference_into(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x,
                              const AlongAndOp&... how) {
  impl::difference_into_over_ranks(all, out, x, how...);
}

/// The index of the smallest element, as argmin of one array. Throws heddle::error if x has no elements.
template <impl::ordered_element T>
std::size_t argmin(const ranks& all, const distributed_array<T>& x) {
  impl::check_ranks("argmin", all, x.all());
  return impl::arg_over_ranks("argmin", all, runtime_op::minimum, dtype_of<T>, impl::to_read(all, x));
}
template <impl::ordered_element T>
std::size_t argmax(const ranks& all, const distributed_array<T>& x) {
  impl::check_ranks("argmax", all, x.all());
  return impl::arg_over_ranks("argmax", all, runtime_op::maximum, dtype_of<T>, impl::to_read(all, x));
}

/// The index along one axis of the smallest element of every row or column, as argmin of one array. The
/// result has the blocks of `reduce` along the axis, and ranks send as much.
///
///     hd::distributed_array<std::size_t> least = hd::argmin(all, table, hd::axis{1});
template <impl::ordered_element T>
distributed_array<std::size_t> argmin(const ranks& all, const distributed_array<T>& x, axis along) {
  impl::check_ranks("argmin", all, x.all());
  return impl::arg_along_over_ranks("argmin", all, runtime_op::minimum, dtype_of<T>, impl::to_read(all, x),
                                    along);
}
template <impl::ordered_element T>
distributed_array<std::size_t> argmax(const ranks& all, const distributed_array<T>& x, axis along) {
  impl::check_ranks("argmax", all, x.all());
  return impl::arg_along_over_ranks("argmax", all, runtime_op::maximum, dtype_of<T>, impl::to_read(all, x),
                                    along);
}

/// f(x[i], y[i], …) of any number of arrays of one shape and the same blocks, and of scalars: see
/// transform.hpp. `transform(all, x, y, …, f)` needs no communication.
///
///     hd::distributed_array<float> sums = hd::transform(all, x, y, hd::plus{});
///     hd::distributed_array<float> halves = hd::transform(all, x, 0.5f, hd::multiplies{});
template <class... Arguments>
  requires(impl::is_distributed<Arguments> || ...)
auto transform(const ranks& all, const Arguments&... arguments) {
  const auto& x = impl::first_distributed("transform", all, arguments...);
  auto own = transform(all.where(), impl::local_of(arguments)...);
  return distributed_array(all, x.shape(), x.begins(), std::move(own));
}
/// The same into `out`, which has the shape and the blocks of the arrays and may be one of them.
template <element T, class... Arguments>
void transform_into(const ranks& all, distributed_array<T>& out, const Arguments&... arguments) {
  impl::first_distributed("transform_into", all, out, arguments...);
  transform_into(all.where(), out.local(), impl::local_of(arguments)...);
}

/// Combines f(x[i], y[i], …) over all i, as transform_reduce of one array: `transform_reduce(all, x, y, …, f,
/// op)`, or with an initial value after `op`. The results of f are stored.
///
///     double dot = hd::transform_reduce(all, x, y, hd::multiplies{}, hd::plus{});
template <class... Arguments>
  requires(sizeof...(Arguments) >= 3 && (impl::is_distributed<Arguments> || ...))
auto transform_reduce(const ranks& all, const Arguments&... arguments) {
  const auto given = std::forward_as_tuple(arguments...);
  constexpr std::size_t last = sizeof...(Arguments) - 1;
  constexpr bool has_init = has_dtype<std::remove_cvref_t<decltype(std::get<last>(given))>>;
  constexpr std::size_t inputs = has_init ? last - 1 : last;
  const auto mapped = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return transform(all, std::get<I>(given)...);
  }(std::make_index_sequence<inputs>());
  if constexpr (has_init) {
    return reduce(all, mapped, std::get<inputs>(given), std::get<last>(given));
  } else {
    return reduce(all, mapped, std::get<inputs>(given));
  }
}

/// Calls f once for every element, on the rank that owns it, in no particular order: f(element, row) for an
/// array of one axis, f(element, row, column) of two, f(element, plane, row, column) of three. The indices
/// are those of the whole array. See for_each_index.hpp.
///
///     hd::for_each_index(all, x, [] HD_FN(float& e, std::size_t i, std::size_t j) { e = i == j; });
template <element T, class F>
void for_each_index(const ranks& all, distributed_array<T>& x, const F& f) {
  impl::check_ranks("for_each_index", all, x.all());
  impl::for_each_index_of_block(all.where(), x.local(), x.first_row(), f);
}

/// Sets every cell of `out` to f of the cell of `in` at the same index and of its neighbours, `steps` times:
/// as `stencil` of one array, with the same bits. `in` and `out` have the same shape and blocks, and may be
/// the same array. Ranks exchange halo rows, for up to 8 generations at once. Scratch memory for two arrays.
///
///     hd::stencil(all, u, v, hd::periodic{}, [] HD_FN(auto u) {
///       return 0.25f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
///     }, 100);
template <int Reach = 1, element T, class F>
void stencil(const ranks& all, const distributed_array<T>& in, distributed_array<T>& out,
             const std::type_identity_t<boundary<T>>& around, const F& f, std::size_t steps = 1) {
  impl::check_ranks("stencil", all, in.all());
  impl::check_same_blocks("stencil", in, out);
  impl::stencil_over_ranks<Reach>(all, in, out, around, f, steps);
}

/// The product of matrices of which one or both are distributed, as matmul of one array: sums by `naive` and
/// `tiled` have the bits of one machine. An array of one axis is a row or a column; one of more than two axes
/// is distributed by batches. The product has the blocks of `a`, or even blocks if every rank has all of `a`.
///
/// If every rank has all of `b`, ranks do not communicate. If both are distributed, every rank receives all
/// of `b` once while it computes, and holds up to three blocks of it. If every rank has all of `a`, each
/// element of `b` and of the product is sent once; a `b` with fewer columns than ranks is gathered.
///
///     hd::distributed_array<float> y = hd::matmul(all, a, x);
template <element T, array_like B>
distributed_array<T> matmul(const ranks& all, const distributed_array<T>& a, const B& b,
                            matmul_algorithm algorithm = matmul_algorithm::blas) {
  static_assert(std::is_same_v<T, element_of<B>>, "matmul: both operands have one element type");
  impl::check_ranks("matmul", all, a.all());
  return impl::matmul_by_whole(all, a, impl::view_of_whole<T>(b), algorithm);
}
template <array_like A, element T>
distributed_array<T> matmul(const ranks& all, const A& a, const distributed_array<T>& b,
                            matmul_algorithm algorithm = matmul_algorithm::blas) {
  static_assert(std::is_same_v<T, element_of<A>>, "matmul: both operands have one element type");
  impl::check_ranks("matmul", all, b.all());
  return impl::matmul_of_whole(all, impl::view_of_whole<T>(a), b, algorithm);
}
template <element T>
distributed_array<T> matmul(const ranks& all, const distributed_array<T>& a, const distributed_array<T>& b,
                            matmul_algorithm algorithm = matmul_algorithm::blas) {
  impl::check_ranks("matmul", all, a.all());
  impl::check_ranks("matmul", all, b.all());
  return impl::matmul_of_spread(all, a, b, algorithm);
}

/// All elements in order, as `sort` of one array: by a sort_order, or by a function that says whether the
/// first of two elements comes before the second. Equal elements keep their order. The result is flat, in
/// even blocks. Each element is sent to another rank at most once.
///
///     hd::distributed_array<float> sorted = hd::sort(all, x);
template <element T, class Order = sort_order>
  requires impl::orders<Order, T>
distributed_array<T> sort(const ranks& all, const distributed_array<T>& x, const Order& order = {}) {
  impl::check_ranks("sort", all, x.all());
  return impl::sort_over_ranks(all, x, order);
}

/// Sorts every row or column along one axis, as `sort` of one array along an axis; the result has the blocks
/// of x. Along the slowest axis each element is sent to another rank and back once, or, with fewer columns
/// than ranks, all ranks sort one column after another.
///
///     hd::distributed_array<float> rows_in_order = hd::sort(all, table, hd::axis{1});
template <element T, class Order = sort_order>
  requires impl::orders<Order, T>
distributed_array<T> sort(const ranks& all, const distributed_array<T>& x, axis along,
                          const Order& order = {}) {
  impl::check_ranks("sort", all, x.all());
  return impl::sort_along_over_ranks(all, x, along, order);
}

/// The indices in C order that sort x, as argsort of one array: flat, in even blocks.
template <element T, class Order = sort_order>
  requires impl::orders<Order, T>
distributed_array<std::size_t> argsort(const ranks& all, const distributed_array<T>& x,
                                       const Order& order = {}) {
  impl::check_ranks("argsort", all, x.all());
  return impl::argsort_over_ranks(all, x, order);
}

/// The same of every row or column along one axis; indices count along it. The result has the blocks of x.
template <element T, class Order = sort_order>
  requires impl::orders<Order, T>
distributed_array<std::size_t> argsort(const ranks& all, const distributed_array<T>& x, axis along,
                                       const Order& order = {}) {
  impl::check_ranks("argsort", all, x.all());
  return impl::argsort_along_over_ranks(all, x, along, order);
}

/// Keys and their values in the stable order of the keys, as sort_by_key of one array: both flat, in the same
/// even blocks. The arrays have the same shape and blocks.
template <element K, element V, class Order = sort_order>
  requires impl::orders<Order, K>
std::pair<distributed_array<K>, distributed_array<V>> sort_by_key(const ranks& all,
                                                                  const distributed_array<K>& keys,
                                                                  const distributed_array<V>& values,
                                                                  const Order& order = {}) {
  impl::check_ranks("sort_by_key", all, keys.all());
  impl::check_same_blocks("sort_by_key", keys, values);
  return impl::sort_by_key_over_ranks<K, V>("sort_by_key", all, keys.local().reshaped({keys.local().size()}),
                                            values.local().reshaped({values.local().size()}), keys.size(),
                                            order);
}

/// The k largest elements or, ascending, the k smallest, and their indices in C order, as top_k of one array:
/// on every rank, on the CPU. Each rank sends at most k elements of its block to all others, with their
/// indices. Throws heddle::error for fewer than k elements.
///
///     const auto [values, indices] = hd::top_k(all, x, 10);
template <impl::ordered_element T>
top_elements<T> top_k(const ranks& all, const distributed_array<T>& x, std::size_t k,
                      sort_order order = sort_order::descending) {
  impl::check_ranks("top_k", all, x.all());
  any_top_elements top = impl::top_over_ranks(all, dtype_of<T>, impl::to_read(all, x), k, order);
  return {std::move(top.values).template as<T>(), std::move(top.indices)};
}

/// The first elements of each row or column, and their indices along the axis.
template <class T>
struct distributed_top_elements {
  distributed_array<T> values;
  distributed_array<std::size_t> indices;
};

/// top_k of every row or column along one axis, as top_k of one array. The result has k elements along the
/// axis and the blocks of x. Along the slowest axis it has even blocks; there each element of x is sent to
/// another rank once, or, with fewer columns than ranks, all ranks search one column after another.
///
///     const auto best_of_rows = hd::top_k(all, table, 3, hd::axis{1});
template <impl::ordered_element T>
distributed_top_elements<T> top_k(const ranks& all, const distributed_array<T>& x, std::size_t k, axis along,
                                  sort_order order = sort_order::descending) {
  impl::check_ranks("top_k", all, x.all());
  const std::size_t a = x.shape().resolve_axis(along.index);
  const impl::top_blocks blocks = impl::blocks_of_top(all, dtype_of<T>, x.shape(), x.begins(), a, k);
  distributed_top_elements<T> top{{all, blocks.lengths, blocks.begins}, {all, blocks.lengths, blocks.begins}};
  impl::top_along_over_ranks(all, dtype_of<T>, impl::to_read(all, x), a, order,
                             impl::to_fill(all, top.values), impl::to_fill(all, top.indices));
  return top;
}

/// The quantiles of several fractions of all elements, as quantile of one array: on every rank, on the CPU.
/// Sorts the elements over ranks as `sort` does.
///
///     const auto quartiles = hd::quantile(all, x, {0.25, 0.5, 0.75});
template <impl::ordered_element T>
array<double> quantile(const ranks& all, const distributed_array<T>& x, const std::vector<double>& q) {
  const std::size_t size = impl::checked_length("quantile", all, x);
  return impl::sorted_values_over_ranks(all, x, impl::sorted_line_values::quantiles(size, q));
}
template <impl::ordered_element T>
double quantile(const ranks& all, const distributed_array<T>& x, double q) {
  return quantile(all, x, std::vector<double>{q}).front();
}

/// The same along one axis: an array for each fraction, with the other axes. Each has the blocks of `reduce`
/// along the axis, and ranks send as much.
template <impl::ordered_element T>
std::vector<distributed_array<double>> quantile(const ranks& all, const distributed_array<T>& x,
                                                const std::vector<double>& q, axis along) {
  const std::size_t length = impl::checked_length("quantile", all, x, &along);
  return impl::sorted_values_along_over_ranks("quantile", all, x, along,
                                              impl::sorted_line_values::quantiles(length, q));
}

/// The median of all elements or along one axis, as median of one array.
template <impl::ordered_element T>
typename impl::statistics_of<T>::mean median(const ranks& all, const distributed_array<T>& x) {
  const std::size_t size = impl::checked_length("median", all, x);
  return static_cast<typename impl::statistics_of<T>::mean>(
      impl::sorted_values_over_ranks(all, x, impl::sorted_line_values::median(size)).front());
}
template <impl::ordered_element T>
distributed_array<typename impl::statistics_of<T>::mean> median(const ranks& all,
                                                                const distributed_array<T>& x, axis along) {
  const std::size_t length = impl::checked_length("median", all, x, &along);
  auto medians =
      impl::sorted_values_along_over_ranks("median", all, x, along, impl::sorted_line_values::median(length));
  return impl::median_from<typename impl::statistics_of<T>::mean>(std::move(medians.front()));
}

/// The distinct elements in ascending order, as `unique` of one array. Each rank keeps those that it finds,
/// so blocks are uneven.
template <impl::ordered_element T>
distributed_array<T> unique(const ranks& all, const distributed_array<T>& x) {
  const distributed_array<T> sorted = sort(all, x);
  return {all, impl::first_of_equal(all, sorted.local())};
}

/// The elements for which f is true, in their order, as copy_if of one array. They stay on their ranks.
template <element T, class F>
distributed_array<T> copy_if(const ranks& all, const distributed_array<T>& x, const F& f) {
  impl::check_ranks("copy_if", all, x.all());
  return {all, copy_if(all.where(), x.local(), f)};
}

/// How many elements lie in each bin, as histogram of one array: on every rank, on the CPU. A rank sends and
/// receives each bin twice, for any number of ranks.
///
///     hd::array<std::uint64_t> counts = hd::histogram(all, x, hd::even_bins{100, 0.0, 1.0});
template <element T, class Bins>
array<std::uint64_t> histogram(const ranks& all, const distributed_array<T>& x, const Bins& bins) {
  impl::check_ranks("histogram", all, x.all());
  return impl::summed_counts(all, histogram(all.where(), x.local(), bins).on({}));
}

/// The sum of the weights of the elements in each bin, as histogram of one array with weights, with the same
/// bits: on every rank, on the CPU. `bins` are even_bins or edges. The weights have the shape and the blocks
/// of x. Each weight is sent to another rank at most once, with the number of its bin. Ranks hold equally
/// many, however full a bin is.
///
///     hd::array<double> energies = hd::histogram(all, radii, hd::even_bins{100, 0.0, 1.0}, energy);
template <element T, class Bins, element W>
  requires has_dtype<W>
array<W> histogram(const ranks& all, const distributed_array<T>& x, const Bins& bins,
                   const distributed_array<W>& weights) {
  impl::check_ranks("histogram", all, x.all());
  impl::check_same_blocks("histogram", x, weights);
  return impl::weighted_histogram_over_ranks(all, dtype_of<T>, x.local().data(), impl::edges_for<T>(bins),
                                             weights);
}

}  // namespace HD_BUILD

/// Random numbers over ranks: element i is that of an array on one machine, and each rank makes its own.
///
///     hd::distributed_array<float> noise = hd::random::normal<float>(all, {height, width}, {.seed = 7});
namespace random {

template <heddle::impl::real_number T = float>
distributed_array<T> uniform(const ranks& all, const shape& lengths, stream from,
                             std::type_identity_t<T> low = 0, std::type_identity_t<T> high = 1) {
  return heddle::impl::random_over_ranks<T>(all, lengths, from, [&](const shape& block, stream of_block) {
    return uniform<T>(all.where(), block, of_block, low, high);
  });
}
template <heddle::impl::real_number T = float>
distributed_array<T> normal(const ranks& all, const shape& lengths, stream from,
                            std::type_identity_t<T> mean = 0, std::type_identity_t<T> deviation = 1) {
  return heddle::impl::random_over_ranks<T>(all, lengths, from, [&](const shape& block, stream of_block) {
    return normal<T>(all.where(), block, of_block, mean, deviation);
  });
}
template <heddle::impl::real_number T = float>
distributed_array<T> exponential(const ranks& all, const shape& lengths, stream from,
                                 std::type_identity_t<T> mean = 1) {
  return heddle::impl::random_over_ranks<T>(all, lengths, from, [&](const shape& block, stream of_block) {
    return exponential<T>(all.where(), block, of_block, mean);
  });
}
template <std::integral T = std::int64_t>
distributed_array<T> integers(const ranks& all, const shape& lengths, stream from,
                              std::type_identity_t<T> low, std::type_identity_t<T> high) {
  return heddle::impl::random_over_ranks<T>(all, lengths, from, [&](const shape& block, stream of_block) {
    return integers<T>(all.where(), block, of_block, low, high);
  });
}
template <class T = std::uint32_t>
  requires(std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>)
distributed_array<T> bits(const ranks& all, const shape& lengths, stream from) {
  return heddle::impl::random_over_ranks<T>(all, lengths, from, [&](const shape& block, stream of_block) {
    return bits<T>(all.where(), block, of_block);
  });
}
/// A uniformly random permutation of 0 … n − 1: the same as on one machine.
inline distributed_array<std::size_t> permutation(const ranks& all, std::size_t n, stream from) {
  return argsort(all, heddle::impl::random_over_ranks<std::uint64_t>(
                          all, shape{n}, from, [&](const shape& block, stream of_block) {
                            return heddle::impl::random_array<std::uint64_t>(
                                all.where(), block, {distribution::permutation, dtype::uint64, of_block});
                          }));
}

}  // namespace random

}  // namespace heddle
