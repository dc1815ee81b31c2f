#pragma once

#include "distributed_checks.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>
#include <heddle/stencil.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The calls that make, change, order and type elements over ranks, against the same on one machine.
namespace heddle::tests {

inline void check_elements(const ranks& all) {
  for (const shape& lengths : {shape{0}, shape{1001}, shape{17, 33}, shape{2, 5, 7}}) {
    const array<float> x = numbers<float>(lengths), y = numbers<float>(lengths);
    for (const auto& begins : blocks_to_try(all, lengths)) {
      const distributed_array<float> a = spread(all, x, begins), b = spread(all, y, begins);
      expect(same_bytes(transform(all, a, 2.5f, multiplies{}).gather(),
                        transform(target(), x, 2.5f, multiplies{})),
             "transform with a scalar of " + lengths.text());
      const auto fused = [](float p, float q, float r, float s) { return p * q + r - s; };
      expect(same_bytes(transform(all, a, b, a, 3.0f, fused).gather(),
                        transform(target(), x, y, x, 3.0f, fused)),
             "transform of three arrays of " + lengths.text());
      distributed_array<float> sums(all, lengths, begins);
      transform_into(all, sums, a, b, plus{});
      expect(same_bytes(sums.gather(), transform(target(), x, y, plus{})),
             "transform_into of " + lengths.text());
      inclusive_scan_into(all, sums, a);
      expect(same_bytes(sums.gather(), inclusive_scan(target(), x)),
             "inclusive_scan_into of " + lengths.text());
      const auto product = [](float p, float q) { return p * q; };
      expect(same_bytes(transform_reduce(all, a, b, product, plus{}),
                        transform_reduce(target(), x, y, product, plus{})),
             "transform_reduce of " + lengths.text());
      expect(same_bytes(transform_reduce(all, a, 2.0f, product, maximum{}, 0.5f),
                        transform_reduce(target(), x, 2.0f, product, maximum{}, 0.5f)),
             "transform_reduce from a value of " + lengths.text());
    }
    distributed_array<std::size_t> places(all, lengths);
    for_each_index(all, places, [](std::size_t& e, auto... i) {
      e = 0;
      ((e = 100 * e + i), ...);
    });
    array<std::size_t> want(lengths);
    const std::size_t axes = lengths.axes(), columns = lengths[axes - 1],
                      rows = axes > 1 ? lengths[axes - 2] : 1;
    for (std::size_t i = 0; i < want.size(); ++i)
      want.data()[i] = axes == 1   ? i
                       : axes == 2 ? i / columns * 100 + i % columns
                                   : (i / columns / rows * 100 + i / columns % rows) * 100 + i % columns;
    expect(same_bytes(places.gather(), want), "for_each_index over " + lengths.text());
  }
}

template <int Reach, class F>
void check_stencil(const ranks& all, const shape& lengths, const boundary<float>& around, std::size_t steps,
                   const F& f) {
  const array<float> x = numbers<float>(lengths);
  array<float> want(lengths);
  stencil<Reach>(target(), x, want, around, f, steps);
  for (const auto& begins : blocks_to_try(all, lengths)) {
    const distributed_array<float> a = spread(all, x, begins);
    distributed_array<float> b(all, lengths, begins);
    stencil<Reach>(all, a, b, around, f, steps);
    expect(same_bytes(b.gather(), want), "stencil of reach " + std::to_string(Reach) + ", " +
                                             std::to_string(steps) + " steps, of " + lengths.text());
  }
}

inline void check_stencils(const ranks& all) {
  const auto line = [](const auto& u) { return 0.25f * u(-1) + 0.5f * u(0) + 0.125f * u(1); };
  const auto cross = [](const auto& u, std::size_t row, std::size_t column) {
    return 0.25f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)) + 0.001f * static_cast<float>(row * 3 + column);
  };
  const auto far = [](const auto& u) { return 0.5f * u(-2, 2) - 0.25f * u(2, -1) + u(0, 0); };
  const auto cube = [](const auto& u) {
    return 0.5f * u(-1, 0, 1) + 0.25f * u(1, 1, 0) + 0.125f * u(0, -1, -1);
  };
  const boundary<float> edges[] = {periodic{}, clamp{}, reflect{}, symmetric{}, dirichlet{}, fixed{0.5f}};
  for (const boundary<float>& around : edges) {
    for (const std::size_t steps : {0, 1, 9}) {
      check_stencil<1>(all, {70}, around, steps, line);
      check_stencil<1>(all, {97, 13}, around, steps, cross);
    }
    check_stencil<1>(all, {3}, around, 4, line);
    check_stencil<2>(all, {41, 9}, around, 5, far);
    // Rows around a block that come from several ranks, or from one row again and again.
    check_stencil<2>(all, {5, 9}, around, 3, far);
    check_stencil<2>(all, {1, 9}, around, 3, far);
    // So many rows that those at the edges go to the neighbours while others are computed.
    check_stencil<1>(all, {2100, 3}, around, 19, cross);
    check_stencil<2>(all, {2100, 2}, around, 9, far);
    check_stencil<1>(all, {19, 6, 5}, around, 3, cube);
  }
}

inline void check_random_numbers(const ranks& all) {
  const random::stream from{.seed = 7, .offset = 11};
  for (const shape& lengths : {shape{0}, shape{1}, shape{10'007}, shape{300, 33}}) {
    expect(same_bytes(random::uniform<float>(all, lengths, from, -1, 2).gather(),
                      random::uniform<float>(target(), lengths, from, -1, 2)),
           "uniform numbers");
    expect(same_bytes(random::normal<double>(all, lengths, from).gather(),
                      random::normal<double>(target(), lengths, from)),
           "normal numbers");
    expect(same_bytes(random::exponential<float>(all, lengths, from, 3).gather(),
                      random::exponential<float>(target(), lengths, from, 3)),
           "exponential numbers");
    expect(same_bytes(random::integers<std::int16_t>(all, lengths, from, -5, 90).gather(),
                      random::integers<std::int16_t>(target(), lengths, from, -5, 90)),
           "integers");
    expect(same_bytes(random::bits<std::uint32_t>(all, lengths, from).gather(),
                      random::bits<std::uint32_t>(target(), lengths, from)),
           "random bits");
  }
  expect(same_bytes(random::permutation(all, 10'007, from).gather(),
                    random::permutation(target(), 10'007, from)),
         "a permutation");
}

inline void check_keys(const ranks& all) {
  for (const std::size_t n : {0, 1, 5, 20'001}) {
    array<int> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys.data()[i] = static_cast<int>(random_bits(i) % 100) - 50;
    const array<double> values = numbers<double>({n});
    const auto rising = argsort(target(), keys), falling = argsort(target(), keys, sort_order::descending),
               of_tens = argsort(target(), keys, by_tens{});
    const auto [want_keys, want_values] = sort_by_key(target(), keys, values);
    for (const auto& begins : blocks_to_try(all, keys.shape())) {
      const distributed_array<int> k = spread(all, keys, begins);
      expect(same_bytes(argsort(all, k).gather(), rising), "argsort");
      expect(same_bytes(argsort(all, k, sort_order::descending).gather(), falling), "argsort, descending");
      expect(same_bytes(argsort(all, k, by_tens{}).gather(), of_tens), "argsort by a function");
      const auto [sorted, with_them] = sort_by_key(all, k, spread(all, values, begins));
      expect(same_bytes(sorted.gather(), want_keys) && same_bytes(with_them.gather(), want_values),
             "sort_by_key");
    }
  }
}

/// Weights of bins that are full, cut between ranks, empty or not there for some elements.
template <class W>
void check_weights(const ranks& all, std::size_t n) {
  array<float> x(n);
  // Half of all elements are in one bin, and some in none.
  for (std::size_t i = 0; i < n; ++i)
    x.data()[i] = i % 2 == 0 ? 0.35f : static_cast<float>(random_bits(i) % 1300) / 1000;
  if (n > 4) x.data()[n / 2 + 1] = std::nanf("");
  const array<W> weights = numbers<W>({n});
  const std::vector<double> edges{-1, 0.1, 0.1, 0.3, 0.9, 5};
  const even_bins few{10, 0, 1}, many{3000, 0, 1};
  const auto in_few = histogram(target(), x, few, weights), in_many = histogram(target(), x, many, weights),
             between = histogram(target(), x, edges, weights);
  for (const auto& begins : blocks_to_try(all, x.shape())) {
    const distributed_array<float> y = spread(all, x, begins);
    const distributed_array<W> w = spread(all, weights, begins);
    const std::string of = std::to_string(n) + " weights of " + impl::type_name<W>();
    expect(same_bytes(histogram(all, y, few, w), in_few), of + " in few bins");
    expect(same_bytes(histogram(all, y, many, w), in_many), of + " in many bins");
    expect(same_bytes(histogram(all, y, edges, w), between), of + " between edges");
  }
}

inline void check_weighted_histograms(const ranks& all) {
  // The fullest bin has more than a tile, and is cut between ranks.
  for (const std::size_t n : {0, 7, 20'003}) check_weights<float>(all, n);
  check_weights<double>(all, 20'003);
  check_weights<std::complex<float>>(all, 5001);
  check_weights<std::int8_t>(all, 999);
  check_weights<bool>(all, 999);
}

template <class T>
void check_product(const ranks& all, const shape& left, const shape& right, matmul_algorithm algorithm) {
  const array<T> a = numbers<T>(left), b = numbers<T>(right);
  const array<T> want = matmul(target(), a, b, algorithm);
  const std::string what =
      std::string("matmul of ") + left.text() + " and " + right.text() + " by " + name(algorithm);
  const auto expect_product = [&](const distributed_array<T>& product, const char* spread_operands) {
    const array<T> have = product.gather();
    // OpenBLAS sums in an order of its own, of parts of its own.
    bool is_same = have.shape() == want.shape();
    for (std::size_t i = 0; is_same && i < want.size(); ++i)
      is_same = algorithm == matmul_algorithm::blas
                    ? std::abs(have.data()[i] - want.data()[i]) < 1e-4 * static_cast<double>(1 + a.size())
                    : same_bytes(have.data()[i], want.data()[i]);
    expect(is_same, what + ", " + spread_operands);
  };
  const auto all_of_a = blocks_to_try(all, left);
  for (const auto& of_a : all_of_a) {
    const distributed_array<T> x = spread(all, a, of_a);
    expect_product(matmul(all, x, b, algorithm), "the left spread");
    for (const auto& of_b : blocks_to_try(all, right)) {
      // Of large ones not all pairs.
      if (b.size() > 10'000 && (of_a == all_of_a.front()) != (of_b == blocks_to_try(all, right).front()))
        continue;
      const distributed_array<T> y = spread(all, b, of_b);
      if (left.axes() > 2 && right.axes() < 3) continue;
      expect_product(matmul(all, a, y, algorithm), "the right spread");
      expect_product(matmul(all, x, y, algorithm), "both spread");
    }
  }
}

inline void check_products(const ranks& all) {
  using enum matmul_algorithm;
  for (const auto algorithm : {naive, tiled, blas}) {
    check_product<float>(all, {33, 70}, {70, 301}, algorithm);
    if (algorithm == tiled) continue;
    check_product<float>(all, {50, 20}, {20, 7}, algorithm);
    check_product<float>(all, {50, 20}, {20}, algorithm);
    check_product<float>(all, {20}, {20, 31}, algorithm);
  }
  check_product<double>(all, {3, 65}, {65, 200}, tiled);
  check_product<std::complex<float>>(all, {9, 5}, {5, 130}, naive);
  for (const shape& lengths : {shape{0, 4}, shape{6, 4}}) check_product<float>(all, lengths, {4, 0}, naive);
  check_product<float>(all, {4, 0}, {0, 70}, naive);
  check_product<float>(all, {5, 4, 3}, {5, 3, 6}, naive);
  check_product<float>(all, {5, 4, 3}, {3, 6}, naive);
  check_product<float>(all, {3}, {5, 3, 6}, naive);
}

inline bool same_bytes(const any_array& a, const any_array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

/// Arrays whose type is known at run time: each type and operator by one rule.
inline void check_run_time_types(const ranks& all) {
  const shape lengths{90, 23};
  for (int t = 0; t <= static_cast<int>(dtype::complex128); ++t) {
    const auto type = static_cast<dtype>(t);
    array<int> small(lengths);
    for (std::size_t i = 0; i < small.size(); ++i) small.data()[i] = static_cast<int>(random_bits(i) % 7);
    const any_array x = any_array(std::move(small)).converted(type);
    any_distributed_array y(all, type, lengths);
    if (y.rows() > 0) y.local().copy_from(x.slice(y.first_row(), y.first_row() + y.rows()));
    const std::string of = std::string(" of ") + name(type);
    expect(y.dtype() == type && same_bytes(y.gather(), x), "gather" + of);
    expect(same_bytes(converted(y, dtype::complex128).gather(), x.converted(dtype::complex128)),
           "converted" + of);
    const auto same_value = [](const any_value& a, const any_value& b) {
      return a.dtype() == b.dtype() && std::memcmp(a.data(), b.data(), size_of(a.dtype())) == 0;
    };
    for (int o = 0; o < static_cast<int>(runtime_op::minus); ++o) {
      const auto op = static_cast<runtime_op>(o);
      if (!is_defined(op, type)) continue;
      const std::string what = std::string(name(op)) + of;
      expect(same_value(reduce(all, y, op), reduce(target(), x, op)), "reduce by " + what);
      expect(same_value(reduce(all, y, op, any_value(1)), reduce(target(), x, op, any_value(1))),
             "reduce from 1 by " + what);
      for (const axis along : {axis{0}, axis{1}}) {
        expect(same_bytes(reduce(all, y, along, op).gather(), reduce(target(), x, along, op)),
               "reduce along an axis by " + what);
        expect(same_bytes(inclusive_scan(all, y, along, op).gather(), inclusive_scan(target(), x, along, op)),
               "inclusive_scan along an axis by " + what);
        expect(same_bytes(exclusive_scan(all, y, along, op, any_value(1)).gather(),
                          exclusive_scan(target(), x, along, op, any_value(1))),
               "exclusive_scan along an axis by " + what);
      }
      expect(same_bytes(inclusive_scan(all, y, op).gather(), inclusive_scan(target(), x, op)),
             "inclusive_scan by " + what);
      expect(same_bytes(exclusive_scan(all, y, op, any_value(1)).gather(),
                        exclusive_scan(target(), x, op, any_value(1))),
             "exclusive_scan by " + what);
      expect(same_bytes(transform(all, y, y, op).gather(), transform(target(), x, x, op)),
             "transform by " + what);
      expect(
          same_bytes(transform(all, any_value(1), y, op).gather(), transform(target(), any_value(1), x, op)),
          "transform of 1 by " + what);
    }
    expect(same_bytes(adjacent_difference(all, y).gather(), adjacent_difference(target(), x)),
           "adjacent_difference" + of);
    for (const axis along : {axis{0}, axis{1}})
      expect(same_bytes(adjacent_difference(all, y, along).gather(), adjacent_difference(target(), x, along)),
             "adjacent_difference along an axis" + of);
    expect(same_value(mean(all, y), mean(target(), x)) && same_value(variance(all, y), variance(target(), x)),
           "mean and variance" + of);
    for (const axis along : {axis{0}, axis{1}})
      expect(same_bytes(mean(all, y, along).gather(), mean(target(), x, along)) &&
                 same_bytes(variance(all, y, along, 1).gather(), variance(target(), x, along, 1)),
             "mean and variance along an axis" + of);
    if (type >= dtype::complex64) continue;
    expect(argmin(all, y) == argmin(target(), x) && argmax(all, y) == argmax(target(), x),
           "argmin and argmax" + of);
    expect(same_bytes(sort(all, y).gather(), sort(target(), x)), "sort" + of);
    expect(same_bytes(any_array(argsort(all, y).gather()), any_array(argsort(target(), x))), "argsort" + of);
    constexpr axis down{0};
    expect(same_bytes(sort(all, y, down).gather(), sort(target(), x, down)), "sort along an axis" + of);
    expect(same_bytes(any_array(argsort(all, y, down).gather()), any_array(argsort(target(), x, down))),
           "argsort along an axis" + of);
    expect(same_bytes(any_array(argmin(all, y, down).gather()), any_array(argmin(target(), x, down))) &&
               same_bytes(any_array(argmax(all, y, down).gather()), any_array(argmax(target(), x, down))),
           "argmin and argmax along an axis" + of);
    expect(same_bytes(unique(all, y).gather(), unique(target(), x)), "unique" + of);
    expect(same_bytes(any_array(histogram(all, y, even_bins{5, 0, 6})),
                      any_array(histogram(target(), x, even_bins{5, 0, 6}))),
           "histogram" + of);
    const any_distributed_array w = converted(y, dtype::float32);
    expect(same_bytes(histogram(all, y, even_bins{5, 0, 6}, w),
                      histogram(target(), x, even_bins{5, 0, 6}, x.converted(dtype::float32))),
           "histogram with weights" + of);
    expect(same_bytes(histogram(all, w, even_bins{5, 0, 6}, y),
                      histogram(target(), x.converted(dtype::float32), even_bins{5, 0, 6}, x)),
           "histogram with weights" + of);
  }
}

/// All but the types known at run time, which exchange nothing else.
inline void check_calls(const ranks& all) {
  check_elements(all);
  check_stencils(all);
  check_random_numbers(all);
  check_keys(all);
  check_weighted_histograms(all);
  check_products(all);
}

}  // namespace heddle::tests
