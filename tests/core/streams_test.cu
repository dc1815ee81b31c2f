#include "tests/sizes.hpp"
#include <heddle/error.hpp>
#include <heddle/fft.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/textbook.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace hd = heddle;

namespace {

constexpr int stream_count = 8;
constexpr unsigned kinds[] = {cudaStreamDefault, cudaStreamNonBlocking};

/// Several streams of the first GPU, half of which do not wait for the default stream.
class streams_Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
    for (int i = 0; i < stream_count; ++i) {
      cudaStream_t stream = nullptr;
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, kinds[i % 2]), cudaSuccess);
      on.push_back(hd::target::gpu(0, stream));
    }
  }
  void TearDown() override {
    for (const hd::target& where : on) EXPECT_EQ(cudaStreamDestroy(where.stream()), cudaSuccess);
  }
  std::vector<hd::target> on;
  const std::size_t n = std::min<std::size_t>(1 << 22, heddle::tests::largest_size());
};

/// Makes element i factor · (i + 1). (nvcc takes no lambda for a GPU from a member function that is private.)
void write_ramp(const hd::target& where, hd::array<std::int64_t>& x, std::int64_t factor) {
  const auto at = x.access<1>();
  hd::for_each_index(where, hd::extent{x.size()},
                     [=] HD_FN(std::size_t i) { at(i) = factor * static_cast<std::int64_t>(i + 1); });
}

/// Whether element i is factor · (i + 1).
testing::AssertionResult is_ramp(const hd::array<std::int64_t>& x, std::int64_t factor) {
  const std::vector<std::int64_t> have = x.to_vector();
  for (std::size_t i = 0; i < have.size(); ++i) {
    const std::int64_t want = factor * static_cast<std::int64_t>(i + 1);
    if (have[i] != want) {
      return testing::AssertionFailure() << "element " << i << " is " << have[i] << " instead of " << want;
    }
  }
  return testing::AssertionSuccess();
}

/// What `launch` does on a stream, to be done again.
class captured_graph {
 public:
  template <class F>
  captured_graph(const hd::target& where, const F& launch) {
    where.wait();
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(where.stream(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    launch();
    EXPECT_EQ(cudaStreamEndCapture(where.stream(), &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&ready_, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
  ~captured_graph() { EXPECT_EQ(cudaGraphExecDestroy(ready_), cudaSuccess); }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;

  void replay(const hd::target& where) const {
    EXPECT_EQ(cudaGraphLaunch(ready_, where.stream()), cudaSuccess);
  }

 private:
  cudaGraphExec_t ready_ = nullptr;
};

using complex = std::complex<double>;

hd::array<complex> impulse(std::size_t n, std::size_t place) {
  hd::array<complex> x(n);
  x.fill(0);
  x.set(1, place);
  return x;
}

/// Whether y is the transform of an impulse: element k is exp(−2πi·k·place/n).
testing::AssertionResult is_of_impulse(const hd::array<complex>& y, std::size_t place) {
  const std::vector<complex> have = y.to_vector();
  const std::size_t n = have.size();
  for (std::size_t k = 0; k < n; ++k) {
    const double turns = static_cast<double>(k * place % n) / static_cast<double>(n);
    const double error = std::abs(have[k] - std::polar(1.0, -2 * std::numbers::pi * turns));
    if (!(error < 1e-11))
      return testing::AssertionFailure() << "element " << k << " of " << n << " is off by " << error;
  }
  return testing::AssertionSuccess();
}

/// Square matrices of whole numbers, whose product floats hold exactly.
constexpr std::size_t side = 48;
hd::array<float> whole_numbers(std::size_t seed) {
  hd::array<float> x({side, side});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>((i * 31 + seed * 17) % 23) - 11;
  return x;
}
testing::AssertionResult is_product(const hd::array<float>& c, const hd::array<float>& a,
                                    const hd::array<float>& b) {
  const std::vector<float> have = c.to_vector(), left = a.to_vector(), right = b.to_vector();
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < side; ++k) sum += left[row * side + k] * right[k * side + column];
      if (have[row * side + column] != sum)
        return testing::AssertionFailure() << have[row * side + column] << " instead of " << sum;
    }
  }
  return testing::AssertionSuccess();
}

/// Bytes of the first GPU that are taken, but for what Heddle keeps to give out again.
double bytes_taken() {
  const hd::target where = hd::target::gpu(0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  hd::release_cached_memory(where);
  std::size_t free = 0, all = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &all), cudaSuccess);
  return static_cast<double>(all - free);
}

/// What is kept for later calls must not take more after several times as many kinds of calls.
void expect_bounded(double before, double once, double several_times) {
  constexpr double slack = 64 << 20;
  EXPECT_LE(several_times - before, 1.5 * (once - before) + slack)
      << (once - before) / 1e6 << " MB once, " << (several_times - before) / 1e6 << " MB several times";
}

/// More plans than are kept: of long lines, many of which have large prime factors.
constexpr std::size_t plans_kept = 256, plan_lengths = 4 * plans_kept, first_length = 30'011;
void transform_each_length(const std::vector<hd::target>& on, std::size_t first, std::size_t count) {
  std::vector<hd::array<complex>> results;
  const auto length = [](std::size_t i) { return first_length + 2 * (i % plan_lengths); };
  for (std::size_t i = first; i < first + count; ++i) {
    const hd::target& where = on[i % on.size()];
    results.push_back(hd::fft(where, impulse(length(i), i % 1000).on(where)));
    // Transforms of several streams run at once.
    if (results.size() < 2 * on.size() && i + 1 < first + count) continue;
    for (std::size_t k = 0; k < results.size(); ++k) {
      const std::size_t which = i + 1 - results.size() + k;
      ASSERT_TRUE(is_of_impulse(results[k], which % 1000)) << "transform " << which;
    }
    results.clear();
  }
}

/// Products on so many new streams.
void multiply_on_new_streams(std::size_t count) {
  const hd::array<float> a = whole_numbers(1), b = whole_numbers(2);
  std::vector<cudaStream_t> streams(count);
  {
    std::vector<hd::array<float>> products;
    for (cudaStream_t& stream : streams) {
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
      products.push_back(hd::matmul(hd::target::gpu(0, stream), a, b));
    }
    for (const hd::array<float>& c : products) ASSERT_TRUE(is_product(c, a, b));
  }
  for (cudaStream_t stream : streams) ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace

TEST_F(streams_Gpu, transforms_stay_right_when_plans_are_dropped_whose_memory_is_freed) {
  transform_each_length(on, 0, 1);  // what cuFFT takes once
  const double before = bytes_taken();
  transform_each_length(on, 1, plans_kept - 1);
  const double once = bytes_taken();
  transform_each_length(on, plans_kept, 3 * plans_kept);
  expect_bounded(before, once, bytes_taken());
}

TEST_F(streams_Gpu, transforms_of_several_threads_stay_right_when_plans_are_dropped) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    // Half of the lengths of one are the next one's too.
    threads.emplace_back(
        [&, i] { transform_each_length({on[2 * i], on[2 * i + 1]}, i * plans_kept / 2, plans_kept); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(streams_Gpu, products_stay_right_when_handles_are_dropped_whose_memory_is_freed) {
  constexpr std::size_t handles_kept = 64;
  multiply_on_new_streams(1);  // what cuBLAS takes once
  const double before = bytes_taken();
  multiply_on_new_streams(handles_kept);
  const double once = bytes_taken();
  for (int i = 0; i < 3; ++i) multiply_on_new_streams(handles_kept);
  expect_bounded(before, once, bytes_taken());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { multiply_on_new_streams(handles_kept / 2); });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(streams_Gpu, work_on_many_at_once_does_not_mix) {
  std::vector<hd::array<std::int64_t>> x;
  for (int i = 0; i < stream_count; ++i) {
    x.emplace_back(n, on[i]);
    x[i].fill(i + 1);
    hd::inclusive_scan_into(on[i], x[i], x[i]);
    hd::transform_into(on[i], x[i], x[i], std::int64_t{2}, hd::multiplies{});
  }
  for (int i = 0; i < stream_count; ++i) EXPECT_TRUE(is_ramp(x[i], 2 * (i + 1))) << "stream " << i;
}

TEST_F(streams_Gpu, what_one_fills_another_may_read_at_once) {
  hd::array<std::int64_t> x(n, on[0]);
  x.fill(1);
  hd::inclusive_scan_into(on[0], x, x);
  for (int i = 1; i < stream_count; ++i) {
    // Made on the stream before; read, and written anew in place, on this one.
    const hd::array<std::int64_t> one_more = hd::transform(on[i], x, x, hd::plus{});
    hd::transform_into(on[i], x, one_more, x, hd::minus{});
    ASSERT_EQ(hd::reduce(on[(i + 1) % stream_count], x),
              static_cast<std::int64_t>(n) * static_cast<std::int64_t>(n + 1) / 2);
  }
  EXPECT_TRUE(is_ramp(x, 1));
}

TEST_F(streams_Gpu, an_array_may_be_freed_while_another_stream_still_reads_it) {
  std::vector<hd::array<std::int64_t>> results;
  for (int round = 0; round < 20; ++round) {
    const hd::target& reader = on[(round + 1) % stream_count];
    hd::array<std::int64_t> x(n, on[round % stream_count]);
    x.fill(round + 1);
    results.push_back(hd::inclusive_scan(reader, x));
    x = hd::array<std::int64_t>();
    hd::array<std::int64_t> next(n, on[round % stream_count]);  // in the memory that x had, as like as not
    next.fill(-1);
    if (results.size() == 4) {
      for (int i = 0; i < 4; ++i) EXPECT_TRUE(is_ramp(results[i], round - 3 + i + 1)) << "round " << round;
      results.clear();
    }
  }
}

TEST_F(streams_Gpu, fill_is_ordered_and_wait_waits) {
  for (int i = 0; i < stream_count; ++i) {
    hd::array<std::int64_t> x(n, on[i]);
    write_ramp(on[i], x, 3);
    on[i].wait();
    EXPECT_EQ(cudaStreamQuery(on[i].stream()), cudaSuccess);
    EXPECT_TRUE(is_ramp(x, 3));
    x.fill(7);
    EXPECT_EQ(x.back(), 7);
    EXPECT_EQ(hd::reduce(on[i], x, hd::maximum{}), 7);
  }
}

TEST_F(streams_Gpu, copies_between_them_arrive_in_order) {
  hd::array<std::int64_t> x(n, on[0]);
  x.fill(1);
  hd::inclusive_scan_into(on[0], x, x);
  for (int i = 1; i < stream_count; ++i) {
    hd::array<std::int64_t> y = x.on(on[i]);
    x.fill(0);  // after the copy has read it
    EXPECT_TRUE(is_ramp(y, 1)) << "stream " << i;
    x.copy_from(y);
    y.fill(0);
    EXPECT_TRUE(is_ramp(x, 1)) << "stream " << i;
  }
}

TEST_F(streams_Gpu, threads_may_use_one_stream_each_or_one_together) {
  for (const bool together : {false, true}) {
    std::vector<std::string> problems(stream_count);
    std::vector<std::thread> threads;
    for (int i = 0; i < stream_count; ++i) {
      threads.emplace_back([&, i] {
        try {
          const hd::target& where = together ? on[0] : on[i];
          for (int round = 0; round < 10; ++round) {
            hd::array<std::int64_t> x(n / 16 + 1, where);
            x.fill(i + round);
            if (hd::reduce(where, x) != static_cast<std::int64_t>(x.size()) * (i + round))
              problems[i] = "reduce";
            hd::inclusive_scan_into(where, x, x);
            if (!is_ramp(x, i + round)) problems[i] = "inclusive_scan";
          }
        } catch (const hd::error& problem) {
          problems[i] = problem.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(problems, std::vector<std::string>(stream_count));
  }
}

TEST_F(streams_Gpu, reduce_has_the_same_bits_on_each) {
  hd::array<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x.data()[i] = static_cast<float>((i * 2654435761u) % 1000) * 0.001f;
  const float serial = hd::reduce(hd::target::serial(), x);
  for (const hd::target& where : on) EXPECT_EQ(hd::reduce(where, x), serial);
}

// More tiles than there are multiprocessors, so that blocks of several launches share them.
TEST_F(streams_Gpu, large_scans_at_once_do_not_wait_for_each_other) {
  const std::size_t size = std::min<std::size_t>((std::size_t{1} << 24) + 7, heddle::tests::largest_size());
  std::vector<hd::array<std::int64_t>> x;
  for (const hd::target& where : on) {
    x.emplace_back(size, where);
    x.back().fill(1);
  }
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i].fill(static_cast<std::int64_t>(i) + 1);
      hd::inclusive_scan_into(on[i], x[i], x[i]);
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(is_ramp(x[i], static_cast<std::int64_t>(i) + 1));
}

TEST_F(streams_Gpu, a_captured_launch_replays_right) {
  const hd::target& where = on[1];  // the default stream must not be waited for while capturing
  for (const std::size_t size : {std::size_t{100}, std::size_t{5000}, n / 8 + 1, n}) {
    hd::array<std::int64_t> x(size, where), sums(size, where);
    x.fill(1);
    const captured_graph graph(where, [&] { hd::inclusive_scan_into(where, sums, x); });
    for (std::int64_t factor = 1; factor < 5; ++factor) {
      x.fill(factor);
      sums.fill(-1);
      where.wait();
      // On another stream than the one that it was captured from, beside a scan of that one.
      graph.replay(on[3]);
      hd::array<std::int64_t> other(size, where);
      other.fill(3);
      hd::inclusive_scan_into(where, other, other);
      on[3].wait();
      EXPECT_TRUE(is_ramp(sums, factor)) << size << " elements, replay " << factor;
      EXPECT_TRUE(is_ramp(other, 3));
    }
  }
}

TEST_F(streams_Gpu, a_captured_scan_of_columns_replays_right) {
  const hd::target& where = on[1];
  const hd::shape lengths{9000, 16};
  hd::array<std::int64_t> x(lengths, where), sums(lengths, where);
  x.fill(1);
  const captured_graph graph(where, [&] { hd::inclusive_scan_into(where, sums, x, hd::axis{0}); });
  for (std::int64_t factor = 1; factor < 5; ++factor) {
    x.fill(factor);
    sums.fill(-1);
    where.wait();
    graph.replay(on[3]);
    on[3].wait();
    const hd::array<std::int64_t> have = sums.on(hd::target::serial());
    for (std::size_t i = 0; i < have.size(); ++i)
      ASSERT_EQ(have.data()[i], factor * static_cast<std::int64_t>(i / 16 + 1)) << factor << ", " << i;
  }
}

TEST_F(streams_Gpu, captured_reductions_into_outputs_replay_right) {
  const hd::target& where = on[1];
  for (const std::size_t rows : {std::size_t{3}, std::size_t{5000}, n / 16}) {
    hd::array<std::int64_t> x({rows, 16}, where), total(1, where), from_ten(1, where), columns(16, where),
        squares(1, where);
    x.fill(1);
    const captured_graph graph(where, [&] {
      hd::reduce_into(where, total, x);
      hd::reduce_into(where, from_ten, x, hd::plus{}, 10);
      hd::reduce_into(where, columns, x, hd::axis{0});
      hd::transform_reduce_into(where, squares, x, x, hd::multiplies{}, hd::plus{});
    });
    const auto count = static_cast<std::int64_t>(rows);
    for (std::int64_t factor = 1; factor < 5; ++factor) {
      x.fill(factor);
      for (auto* const out : {&total, &from_ten, &columns, &squares}) out->fill(-1);
      where.wait();
      graph.replay(on[3]);
      on[3].wait();
      EXPECT_EQ(total[0], 16 * count * factor);
      EXPECT_EQ(from_ten[0], 16 * count * factor + 10);
      EXPECT_EQ(columns.to_vector(), std::vector<std::int64_t>(16, count * factor));
      EXPECT_EQ(squares[0], 16 * count * factor * factor);
    }
  }
}

TEST_F(streams_Gpu, a_reduction_into_an_output_is_not_waited_for_and_is_ordered_with_other_streams) {
  for (int i = 0; i < 20; ++i) {
    hd::array<std::int64_t> x(n, on[1]), total(1, on[2]), twice(1, on[3]);
    x.fill(i);
    hd::reduce_into(on[2], total, x);
    hd::transform_into(on[3], twice, total, total, hd::plus{});
    EXPECT_EQ(twice[0], 2 * i * static_cast<std::int64_t>(n));
  }
}

TEST_F(streams_Gpu,
       captured_transforms_and_products_replay_right_when_their_plans_and_handles_would_be_dropped) {
  const hd::target& where = on[1];
  const std::size_t n = 1009;
  hd::array<complex> x = impulse(n, 3).on(where), y(n, where);
  hd::array<float> a = whole_numbers(3).on(where), b = whole_numbers(4).on(where), c({side, side}, where);
  hd::fft_into(where, y, x);
  const captured_graph graph(where, [&] {
    hd::fft_into(where, y, x);
    hd::matmul_into(where, c, a, b);
  });
  transform_each_length(on, 0, plans_kept + 1);
  multiply_on_new_streams(80);
  for (const std::size_t round : {5, 6}) {
    x.copy_from(impulse(n, round));
    a.copy_from(whole_numbers(round));
    y.fill(0);
    c.fill(0);
    where.wait();
    graph.replay(on[3]);
    on[3].wait();
    EXPECT_TRUE(is_of_impulse(y, round));
    EXPECT_TRUE(is_product(c, a, b));
  }
}

TEST_F(streams_Gpu, a_transform_without_a_plan_is_not_captured) {
  const hd::target& where = on[1];
  hd::array<complex> x = impulse(1013, 3).on(where), y(1013, where);
  std::string message;
  const captured_graph graph(where, [&] {
    try {
      hd::fft_into(where, y, x);
    } catch (const hd::error& refused) {
      message = refused.what();
    }
  });
  EXPECT_NE(message.find("run the same transform"), std::string::npos) << message;
}

TEST_F(streams_Gpu, captured_textbook_methods_replay_right) {
  const hd::target& where = on[1];
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::min<std::size_t>(n, 70'001)}) {
    hd::array<std::int64_t> x(size, where), sum(1, where), sums(size, where);
    x.fill(1);
    for (const hd::reduce_algorithm method : hd::reduce_algorithms) {
      // hd::reduce waits for its value, which nothing can while capturing.
      const captured_graph graph(where, [&] {
        hd::impl::library_reduce_by(method, hd::runtime_op::plus, hd::dtype::int64, std::as_const(x).data(),
                                    size, sum.data(), where);
      });
      for (std::int64_t factor = 1; factor < 4; ++factor) {
        x.fill(factor);
        sum.fill(-1);
        where.wait();
        graph.replay(on[3]);
        on[3].wait();
        EXPECT_EQ(sum[0], factor * static_cast<std::int64_t>(size)) << hd::name(method) << ", " << size;
      }
    }
    for (const hd::scan_algorithm method : hd::scan_algorithms) {
      const captured_graph graph(where, [&] { hd::inclusive_scan_into(where, sums, x, hd::plus{}, method); });
      for (std::int64_t factor = 1; factor < 4; ++factor) {
        x.fill(factor);
        sums.fill(-1);
        where.wait();
        graph.replay(on[3]);
        on[3].wait();
        EXPECT_TRUE(is_ramp(sums, factor)) << hd::name(method) << ", " << size << " elements";
      }
    }
  }
}
