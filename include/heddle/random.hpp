#pragma once

#include <heddle/array.hpp>
#include <heddle/distributions.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/random/front.hpp>
#include <heddle/philox.hpp>
#include <heddle/random_stream.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle {

/// Arrays of random numbers by Philox4x32-10 (philox.hpp), the same bits on every target. Functions that fill
/// an existing array are asynchronous on a GPU. Throws heddle::error for invalid bounds and for offsets
/// beyond 2^64 elements.
///
/// `low` is included and `high` is not. Where 64 bits cannot hold the number after the last one, the bound is
/// called `last`, and is included.
///
///     hd::array<float> noise = hd::random::normal<float>(where, {height, width}, {.seed = 7});
namespace random {

/// Uniform numbers: `low` ≤ x < `high`, or all `low` if `low` = `high`. Multiples of 2^-24 in [0, 1), or of
/// 2^-53 in double, are mapped to the range with one rounding.
template <heddle::impl::real_number T = float>
array<T> uniform(const target& where, shape lengths, stream from, std::type_identity_t<T> low = 0,
                 std::type_identity_t<T> high = 1) {
  return heddle::impl::random_array<T>(where, std::move(lengths),
                                       heddle::impl::uniform_numbers(dtype_of<T>, from, low, high));
}
template <array_like Out>
  requires heddle::impl::real_number<element_of<Out>>
void uniform_into(const target& where, Out&& out, stream from, element_of<Out> low = 0,
                  element_of<Out> high = 1) {
  heddle::impl::random_into(where, heddle::impl::output(out),
                            heddle::impl::uniform_numbers(dtype_of<element_of<Out>>, from, low, high));
}

/// Normal (Gaussian) numbers, by the method of Box and Muller: elements 2k and 2k + 1 are a pair. In float at
/// most 6.66 standard deviations from the mean, in double 8.57.
template <heddle::impl::real_number T = float>
array<T> normal(const target& where, shape lengths, stream from, std::type_identity_t<T> mean = 0,
                std::type_identity_t<T> deviation = 1) {
  return heddle::impl::random_array<T>(where, std::move(lengths),
                                       heddle::impl::normal_numbers(dtype_of<T>, from, mean, deviation));
}
template <array_like Out>
  requires heddle::impl::real_number<element_of<Out>>
void normal_into(const target& where, Out&& out, stream from, element_of<Out> mean = 0,
                 element_of<Out> deviation = 1) {
  heddle::impl::random_into(where, heddle::impl::output(out),
                            heddle::impl::normal_numbers(dtype_of<element_of<Out>>, from, mean, deviation));
}

/// Exponential numbers of the given mean, by inversion: in float at most 22.2 means, in double 36.7.
template <heddle::impl::real_number T = float>
array<T> exponential(const target& where, shape lengths, stream from, std::type_identity_t<T> mean = 1) {
  return heddle::impl::random_array<T>(where, std::move(lengths),
                                       heddle::impl::exponential_numbers(dtype_of<T>, from, mean));
}
template <array_like Out>
  requires heddle::impl::real_number<element_of<Out>>
void exponential_into(const target& where, Out&& out, stream from, element_of<Out> mean = 1) {
  heddle::impl::random_into(where, heddle::impl::output(out),
                            heddle::impl::exponential_numbers(dtype_of<element_of<Out>>, from, mean));
}

/// Integers `low` ≤ x < `high` without bias (Lemire 2019): a rejected draw is repeated with further words of
/// the same element. The numbers depend on the bounds and not on T.
template <std::integral T = std::int64_t>
array<T> integers(const target& where, shape lengths, stream from, std::type_identity_t<T> low,
                  std::type_identity_t<T> high) {
  return heddle::impl::random_array<T>(where, std::move(lengths),
                                       heddle::impl::integers_below<T>(from, low, high));
}
template <array_like Out>
  requires std::integral<element_of<Out>>
void integers_into(const target& where, Out&& out, stream from, element_of<Out> low, element_of<Out> high) {
  heddle::impl::random_into(where, heddle::impl::output(out),
                            heddle::impl::integers_below<element_of<Out>>(from, low, high));
}
/// Integers from the whole range of T.
template <std::integral T>
array<T> integers(const target& where, shape lengths, stream from) {
  return heddle::impl::random_array<T>(where, std::move(lengths), heddle::impl::all_integers<T>(from));
}

/// The raw words of Philox: counter {block, 0, 0}, the seed as the key, four words a block; as uint64 two
/// words each, the lower first.
template <class T = std::uint32_t>
  requires(std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>)
array<T> bits(const target& where, shape lengths, stream from) {
  return heddle::impl::random_array<T>(where, std::move(lengths),
                                       heddle::impl::bits_numbers(dtype_of<T>, from));
}

/// A uniformly random permutation of 0 … n − 1: the stable argsort of n words of 64 bits, of which two are
/// equal with probability n²/2^65. Time and scratch memory of `argsort`.
///
///     hd::array<std::size_t> order = hd::random::permutation(where, x.size(), {.seed = 7});
inline array<std::size_t> permutation(const target& requested, std::size_t n, stream from) {
  heddle::operation running("random", n, "indices");
  const target where = heddle::resolve(requested, {64 * n, 64 * n, target(), true});
  running.runs_on(where);
  array<std::size_t> indices(n, where);
  heddle::impl::library_permutation(from, n, indices.data(), where);
  return indices;
}

/// Numbers of one distribution, of a type known at run time, made a piece at a time: those that the functions
/// above give for the same type, stream and bounds.
///
///     const auto noise = hd::random::sequence::normal(hd::dtype::float32, {.seed = 7}, 0, 1);
///     noise.fill(where, first, count, piece.data());
class sequence {
 public:
  /// Bounds are rounded to the type, which is float32 or float64. Throws heddle::error for invalid bounds.
  static sequence uniform(dtype type, stream from, double low = 0, double high = 1);
  static sequence normal(dtype type, stream from, double mean = 0, double deviation = 1);
  static sequence exponential(dtype type, stream from, double mean = 1);
  /// Integers `low` ≤ x ≤ `last`; the bounds have 64 bits with the sign of the type.
  static sequence integers(dtype type, stream from, std::uint64_t low, std::uint64_t last);

  /// Writes elements first … first + count − 1 to `out`, which is on `where`. Asynchronous on a GPU.
  void fill(const target& where, std::size_t first, std::size_t count, void* out) const;

 private:
  explicit sequence(const heddle::impl::random_numbers& numbers) : numbers_(numbers) {}

  heddle::impl::random_numbers numbers_;
};

HD_EXPLAIN_MISUSE(uniform_into)
HD_EXPLAIN_MISUSE(normal_into)
HD_EXPLAIN_MISUSE(exponential_into)
HD_EXPLAIN_MISUSE(integers_into)

}  // namespace random
}  // namespace heddle
