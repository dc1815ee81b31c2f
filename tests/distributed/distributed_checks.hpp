#pragma once

#include "exchange_checks.hpp"
#include "tests/elements.hpp"
#include "tests/ordered.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>
#include <heddle/impl/core/order.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

/// What distributed arrays and patterns give, against the same on one machine. Each check runs on every rank
/// and throws where something differs.
namespace heddle::tests {

template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T>
bool same_bytes(const array<T>& a, const array<T>& b) {
  return a.shape() == b.shape() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The blocks to try: even ones, all on one rank, and uneven ones with empty blocks.
inline std::vector<std::vector<std::size_t>> blocks_to_try(const ranks& all, const shape& lengths) {
  const std::size_t n = lengths[0];
  const auto size = static_cast<std::size_t>(all.size());
  std::vector<std::vector<std::size_t>> blocks{impl::even_blocks(lengths, all.size())};
  blocks.push_back(std::vector<std::size_t>(size + 1, n));
  blocks.back()[0] = 0;
  std::vector<std::size_t> uneven{0};
  for (std::size_t r = 1; r < size; ++r)
    uneven.push_back(std::max(uneven.back(), random_bits(n + r) % (n + 1)));
  std::sort(uneven.begin(), uneven.end());
  uneven.push_back(n);
  blocks.push_back(uneven);
  return blocks;
}

/// Spreads an array that every rank has.
template <class T>
distributed_array<T> spread(const ranks& all, const array<T>& x, const std::vector<std::size_t>& begins) {
  distributed_array<T> to(all, x.shape(), begins);
  const std::size_t row = impl::row_elements(x.shape());
  to.local().copy_from(x.reshaped({x.size()})
                           .slice(to.first_row() * row, (to.first_row() + to.rows()) * row)
                           .reshaped(to.local().shape()));
  return to;
}

template <class T>
array<T> numbers(const shape& lengths) {
  array<T> x(lengths);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_value<T>(i);
  return x;
}

/// Keeps the order of operands, and has no identity.
template <class T>
struct last_digits {
  HD_INLINE T operator()(T a, T b) const { return a * T(3) + b; }
};

/// Whether a rank's target runs what this compiler made of a caller's function.
inline bool runs_own_functions(const ranks& all) {
  return !all.where().is_gpu() || impl::compiled_for_gpu;
}

template <class T, class Op>
void check_reduce(const ranks& all, const shape& lengths, const Op& op) {
  if (!impl::library_has<T, Op>() && !runs_own_functions(all)) return;
  const array<T> x = numbers<T>(lengths);
  const T want = reduce(target(), x, op);
  for (const auto& begins : blocks_to_try(all, lengths)) {
    const T value = reduce(all, spread(all, x, begins), op);
    expect(same_bytes(value, want), std::string("reduce of ") + lengths.text() + " " + impl::type_name<T>());
  }
}

inline void check_reductions(const ranks& all) {
  // Around one, two and three levels of tiles.
  for (const std::size_t n : {1, 2, 31, 511, 512, 513, 1025, 8191, 8192, 100'003, 300'000}) {
    check_reduce<float>(all, {n}, plus{});
    check_reduce<double>(all, {n}, multiplies{});
    check_reduce<std::complex<float>>(all, {n}, plus{});
    check_reduce<std::int8_t>(all, {n}, maximum{});
    check_reduce<float>(all, {n}, minimum{});
    check_reduce<std::uint32_t>(all, {n}, last_digits<std::uint32_t>{});
    check_reduce<bool>(all, {n}, logical_or{});
  }
  for (const shape& lengths :
       {shape{1, 70'001}, shape{300, 257}, shape{5, 7, 11}, shape{3, 1}, shape{4096, 16}})
    check_reduce<float>(all, lengths, plus{});

  for (const std::size_t n : {1, 2}) {
    array<int> fives(n);
    fives.fill(5);
    array<float> nans(n);
    nans.fill(std::bit_cast<float>(0xffc01234u));
    const auto blocks = impl::even_blocks(fives.shape(), all.size());
    const distributed_array<int> y = spread(all, fives, blocks);
    const distributed_array<float> z = spread(all, nans, blocks);
    expect(reduce(all, y, logical_or{}) == reduce(target(), fives, logical_or{}), "a truth of few elements");
    expect(reduce(all, y, logical_or{}, 7) == reduce(target(), fives, logical_or{}, 7),
           "a truth with an initial value");
    expect(same_bytes(reduce(all, z), reduce(target(), nans)), "the sum of few NaNs");
    expect(same_bytes(reduce(all, z, plus{}, nans[0]), reduce(target(), nans, plus{}, nans[0])),
           "a NaN to begin with");
  }

  const distributed_array<float> nothing(all, shape{0});
  expect(reduce(all, nothing) == 0, "the sum of nothing is 0");
  expect(reduce(all, nothing, minimum{}, 3.0f) == 3, "the minimum of nothing is the initial value");
  const array<float> x = numbers<float>({5000});
  expect(same_bytes(reduce(all, spread(all, x, impl::even_blocks(x.shape(), all.size())), plus{}, 0.1f),
                    reduce(target(), x, plus{}, 0.1f)),
         "a sum with an initial value");
}

template <class T, class Op>
void check_scans(const ranks& all, const shape& lengths, const Op& op, const T& init) {
  if (!impl::library_has<T, Op>() && !runs_own_functions(all)) return;
  const array<T> x = numbers<T>(lengths);
  const std::string name = lengths.text() + " " + impl::type_name<T>();
  const array<T> inclusive = inclusive_scan(target(), x, op),
                 from_init = inclusive_scan(target(), x, op, init),
                 exclusive = exclusive_scan(target(), x, op, init);
  const auto tried = blocks_to_try(all, lengths);
  for (const auto& begins : tried) {
    const distributed_array<T> y = spread(all, x, begins);
    expect(same_bytes(inclusive_scan(all, y, op).gather(), inclusive), "inclusive_scan of " + name);
    expect(same_bytes(inclusive_scan(all, y, op, init).gather(), from_init),
           "inclusive_scan with an initial value of " + name);
    expect(same_bytes(exclusive_scan(all, y, op, init).gather(), exclusive), "exclusive_scan of " + name);
  }
  if (lengths.axes() == 1) return;
  for (const axis along : {axis{0}, axis{1}, axis{-1}}) {
    const array<T> inclusive_along = inclusive_scan(target(), x, along, op),
                   exclusive_along = exclusive_scan(target(), x, along, op, init);
    for (const auto& begins : tried) {
      const distributed_array<T> y = spread(all, x, begins);
      expect(same_bytes(inclusive_scan(all, y, along, op).gather(), inclusive_along),
             "inclusive_scan along an axis of " + name);
      expect(same_bytes(exclusive_scan(all, y, along, op, init).gather(), exclusive_along),
             "exclusive_scan along an axis of " + name);
    }
  }
}

/// Sums that keep the sign of zero, and an operator that is a struct of the caller's.
struct pair_of_floats {
  float a, b;
};
struct sum_of_pairs {
  HD_INLINE pair_of_floats operator()(pair_of_floats x, pair_of_floats y) const {
    return {x.a + y.a, x.b + y.b};
  }
};

inline void check_scans_of_everything(const ranks& all) {
  // Around rows, blocks in the cache, and several of them.
  for (const std::size_t n : {0, 1, 3, 127, 128, 129, 1000, 65'536, 65'537, 200'003}) {
    check_scans<float>(all, {n}, plus{}, 0.5f);
    check_scans<double>(all, {n}, multiplies{}, 1.25);
    check_scans<std::int8_t>(all, {n}, plus{}, std::int8_t{3});
  }
  for (const std::size_t n : {5, 1025, 70'001}) {
    check_scans<std::complex<float>>(all, {n}, plus{}, {1, 2});
    check_scans<std::complex<double>>(all, {n}, multiplies{}, {1, 2});
    check_scans<float>(all, {n}, minimum{}, 0.1f);
    check_scans<std::uint32_t>(all, {n}, last_digits<std::uint32_t>{}, 7u);
    check_scans<bool>(all, {n}, logical_or{}, false);
  }
  for (const shape& lengths : {shape{300, 257}, shape{5, 7, 11}, shape{1, 3000}, shape{2000, 3}})
    check_scans<float>(all, lengths, plus{}, 0.5f);

  array<pair_of_floats> pairs(5000);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs.data()[i] = {random_value<float>(i), -random_value<float>(~i)};
  array<float> zeros(5000);
  zeros.fill(-0.0f);
  for (const auto& begins : blocks_to_try(all, pairs.shape())) {
    if (runs_own_functions(all))
      expect(same_bytes(inclusive_scan(all, spread(all, pairs, begins), sum_of_pairs{}).gather(),
                        inclusive_scan(target(), pairs, sum_of_pairs{})),
             "inclusive_scan of pairs");
    expect(same_bytes(inclusive_scan(all, spread(all, zeros, begins)).gather(), zeros),
           "inclusive_scan of -0");
  }
}

inline void check_axes(const ranks& all) {
  for (const shape& lengths :
       {shape{300, 257}, shape{5000, 3}, shape{5, 7, 11}, shape{1, 3000}, shape{3, 0}}) {
    const array<float> x = numbers<float>(lengths);
    for (const axis along : {axis{0}, axis{1}, axis{-1}}) {
      const array<float> want = reduce(target(), x, along);
      for (const auto& begins : blocks_to_try(all, lengths))
        expect(same_bytes(reduce(all, spread(all, x, begins), along).gather(), want),
               "reduce along axis " + std::to_string(along.index) + " of " + lengths.text());
    }
  }
}

/// Sorts by the tens alone, so that equal elements differ.
struct by_tens {
  bool operator()(int a, int b) const { return a / 10 < b / 10; }
};

/// The order of rows and columns: with elements that are equal, signed zeros and NaNs.
inline void check_orders_along_axes(const ranks& all) {
  for (const shape& lengths :
       {shape{61}, shape{90, 17}, shape{50, 3}, shape{5, 7, 3}, shape{1, 80}, shape{3, 0}}) {
    const array<float> x = mixed<float>(lengths.elements()).reshaped(lengths);
    array<int> equal(lengths);
    for (std::size_t i = 0; i < equal.size(); ++i) equal.data()[i] = static_cast<int>(random_bits(i) % 97);
    for (const auto& begins : blocks_to_try(all, lengths)) {
      const distributed_array<float> y = spread(all, x, begins);
      const distributed_array<int> keys = spread(all, equal, begins);
      for (const axis along : {axis{0}, axis{-1}}) {
        const std::string of = " along axis " + std::to_string(along.index) + " of " + lengths.text();
        const distributed_array<float> sorted = sort(all, y, along, sort_order::descending);
        expect(same_bytes(sorted.gather(), sort(target(), x, along, sort_order::descending)), "sort" + of);
        expect(sorted.begins() == begins, "sort keeps blocks" + of);
        expect(same_bytes(argsort(all, keys, along).gather(), argsort(target(), equal, along)),
               "argsort" + of);
        if (runs_own_functions(all))
          expect(
              same_bytes(sort(all, keys, along, by_tens{}).gather(), sort(target(), equal, along, by_tens{})),
              "sort by a function" + of);
        if (lengths.axes() == 1 || lengths[lengths.resolve_axis(along.index)] == 0) continue;
        expect(same_bytes(argmin(all, y, along).gather(), argmin(target(), x, along)), "argmin" + of);
        expect(same_bytes(argmax(all, keys, along).gather(), argmax(target(), equal, along)), "argmax" + of);
      }
    }
  }
}

template <class T>
void check_places(const ranks& all, std::size_t n) {
  array<T> x = numbers<T>({n});
  if constexpr (std::is_floating_point_v<T>) {
    if (n > 3) x.data()[2 * n / 3] = std::numeric_limits<T>::quiet_NaN();
  }
  for (const auto& begins : blocks_to_try(all, x.shape())) {
    const distributed_array<T> y = spread(all, x, begins);
    expect(argmin(all, y) == argmin(target(), x) && argmax(all, y) == argmax(target(), x),
           "argmin and argmax of " + std::to_string(n) + " " + impl::type_name<T>());
  }
}

inline void check_arrays(const ranks& all) {
  for (const shape& lengths : {shape{0}, shape{1}, shape{5}, shape{100'003}, shape{17, 33}, shape{3, 5, 7},
                               shape{0, 4}, shape{4, 0}}) {
    const array<double> x = numbers<double>(lengths);
    const auto tried = blocks_to_try(all, lengths);
    for (const auto& begins : tried) {
      const distributed_array<double> y = spread(all, x, begins);
      expect(same_bytes(y.gather(), x), "gather of " + lengths.text());
      for (const target& where : {target::serial(), target::parallel(2), all.where()}) {
        const array<double> whole = y.gather(where);
        expect(whole.where() == where && same_bytes(whole.on(target()), x),
               "gather of " + lengths.text() + " on " + where.text());
      }
      // Each rank on a target of its own.
      expect(same_bytes(y.gather(all.rank() == 0 ? all.where() : target()).on(target()), x),
             "gather of " + lengths.text() + " on different targets");
      for (const auto& others : tried) {
        const distributed_array<double> z = y.redistributed(others);
        expect(z.begins() == others && same_bytes(z.gather(), x), "redistributed " + lengths.text());
      }
      const distributed_array<double> twice = transform(all, y, y, plus{});
      expect(same_bytes(twice.gather(), transform(target(), x, x, plus{})), "transform of " + lengths.text());
    }
  }
  for (const std::size_t n : {1, 2, 1000, 70'001}) {
    check_places<float>(all, n);
    check_places<std::uint8_t>(all, n);
  }
}

template <class T, class Order>
void check_sort(const ranks& all, const array<T>& x, const Order& order) {
  const std::string name = "sort of " + x.shape().text() + " " + impl::type_name<T>();
  const array<T> want = sort(target(), x, order);
  const array<std::size_t> places = argsort(target(), x, order);
  for (const auto& begins : blocks_to_try(all, x.shape())) {
    const distributed_array<T> sorted = sort(all, spread(all, x, begins), order);
    expect(same_bytes(sorted.gather(), want), name);
    expect(sorted.begins() == impl::even_blocks(want.shape(), all.size()), name + " is in even blocks");
    expect(same_bytes(argsort(all, spread(all, x, begins), order).gather(), places), "arg" + name);
  }
}

inline void check_sorts(const ranks& all) {
  for (const std::size_t n : {0, 1, 2, 7, 1000, 50'001}) {
    check_sort(all, mixed<float>(n), sort_order::ascending);
    check_sort(all, mixed<double>(n), sort_order::descending);
    check_sort(all, mixed<std::int8_t>(n), sort_order::ascending);
    // As elements −0 comes before +0; as keys they are equal.
    array<double> zeros(n);
    for (std::size_t i = 0; i < n; ++i)
      zeros.data()[i] = i % 3 == 0 ? -0.0 : static_cast<double>(random_bits(i) % 2);
    check_sort(all, zeros, sort_order::ascending);
    check_sort(all, zeros, sort_order::descending);
    array<int> skewed(n);
    for (std::size_t i = 0; i < n; ++i)
      skewed.data()[i] = i % 8 != 0 ? 7 : static_cast<int>(random_bits(i) % 1000);
    check_sort(all, skewed, std::greater<>());
    if (runs_own_functions(all)) check_sort(all, skewed, by_tens{});
    const auto is_odd = [](int i) { return i % 2 != 0; };
    const even_bins bins{13, 0, 1000};
    const array<int> different = unique(target(), skewed), odd = copy_if(target(), skewed, is_odd);
    const auto counts = histogram(target(), skewed, bins);
    for (const auto& begins : blocks_to_try(all, skewed.shape())) {
      const distributed_array<int> y = spread(all, skewed, begins);
      expect(same_bytes(unique(all, y).gather(), different), "unique");
      if (runs_own_functions(all)) expect(same_bytes(copy_if(all, y, is_odd).gather(), odd), "copy_if");
      expect(same_bytes(histogram(all, y, bins), counts), "histogram");
    }
    const array<float> x = mixed<float>(n);
    expect(same_bytes(unique(all, spread(all, x, impl::even_blocks(x.shape(), all.size()))).gather(),
                      unique(target(), x)),
           "unique of floats");
    // So many NaNs that several ranks end with one.
    array<float> sparse(n);
    for (std::size_t i = 0; i < n; ++i)
      sparse.data()[i] = i % 8 == 0 ? static_cast<float>(i) : std::numeric_limits<float>::quiet_NaN();
    expect(
        same_bytes(unique(all, spread(all, sparse, impl::even_blocks(sparse.shape(), all.size()))).gather(),
                   unique(target(), sparse)),
        "unique of NaNs");
  }
  check_sort(all, numbers<float>({40, 30}).reshaped({1200}).on({}), sort_order::ascending);
}

/// `folder` is the same on every rank.
inline void check_files(const ranks& all, const std::string& folder) {
  const array<float> x = numbers<float>({1001, 77});
  for (const auto& begins : blocks_to_try(all, x.shape())) {
    const std::string path = folder + "/x.npy";
    write_npy(path, spread(all, x, begins));
    expect(same_bytes(read_npy<float>(path), x), "write_npy");
    expect(same_bytes(read_npy<float>(all, path).gather(), x), "read_npy");
    all.barrier();
  }
  std::string message;
  try {
    write_npy(folder + "/no such folder/x.npy", spread(all, x, impl::even_blocks(x.shape(), all.size())));
  } catch (const error& e) {
    message = e.what();
  }
  expect(message.find("no such folder") != std::string::npos,
         "every rank is told that a file cannot be written");

  // A descriptor takes bytes in order, as a pipe does, by way of rank 0.
  for (const auto& begins : blocks_to_try(all, x.shape())) {
    const std::string path = folder + "/in order.npy";
    const int file = all.rank() == 0 ? open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    write_npy("/dev/fd/" + std::to_string(file), spread(all, x, begins));
    if (file >= 0) close(file);
    all.barrier();
    expect(same_bytes(read_npy<float>(path), x), "write_npy to a descriptor");
    all.barrier();
  }
}

/// f throws a heddle::error that has the words.
template <class F>
void refuses(const F& f, const std::string& words) {
  std::string message;
  try {
    f();
  } catch (const error& e) {
    message = e.what();
  }
  expect(message.find(words) != std::string::npos, "'" + message + "' does not say: " + words);
}

inline void check_refusals_of_blocks(const ranks& all) {
  const std::size_t length = all.rank() == 0 ? 3 : 4;
  if (all.size() > 1) {
    refuses([&] { distributed_array<int>(all, array<int>(all.rank() == 0 ? shape{2, 3} : shape{2, 3, 1})); },
            "blocks of ranks have [2, 3");
    refuses([&] { distributed_array<int>(all, array<int>({2, length})); }, "only the first axes may differ");
  }
  if (!all.where().is_gpu())
    refuses([&] { distributed_array<int>(all, array<int>(shape{0}, target::gpu())); },
            "is on gpu:0, the rank on");
  refuses([&] { random::bits<std::uint32_t>(all, shape{4}, {.seed = 1, .offset = ~std::uint64_t{2}}); },
          "random: offset 18446744073709551613 leaves fewer elements below 2^64 than 4");
  distributed_array<int> deep(all, {2, 2, 2, 2});
  refuses([&] { for_each_index(all, deep, [](int& e, auto... i) { e = static_cast<int>(sizeof...(i)); }); },
          "for_each_index: an array of 4 axes");
  const any_distributed_array x(all, dtype::int32, {8}), y(all, dtype::int32, {9});
  refuses([&] { transform(all, x, y, runtime_op::plus); }, "shapes (8,) and (9,)");
  refuses([&] { write_npy("/nowhere/x.npy", x, {3, 3}); },
          "an array of shape (8,) has not as many elements as (3, 3)");
  const distributed_array<float> a(all, {4, 3});
  refuses([&] { matmul(all, a, array<float>({4, 3, 2})); }, "or one operand is whole on every rank");
  // What a rank sends to itself has a room of its size.
  const int value = 1;
  std::array<int, 2> room{};
  const impl::outgoing out{0, &value, sizeof value};
  const impl::incoming in{0, room.data(), sizeof room};
  const ranks alone(target::serial());
  refuses([&] { alone.between().send_receive({&out, 1}, {&in, 1}, target()); },
          "rank 0 sends 4 bytes to itself, and has room for 8");
  refuses([&] { alone.between().send_receive({&out, 1}, {}, target()); }, "and has room for 0");
}

inline void check_refusals(const ranks& all) {
  refuses([&] { distributed_array<int>(all, shape{}); }, "without axes has no rows");
  refuses([&] { distributed_array<int>(all, shape{7}, std::vector<std::size_t>{0, 3}); },
          all.size() == 1 ? "begin at [0, 3]: give 2 rising numbers from 0 to 7" : "begin at [0, 3]");
  refuses([&] { argmin(all, distributed_array<int>(all, shape{0})); }, "argmin");
  refuses([&] { argmax(all, distributed_array<int>(all, shape{3}), axis{0}); },
          "argmax: an array of one axis");
  expect(distributed_array<int>(all, {7, 3}).shape() == shape{7, 3}, "a list of numbers is a shape");
  for (const shape& lengths : {shape{0, 2}, shape{1, 0}}) {
    const axis along{lengths[0] == 0 ? 0 : 1};
    refuses([&] { reduce(all, distributed_array<float>(all, lengths), along, minimum{}); }, "no elements");
    refuses([&] { argmin(all, distributed_array<float>(all, lengths), along); }, "no elements");
  }
  if (all.size() > 1)
    refuses([&] { reduce(ranks(), distributed_array<float>(all, shape{4})); }, "with an array over");
  // No memory is touched that is not there, whatever the function says.
  array<float> with_nans(12);
  for (std::size_t i = 0; i < 12; ++i)
    with_nans.data()[i] = i % 3 == 1 ? std::nanf("") : static_cast<float>(i * 7 % 12);
  const auto less = [](float a, float b) { return a < b; };
  try {
    sort(all, spread(all, with_nans, impl::even_blocks(shape{12}, all.size())), less);
  } catch (const error&) {
  }
  all.barrier();
  const distributed_array<int> x(all, shape{8});
  refuses([&] { transform(all, x, distributed_array<int>(all, shape{9}), plus{}); }, "shapes (8,) and (9,)");
  refuses(
      [&] { matmul(all, distributed_array<float>(all, {3, 4}), distributed_array<float>(all, {2, 4, 5})); },
      "or one operand is whole on every rank");
  refuses(
      [&] { matmul(all, distributed_array<float>(all, shape{3}), distributed_array<float>(all, shape{3})); },
      "use transform_reduce");
  refuses([&] { matmul(all, distributed_array<float>(all, {3, 4}), array<float>({3, 4})); },
          "the columns of the first are not the rows of the second");
  const auto product_of = [&](dtype a, dtype b) {
    return matmul(all, any_distributed_array(all, a, {3, 4}), any_array(b, {4, 2}));
  };
  refuses([&] { product_of(dtype::float32, dtype::float64); },
          "matmul of float32 and float64 over ranks: convert one operand, as converted(x, dtype::float32)");
  refuses([&] { product_of(dtype::int32, dtype::int32); },
          "matmul of int32: the type is float32, float64, complex64 or complex128");
}

inline void check_everything(const ranks& all, const std::string& folder) {
  check_exchanges(all);
  check_reductions(all);
  check_axes(all);
  check_orders_along_axes(all);
  check_scans_of_everything(all);
  check_arrays(all);
  check_sorts(all);
  check_files(all, folder);
  check_refusals(all);
  check_refusals_of_blocks(all);
}

}  // namespace heddle::tests
