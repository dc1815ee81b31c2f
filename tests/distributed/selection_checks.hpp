#pragma once

#include "distributed_checks.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/statistics.hpp>
#include <heddle/top_k.hpp>

#include <cstring>
#include <set>
#include <string>
#include <vector>

/// The first elements of an order over ranks, against the order by the standard library, and quantiles.
namespace heddle::tests {

template <class T>
void check_top(const ranks& all, const array<T>& x) {
  for (const sort_order order : {sort_order::ascending, falling}) {
    const std::vector<std::size_t> in_order = argsorted_by_loops(x.reshaped({x.size()}).on({}), order);
    for (const std::size_t k : std::set<std::size_t>{0, x.size() / 2, x.size()}) {
      array<std::size_t> indices(k);
      array<T> values(k);
      for (std::size_t i = 0; i < k; ++i) {
        indices.data()[i] = in_order[i];
        values.data()[i] = x.data()[in_order[i]];
      }
      for (const auto& begins : blocks_to_try(all, x.shape())) {
        const top_elements<T> top = top_k(all, spread(all, x, begins), k, order);
        const std::string of = std::to_string(k) + " of " + x.shape().text() + " " + impl::type_name<T>();
        expect(same_bytes(top.indices, indices), "the indices of top_k, " + of);
        expect(same_bytes(top.values, values), "the values of top_k, " + of);
      }
    }
  }
}

/// The first k elements of each line and their indices along it.
template <class T>
top_elements<T> top_by_loops(const array<T>& x, std::size_t a, std::size_t k, sort_order order) {
  const shape lengths = x.shape().with_length(a, k);
  top_elements<T> top{array<T>(lengths), array<std::size_t>(lengths)};
  const axis_lines of_result = along(lengths, a);
  std::size_t line = 0;
  for_each_line(x, a, [&](const array<T>& one, std::size_t, std::size_t step) {
    const std::vector<std::size_t> in_order = argsorted_by_loops(one, order);
    for (std::size_t i = 0; i < k; ++i) {
      top.indices.data()[of_result.begin_of(line) + i * step] = in_order[i];
      top.values.data()[of_result.begin_of(line) + i * step] = one.data()[in_order[i]];
    }
    ++line;
  });
  return top;
}

template <class T>
void check_top_along(const ranks& all, const array<T>& x) {
  for (const axis along : {axis{0}, axis{-1}}) {
    const std::size_t a = x.shape().resolve_axis(along.index), length = x.shape()[a];
    for (const std::size_t k : std::set<std::size_t>{0, length / 3, length}) {
      const top_elements<T> want = top_by_loops(x, a, k, falling);
      for (const auto& begins : blocks_to_try(all, x.shape())) {
        const distributed_top_elements<T> top = top_k(all, spread(all, x, begins), k, along);
        const std::string of = std::to_string(k) + " along axis " + std::to_string(along.index) + " of " +
                               x.shape().text() + " " + impl::type_name<T>();
        expect(same_bytes(top.indices.gather(), want.indices), "the indices of top_k, " + of);
        expect(same_bytes(top.values.gather(), want.values), "the values of top_k, " + of);
        expect(a == 0 || top.values.begins() == begins, "top_k keeps blocks, " + of);
      }
    }
  }
}

/// The same of types known at run time, and errors.
inline void check_top_of_any_type(const ranks& all) {
  const array<float> x = mixed<float>(90 * 17).reshaped({90, 17}).on({});
  const any_distributed_array y(spread(all, x, impl::even_blocks(x.shape(), all.size())));
  const any_top_elements flat = top_k(all, y, 100, sort_order::ascending);
  const top_elements<float> want_flat = top_k(target(), x, 100, sort_order::ascending);
  expect(std::memcmp(flat.values.data(), want_flat.values.data(), 100 * sizeof(float)) == 0 &&
             same_bytes(flat.indices, want_flat.indices),
         "top_k of a type known at run time");
  for (const axis along : {axis{0}, axis{1}}) {
    const any_distributed_top_elements top = top_k(all, y, 5, along);
    const top_elements<float> want = top_k(target(), x, 5, along);
    expect(same_bytes(top.values.as<float>().gather(), want.values) &&
               same_bytes(top.indices.gather(), want.indices),
           "top_k along an axis of a type known at run time");
  }
  const auto message_of_call = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const error& problem) {
      return problem.what();
    }
    return "";
  };
  expect(message_of_call([&] {
           top_k(all, y, 1531);
         }).ends_with("k is 1531, and there are 1530 elements: k can be 1530 at most"),
         "top_k of too many");
  expect(message_of_call([&] {
           top_k(all, y, 18, axis{1});
         }).ends_with("k is 18, and there are 17 elements: k can be 17 at most"),
         "top_k of too many along an axis");
  const any_distributed_array complex(all, dtype::complex64, {4, 4});
  expect(message_of_call([&] { top_k(all, complex, 1); }).ends_with("complex numbers have no order"),
         "top_k of complex numbers");
}

/// Quantiles and medians of all elements and of lines, which are those of one array.
template <class T>
void check_quantiles(const ranks& all, const array<T>& x) {
  const std::vector<double> q{0.5, 0, 1, 0.3, 0.999};
  const std::string of = " of " + x.shape().text() + " " + impl::type_name<T>();
  for (const auto& begins : blocks_to_try(all, x.shape())) {
    const distributed_array<T> y = spread(all, x, begins);
    if (x.size() > 0) {
      expect(same_bytes(quantile(all, y, q), quantile(target(), x, q)), "quantile" + of);
      expect(same_bytes(quantile(all, y, 0.3), quantile(target(), x, 0.3)), "one quantile" + of);
      expect(same_bytes(median(all, y), median(target(), x)), "median" + of);
    }
    for (const axis along : {axis{0}, axis{-1}}) {
      const std::size_t a = x.shape().resolve_axis(along.index);
      if (x.shape().axes() == 1 || (x.shape()[a] == 0 && x.shape().without_axis(a).elements() > 0)) continue;
      const auto quantiles = quantile(all, y, q, along);
      for (std::size_t i = 0; i < q.size(); ++i)
        expect(same_bytes(quantiles[i].gather(), quantile(target(), x, q[i], along)), "quantile along" + of);
      const auto medians = median(all, y, along);
      expect(same_bytes(medians.gather(), median(target(), x, along)), "median along" + of);
      expect(a == 0 || medians.begins() == begins, "median keeps blocks" + of);
    }
  }
}

inline void check_quantiles_of_any_type(const ranks& all) {
  const array<float> x = mixed<float>(90 * 17).reshaped({90, 17}).on({});
  const distributed_array<float> typed = spread(all, x, impl::even_blocks(x.shape(), all.size()));
  const any_distributed_array y(spread(all, x, typed.begins()));
  const std::vector<double> q{0.1, 0.9};
  expect(same_bytes(quantile(all, y, q), quantile(all, typed, q)), "quantile of a type known at run time");
  const float middle = median(all, typed);
  const any_value any_middle = median(all, y);
  expect(any_middle.dtype() == dtype::float32 && std::memcmp(any_middle.data(), &middle, sizeof middle) == 0,
         "median of a type known at run time");
  for (const axis along : {axis{0}, axis{1}}) {
    const auto have = quantile(all, y, q, along), want = quantile(all, typed, q, along);
    expect(same_bytes(have[1].gather(), want[1].gather()),
           "quantile along an axis of a type known at run time");
    expect(same_bytes(median(all, y, along).as<float>().gather(), median(all, typed, along).gather()),
           "median along an axis of a type known at run time");
  }
}

/// Arrays one after another, against a copy of their elements.
inline void check_concatenate(const ranks& all) {
  const array<float> x = numbers<float>({90, 17});
  for (const auto& first : {std::vector<std::size_t>{0, 0, 7, 90}, std::vector<std::size_t>{0, 90}}) {
    std::vector<any_distributed_array> parts;
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
      const array<float> part = x.slice(first[i], first[i + 1]).on({});
      parts.emplace_back(spread(all, part, blocks_to_try(all, part.shape())[i % 3]));
    }
    const any_distributed_array whole = concatenate(all, parts);
    expect(same_bytes(whole.as<float>().gather(), x) &&
               whole.begins() == impl::even_blocks(x.shape(), all.size()),
           "concatenate");
  }
}

inline void check_selections(const ranks& all) {
  for (const std::size_t n : {0, 1, 7, 5000}) {
    check_top(all, mixed<float>(n));
    check_top(all, mixed<double>(n));
    check_top(all, mixed<std::int8_t>(n));
  }
  check_top(all, mixed<std::uint64_t>(40 * 30).reshaped({40, 30}).on({}));
  for (const shape& lengths :
       {shape{61}, shape{90, 17}, shape{50, 3}, shape{5, 7, 3}, shape{1, 80}, shape{3, 0}, shape{0, 3}}) {
    check_top_along(all, mixed<float>(lengths.elements()).reshaped(lengths).on({}));
    check_top_along(all, mixed<std::int16_t>(lengths.elements()).reshaped(lengths).on({}));
  }
  check_top_of_any_type(all);
  for (const shape& lengths : {shape{1}, shape{5000}, shape{61}, shape{90, 17}, shape{50, 3}, shape{5, 7, 3},
                               shape{1, 80}, shape{3, 0}, shape{0, 3}}) {
    check_quantiles(all, numbers<float>(lengths));
    check_quantiles(all, mixed<float>(lengths.elements()).reshaped(lengths).on({}));
    check_quantiles(all, mixed<std::int64_t>(lengths.elements()).reshaped(lengths).on({}));
    check_quantiles(all, mixed<bool>(lengths.elements()).reshaped(lengths).on({}));
  }
  check_quantiles_of_any_type(all);
  check_concatenate(all);
}

}  // namespace heddle::tests
