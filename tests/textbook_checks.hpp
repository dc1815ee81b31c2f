#pragma once

#include "elements.hpp"
#include "looped_scan.hpp"
#include "sizes.hpp"
#include <heddle/impl/patterns/textbook/front.hpp>
#include <heddle/textbook.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

/// Checks of the textbook methods with operators and types of a user's own, and counting of what they do: for
/// a host compiler, and for nvcc.
namespace heddle::tests {

/// What a method did: its combinations, and the elements that it read from and wrote to memory that all
/// blocks see.
struct work_done {
  std::uint64_t operations = 0, read = 0, written = 0;
};

enum class work : int { operation, read, written };

inline std::atomic<std::uint64_t> work_on_cpu[3];
#if defined(__CUDACC__)
static __device__ unsigned long long work_on_gpu[3];
#endif

HD_FN inline __attribute__((noinline)) void count_work(work kind) {
#if defined(__CUDA_ARCH__)
  atomicAdd(&work_on_gpu[static_cast<int>(kind)], 1ull);
#else
  work_on_cpu[static_cast<int>(kind)].fetch_add(1, std::memory_order_relaxed);
#endif
}

/// What has been done since the last call.
inline work_done take_work([[maybe_unused]] const target& where) {
  std::uint64_t done[3];
  for (int i = 0; i < 3; ++i) done[i] = work_on_cpu[i].exchange(0);
#if defined(__CUDACC__)
  if (where.is_gpu()) {
    where.wait();
    unsigned long long on_gpu[3] = {};
    EXPECT_EQ(cudaMemcpyFromSymbol(on_gpu, work_on_gpu, sizeof on_gpu), cudaSuccess);
    for (int i = 0; i < 3; ++i) done[i] += on_gpu[i];
    for (auto& count : on_gpu) count = 0;
    EXPECT_EQ(cudaMemcpyToSymbol(work_on_gpu, on_gpu, sizeof on_gpu), cudaSuccess);
  }
#endif
  return {done[0], done[1], done[2]};
}

/// A number of `Bytes` bytes that knows the longest chain of combinations that it came from. Larger than 8
/// bytes, so that no atomic is tried twice.
template <std::size_t Bytes>
struct counted {
  std::int64_t value;
  std::int32_t chain;
  unsigned char rest[Bytes - 12];
};

/// The sum, counted. Whether it commutes is what it says.
template <std::size_t Bytes, bool Commutes>
struct counting_sum {
  static constexpr bool commutative = Commutes;
  HD_FN counted<Bytes> operator()(const counted<Bytes>& a, const counted<Bytes>& b) const {
    count_work(work::operation);
    counted<Bytes> sum{};
    sum.value = a.value + b.value;
    sum.chain = (a.chain < b.chain ? b.chain : a.chain) + 1;
    return sum;
  }
  template <class T>
  static constexpr T identity() {
    return T{};
  }
};

}  // namespace heddle::tests

template <std::size_t Bytes>
struct heddle::textbook::traffic<heddle::tests::counted<Bytes>> {
  static HD_FN void read() { tests::count_work(tests::work::read); }
  static HD_FN void written() { tests::count_work(tests::work::written); }
};

namespace heddle::tests {

/// Where textbook methods turn to another path: one element, warps, blocks of 256, one block of a scan,
/// blocks of blocks, and a second pass whose threads take several.
inline std::vector<std::size_t> textbook_sizes() {
  if (seeks_races) return {1, 33, 257, 1025, 4097};
  return {1, 2, 3, 31, 32, 33, 255, 256, 257, 511, 513, 1000, 1023, 1024, 1025, 2047, 4097};
}

template <std::size_t Bytes>
array<counted<Bytes>> counted_elements(std::size_t n) {
  array<counted<Bytes>> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x.data()[i] = {};
    x.data()[i].value = static_cast<std::int64_t>(random_bits(i) >> 32);
  }
  return x;
}

/// What a method makes of elements that are on `where`. For large types it is called past `hd::reduce`, which
/// would compile the default for them as well: that takes nvcc minutes, and has tests of its own.
template <class T, class Op>
T reduced_by(const target& where, reduce_algorithm algorithm, const array<T>& x, const Op& op,
             const T* init = nullptr) {
  return impl::reduce_to_value<T>(where, op, init, [&](T* out) {
    impl::reduce_by_method(where, algorithm, x.data(), op, x.size(), out);
  });
}

/// Runs every method on n elements and compares what it does with what cost_of says, number by number.
template <std::size_t Bytes, bool Commutes>
void check_cost_of_reduce(const target& where, std::size_t n) {
  const auto x = counted_elements<Bytes>(n);
  const auto there = x.on(where);
  std::int64_t sum = 0;
  for (const auto& element : x.span()) sum += element.value;
  for (const reduce_algorithm algorithm : reduce_algorithms) {
    if (algorithm == reduce_algorithm::single_pass) continue;
    if (algorithm == reduce_algorithm::atomic && !Commutes) continue;
    take_work(where);
    const std::uint64_t launches_before = impl::launches();
    const counted<Bytes> result = reduced_by(where, algorithm, there, counting_sum<Bytes, Commutes>{});
    const std::uint64_t launches = impl::launches() - launches_before;
    const work_done done = take_work(where);
    const algorithm_cost cost = cost_of(algorithm, n, Bytes, Commutes);
    EXPECT_EQ(result.value, sum) << name(algorithm) << ", n = " << n;
    EXPECT_EQ(done.operations, cost.operations) << name(algorithm) << ", n = " << n;
    EXPECT_EQ(static_cast<std::size_t>(result.chain), cost.steps) << name(algorithm) << ", n = " << n;
    EXPECT_EQ(launches, cost.launches) << name(algorithm) << ", n = " << n;
    EXPECT_EQ((done.read + done.written) * Bytes, cost.bytes) << name(algorithm) << ", n = " << n;
  }
}

template <std::size_t Bytes>
void check_cost_of_scan(const target& where, std::size_t n) {
  const auto x = counted_elements<Bytes>(n);
  const auto there = x.on(where);
  for (const scan_algorithm algorithm : scan_algorithms) {
    if (algorithm == scan_algorithm::single_pass) continue;
    take_work(where);
    const std::uint64_t launches_before = impl::launches();
    array<counted<Bytes>> result(n, where);
    impl::scan_by_method<counted<Bytes>>(where, algorithm, there.data(), counting_sum<Bytes, false>{}, false,
                                         nullptr, n, result.data());
    const std::uint64_t launches = impl::launches() - launches_before;
    const work_done done = take_work(where);
    const algorithm_cost cost = cost_of(algorithm, n, Bytes);
    const auto on_cpu = result.on(target::serial());
    std::int64_t sum = 0;
    std::size_t chain = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sum += x.data()[i].value;
      ASSERT_EQ(on_cpu.data()[i].value, sum) << name(algorithm) << ", n = " << n << ", element " << i;
      chain = std::max(chain, static_cast<std::size_t>(on_cpu.data()[i].chain));
    }
    EXPECT_EQ(done.operations, cost.operations) << name(algorithm) << ", n = " << n;
    EXPECT_EQ(launches, cost.launches) << name(algorithm) << ", n = " << n;
    EXPECT_EQ((done.read + done.written) * Bytes, cost.bytes) << name(algorithm) << ", n = " << n;
    // The end of Blelloch's longest chain is the last leaf but one of the padded tree, or lies in the
    // padding.
    if (algorithm == scan_algorithm::hillis_steele || n + 1 >= std::bit_ceil(n)) {
      EXPECT_EQ(chain, cost.steps) << name(algorithm) << ", n = " << n;
    } else {
      EXPECT_LE(chain, cost.steps) << name(algorithm) << ", n = " << n;
    }
  }
}

/// Every method that the operator allows, with and without an initial value, against a loop from left to
/// right. For operators whose results are exact, whatever the grouping. `make(i)` is element i.
template <class T, class Op, class Make>
void check_reduce_by_methods(const target& where, const Op& op, const Make& make,
                             std::vector<std::size_t> sizes = textbook_sizes()) {
  for (const std::size_t n : sizes) {
    array<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = make(i);
    const array<T> there = x.on(where);
    T want = x.data()[0];
    for (std::size_t i = 1; i < n; ++i) want = op(want, x.data()[i]);
    const T init = make(n + 1), want_with_init = op(init, want);
    for (const reduce_algorithm algorithm : reduce_algorithms) {
      if (algorithm == reduce_algorithm::atomic && !is_commutative<Op, T>) continue;
      if (algorithm == reduce_algorithm::two_pass && !impl::has_identity<Op, T>) continue;
      if (algorithm != reduce_algorithm::single_pass) {
        ASSERT_TRUE(same_bits(reduced_by(where, algorithm, there, op), want))
            << name(algorithm) << ", n = " << n;
        ASSERT_TRUE(same_bits(reduced_by(where, algorithm, there, op, &init), want_with_init))
            << name(algorithm) << ", n = " << n;
      }
      if constexpr (sizeof(T) <= 4) {
        ASSERT_TRUE(same_bits(reduce(where, there, op, algorithm), want)) << name(algorithm) << ", n = " << n;
        ASSERT_TRUE(same_bits(reduce(where, x, op, init, algorithm), want_with_init))
            << name(algorithm) << ", n = " << n;
      }
    }
  }
}

/// The scans likewise.
template <class T, class Op, class Make>
void check_scan_by_methods(const target& where, const Op& op, const Make& make,
                           std::vector<std::size_t> sizes = textbook_sizes()) {
  for (const std::size_t n : sizes) {
    array<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = make(i);
    const T init = make(n + 1);
    for (const scan_algorithm algorithm : scan_algorithms) {
      if (algorithm == scan_algorithm::blelloch && !impl::has_identity<Op, T>) continue;
      for (unsigned v = 0; v < variants && algorithm != scan_algorithm::single_pass; ++v) {
        const variant how(v);
        if (how.exclusive && !how.has_init) continue;  // begins with the identity: below
        const array<T> in = x.on(where);
        array<T> apart(how.in_place ? 0 : n, where);
        const T* const before = how.has_init ? &init : nullptr;
        T* const out = how.in_place ? const_cast<T*>(in.data()) : apart.data();
        impl::scan_by_method<T>(where, algorithm, in.data(), op, how.exclusive, before, n, out);
        ASSERT_TRUE(same_elements(how.in_place ? in : apart, looped<T>(x, how.exclusive, before, op)))
            << name(algorithm) << ", n = " << n << ", " << how.text();
      }
      if constexpr (sizeof(T) <= 4) {
        ASSERT_TRUE(same_elements(inclusive_scan(where, x, op, algorithm), looped<T>(x, false, nullptr, op)))
            << name(algorithm) << ", n = " << n;
        ASSERT_TRUE(
            same_elements(exclusive_scan(where, x, op, init, algorithm), looped<T>(x, true, &init, op)))
            << name(algorithm) << ", n = " << n;
        if constexpr (impl::has_identity<Op, T>) {
          const T identity = impl::identity_of<Op, T>(op);
          ASSERT_TRUE(
              same_elements(exclusive_scan(where, x, op, algorithm), looped<T>(x, true, &identity, op)))
              << name(algorithm) << ", n = " << n;
        }
      }
    }
  }
}

/// The product of matrices, in that order.
struct product {
  template <class T>
  HD_FN T operator()(const T& a, const T& b) const {
    return a * b;
  }
};
/// The left one, and the right one, of two: what is left of many shows their order.
struct left_of_two {
  HD_FN int operator()(int a, int) const { return a; }
};
struct right_of_two {
  HD_FN int operator()(int, int b) const { return b; }
};
/// A sum of 16 bytes that commutes and has no identity.
struct two_sums {
  std::int64_t a, b;
};
struct add_both {
  static constexpr bool commutative = true;
  HD_FN two_sums operator()(const two_sums& x, const two_sums& y) const { return {x.a + y.a, x.b + y.b}; }
};
/// Of three bytes, which no processor has a word for.
struct colour {
  std::uint8_t r, g, b;
};
struct mix {
  HD_FN colour operator()(const colour& x, const colour& y) const {
    return {static_cast<std::uint8_t>(x.r + y.r), static_cast<std::uint8_t>(x.g ^ y.g),
            static_cast<std::uint8_t>(x.b | y.b)};
  }
};

/// Types and operators of a user's own, on one target.
template <class Matrix>
void check_matrices(const target& where, const Matrix& unit, const std::vector<std::size_t>& sizes) {
  check_reduce_by_methods<Matrix>(where, monoid{product{}, unit}, random_element<Matrix>, sizes);
  check_scan_by_methods<Matrix>(where, monoid{product{}, unit}, random_element<Matrix>, sizes);
}

template <class Left = left_of_two, class Right = right_of_two>
void check_ends(const target& where) {
  const auto number = [](std::size_t i) { return static_cast<int>(random_bits(i) >> 33); };
  check_reduce_by_methods<int>(where, Left{}, number);
  check_reduce_by_methods<int>(where, Right{}, number);
  check_scan_by_methods<int>(where, Right{}, number);
}

/// Without an identity, and larger than any word.
template <class Add = add_both>
void check_pairs_of_sums(const target& where) {
  const auto sums = [](std::size_t i) {
    return two_sums{static_cast<std::int64_t>(random_bits(2 * i) >> 20),
                    static_cast<std::int64_t>(random_bits(2 * i + 1) >> 20)};
  };
  check_reduce_by_methods<two_sums>(where, Add{}, sums);
  check_scan_by_methods<two_sums>(where, Add{}, sums);
}

template <class Mix = mix>
void check_colours(const target& where) {
  const auto dye = [](std::size_t i) {
    const std::uint64_t bits = random_bits(i);
    const auto bit = static_cast<std::uint8_t>(bits % 64 == 0 ? 1u << (bits >> 8) % 8 : 0);
    return colour{static_cast<std::uint8_t>(bits >> 16), static_cast<std::uint8_t>(bits >> 24), bit};
  };
  check_reduce_by_methods<colour>(where, commutative_monoid{Mix{}, colour{}}, dye);
  check_scan_by_methods<colour>(where, commutative_monoid{Mix{}, colour{}}, dye);
}

/// Neighbours that are joined in another order break.
template <class Join = join>
void check_runs(const target& where) {
  for (const std::size_t n : {1, 2, 257, 5000, 70'001}) {
    array<run> x(n);
    for (std::size_t i = 0; i < n; ++i)
      x.data()[i] = {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)};
    const array<run> there = x.on(where);
    for (const reduce_algorithm algorithm : reduce_algorithms) {
      if (algorithm == reduce_algorithm::single_pass || algorithm == reduce_algorithm::atomic ||
          algorithm == reduce_algorithm::two_pass)
        continue;
      EXPECT_EQ(reduced_by(where, algorithm, there, Join{}), (run{0, static_cast<std::int64_t>(n) - 1}))
          << name(algorithm) << ", n = " << n;
    }
  }
}

/// What every method costs on elements of so many bytes, counted on one target.
template <std::size_t Bytes>
void check_costs(const target& where, const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    check_cost_of_reduce<Bytes, true>(where, n);
    check_cost_of_reduce<Bytes, false>(where, n);
    check_cost_of_scan<Bytes>(where, n);
  }
}

/// Of blocks of 256.
inline std::vector<std::size_t> sizes_to_count() {
  std::vector<std::size_t> sizes = textbook_sizes();
  if (seeks_races) return sizes;
  for (const std::size_t n : {4, 5, 128, 2048, 65'535, 65'536, 65'537, 70'001}) sizes.push_back(n);
  return sizes;
}
/// Of smaller blocks.
inline std::vector<std::size_t> few_sizes_to_count() {
  return {1, 15, 16, 17, 127, 128, 129, 1000, 1025};
}

}  // namespace heddle::tests
