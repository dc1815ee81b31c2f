#include "sizes.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/error.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
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

}  // namespace

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

TEST_F(streams_Gpu, captured_rungs_of_the_ladder_replay_right) {
  const hd::target& where = on[1];
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::min<std::size_t>(n, 70'001)}) {
    hd::array<std::int64_t> x(size, where), sum(1, where), sums(size, where);
    x.fill(1);
    for (const hd::reduce_algorithm rung : hd::reduce_algorithms) {
      // hd::reduce waits for its value, which nothing can while capturing.
      const captured_graph graph(where, [&] {
        hd::detail::library_reduce_by(rung, hd::detail::function::plus, hd::dtype::int64,
                                      std::as_const(x).data(), size, sum.data(), where);
      });
      for (std::int64_t factor = 1; factor < 4; ++factor) {
        x.fill(factor);
        sum.fill(-1);
        where.wait();
        graph.replay(on[3]);
        on[3].wait();
        EXPECT_EQ(sum[0], factor * static_cast<std::int64_t>(size)) << hd::name(rung) << ", " << size;
      }
    }
    for (const hd::scan_algorithm rung : hd::scan_algorithms) {
      const captured_graph graph(where, [&] { hd::inclusive_scan_into(where, sums, x, hd::plus{}, rung); });
      for (std::int64_t factor = 1; factor < 4; ++factor) {
        x.fill(factor);
        sums.fill(-1);
        where.wait();
        graph.replay(on[3]);
        on[3].wait();
        EXPECT_TRUE(is_ramp(sums, factor)) << hd::name(rung) << ", " << size << " elements";
      }
    }
  }
}
