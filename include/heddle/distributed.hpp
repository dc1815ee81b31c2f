#pragma once

#include <heddle/argmin.hpp>
#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/histogram.hpp>
#include <heddle/impl/distributed.hpp>
#include <heddle/impl/distributed_scan.hpp>
#include <heddle/impl/distributed_sort.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/operators.hpp>
#include <heddle/ranks.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/sort.hpp>
#include <heddle/transform.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

/// Patterns on arrays that are spread over ranks. They have the names, the meaning and the bits of those on
/// one machine, for every number of ranks. Every rank calls them, and gets the value.
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

/// Combines along one axis; the result has the other axes, and as many rows on each rank as x has, or, along
/// the slowest axis, even blocks. Then every element moves to another rank once, but where there are fewer
/// columns than ranks: all ranks reduce one after another, as `reduce` of all elements.
template <element T, class Op = plus>
distributed_array<T> reduce(const ranks& all, const distributed_array<T>& x, axis along, const Op& op = {}) {
  impl::check_ranks("reduce", all, x.all());
  return impl::reduce_along_over_ranks(all, x, along, op);
}

/// Running combinations, as inclusive_scan of one array: see scan.hpp. The result has the blocks of x. Each
/// rank reads its block twice and writes it once: no rank knows what comes before its block until the others
/// have read theirs. Blocks that do not begin at a multiple of 32 vectors of elements
/// (docs/reference/scan.md) move some of their elements to a neighbour and back.
///
///     hd::distributed_array<float> running_total = hd::inclusive_scan(all, x);
template <element T, class Op = plus>
distributed_array<T> inclusive_scan(const ranks& all, const distributed_array<T>& x, const Op& op = {},
                                    const std::type_identity_t<impl::initial_element<T>>& init = {}) {
  impl::check_ranks("inclusive_scan", all, x.all());
  return impl::scan_flat<impl::scan_kind::inclusive, T>(all, x, op, init);
}
template <element T, class Op = plus>
distributed_array<T> exclusive_scan(const ranks& all, const distributed_array<T>& x, const Op& op = {},
                                    const std::type_identity_t<impl::initial_element<T>>& init = {}) {
  impl::check_ranks("exclusive_scan", all, x.all());
  return impl::scan_flat<impl::scan_kind::exclusive, T>(all, x, op, init);
}

/// The same of every row or column along one axis by itself. Along the slowest axis every element moves to
/// another rank and back once, but where there are fewer columns than ranks: all ranks scan one after
/// another.
template <element T, class Op = plus>
distributed_array<T> inclusive_scan(const ranks& all, const distributed_array<T>& x, axis along,
                                    const Op& op = {},
                                    const std::type_identity_t<impl::initial_element<T>>& init = {}) {
  impl::check_ranks("inclusive_scan", all, x.all());
  return impl::scan_along<impl::scan_kind::inclusive, T>(all, x, along, op, init);
}
template <element T, class Op = plus>
distributed_array<T> exclusive_scan(const ranks& all, const distributed_array<T>& x, axis along,
                                    const Op& op = {},
                                    const std::type_identity_t<impl::initial_element<T>>& init = {}) {
  impl::check_ranks("exclusive_scan", all, x.all());
  return impl::scan_along<impl::scan_kind::exclusive, T>(all, x, along, op, init);
}

/// The index of the smallest element, as argmin of one array. Throws heddle::error when there are no
/// elements.
template <element T>
std::size_t argmin(const ranks& all, const distributed_array<T>& x) {
  impl::check_ranks("argmin", all, x.all());
  return impl::arg_over_ranks(all, x, [](const auto& where, const auto& y) { return argmin(where, y); });
}
template <element T>
std::size_t argmax(const ranks& all, const distributed_array<T>& x) {
  impl::check_ranks("argmax", all, x.all());
  return impl::arg_over_ranks(all, x, [](const auto& where, const auto& y) { return argmax(where, y); });
}

/// f of the elements of arrays that have the same shape and blocks, one by one: see transform.hpp.
///
///     hd::distributed_array<float> sums = hd::transform(all, x, y, hd::plus{});
template <element T, class F>
auto transform(const ranks& all, const distributed_array<T>& x, const F& f) {
  impl::check_ranks("transform", all, x.all());
  auto own = transform(all.where(), x.local(), f);
  return distributed_array(all, x.shape(), x.begins(), std::move(own));
}
template <element T, element U, class F>
auto transform(const ranks& all, const distributed_array<T>& x, const distributed_array<U>& y, const F& f) {
  impl::check_ranks("transform", all, x.all());
  if (!(x.shape() == y.shape()) || x.begins() != y.begins())
    impl::fail_blocks("transform", x.shape(), y.shape());
  auto own = transform(all.where(), x.local(), y.local(), f);
  return distributed_array(all, x.shape(), x.begins(), std::move(own));
}

/// All elements in order, as `sort` of one array flat: by a sort_order, or by a function that says which of
/// two elements comes first; equal elements keep their order. The result is in even blocks, whatever the
/// elements are. Every element moves to another rank at most once.
///
///     hd::distributed_array<float> sorted = hd::sort(all, x);
template <element T, class Order = sort_order>
  requires impl::orders<Order, T>
distributed_array<T> sort(const ranks& all, const distributed_array<T>& x, const Order& order = {}) {
  impl::check_ranks("sort", all, x.all());
  return impl::sort_over_ranks(all, x, order);
}

/// The different elements, in order, as `unique` of one array. The blocks have what each rank found.
template <element T>
  requires impl::orders<sort_order, T>
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

}  // namespace HD_BUILD

/// The array in a .npy file, spread over ranks, each of which reads its own rows. The file must hold elements
/// of type T.
template <element T>
  requires has_dtype<T>
distributed_array<T> read_npy(const ranks& all, const std::string& path) {
  const npy_file file(path);
  if (file.dtype() != dtype_of<T>) impl::fail_npy_type(file, dtype_of<T>);
  distributed_array<T> x(all, file.shape());
  impl::filled_on_cpu<T> block(x.local());
  file.read(x.first_row() * impl::row_elements(x.shape()), x.local().size(), dtype_of<T>, block.data());
  block.deliver();
  return x;
}

/// Writes the array to one .npy file, as write_npy of one array. Every rank writes its own bytes of it, where
/// the path is that of a file in a folder that all ranks share; to a pipe or a device rank 0 writes all,
/// which come to it in pieces of 16 MiB. Throws heddle::error on every rank.
template <element T>
  requires has_dtype<T>
void write_npy(const std::string& path, const distributed_array<T>& x) {
  impl::write_npy_of_ranks(x.all(), path, dtype_of<T>, x.shape(),
                           impl::block_bytes(x.shape(), x.begins(), sizeof(T)), x.local().data());
}

}  // namespace heddle
