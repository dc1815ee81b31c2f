#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/argmin.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/textbook.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class concurrency : public on_targets {};
HD_ON_ALL_TARGETS(concurrency);

/// With functions of a host compiler, which a GPU does not have.
class users_function : public on_targets {};
HD_ON_CPU_TARGETS(users_function);

constexpr int callers = 6;
const std::size_t many = std::clamp<std::size_t>(largest_size(), 100, 100003);

/// Calls f(0), f(1), … at once, each on a thread of its own, and gives back what they threw.
std::vector<std::string> at_once(const std::function<void(int caller)>& f) {
  std::vector<std::string> thrown(callers);
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      ready.fetch_add(1);
      while (ready.load() < callers) std::this_thread::yield();
      try {
        f(caller);
      } catch (const std::exception& problem) {
        thrown[static_cast<std::size_t>(caller)] = problem.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return thrown;
}
const std::vector<std::string> nothing_thrown(callers);

/// What is thrown by a user's function: no error of this library.
struct users_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a user's function that `call` calls throws.
template <class Call>
std::string thrown_by(const Call& call) {
  try {
    call();
  } catch (const users_error& problem) {
    return problem.what();
  }
  return "nothing";
}

}  // namespace

TEST_P(concurrency, callers_may_share_what_they_read) {
  hd::array<std::int64_t> x(many);
  for (std::size_t i = 0; i < many; ++i) x.data()[i] = static_cast<std::int64_t>(random_bits(i) >> 40);
  std::vector<std::int64_t> sums(many);
  std::partial_sum(x.span().begin(), x.span().end(), sums.begin());
  const auto least = std::min_element(x.span().begin(), x.span().end());
  const std::size_t least_at = static_cast<std::size_t>(least - x.span().begin());
  const hd::array<std::int64_t> there = x.on(where);
  where.wait();
  const auto thrown = at_once([&](int caller) {
    for (int round = 0; round < 4; ++round) {
      const hd::array<std::int64_t>& shared = (caller + round) % 2 == 0 ? x : there;
      if (hd::reduce(where, shared) != sums.back()) throw users_error("reduce");
      if (hd::argmin(where, shared) != least_at) throw users_error("argmin");
      if (hd::inclusive_scan(where, shared).to_vector() != sums) throw users_error("inclusive_scan");
      const hd::array<std::int64_t> doubled = hd::transform(where, shared, shared, hd::plus{});
      if (hd::reduce(where, doubled) != 2 * sums.back()) throw users_error("transform");
    }
  });
  EXPECT_EQ(thrown, nothing_thrown);
}

TEST_P(concurrency, callers_write_arrays_of_their_own) {
  const auto thrown = at_once([&](int caller) {
    for (int round = 0; round < 4; ++round) {
      const std::size_t n =
          many - many / 10 * static_cast<std::size_t>(caller) - static_cast<std::size_t>(round);
      hd::array<std::int32_t> x(n, where);
      x.fill(caller + 1);
      hd::inclusive_scan_into(where, x, x);
      hd::transform_into(where, x, x, caller, hd::plus{});
      const std::vector<std::int32_t> have = x.to_vector();
      for (std::size_t i = 0; i < n; ++i) {
        if (have[i] != static_cast<std::int32_t>(i + 1) * (caller + 1) + caller)
          throw users_error("a wrong element");
      }
    }
  });
  EXPECT_EQ(thrown, nothing_thrown);
}

TEST_P(concurrency, errors_name_the_callers_own_operation) {
  const auto thrown = at_once([&](int caller) {
    const std::vector<int> x(static_cast<std::size_t>(100 + caller));
    std::vector<int> out(7);
    for (int round = 0; round < 20; ++round) {
      const std::string message = message_of([&] { hd::inclusive_scan_into(where, out, x); });
      const std::string expected =
          "inclusive_scan: " + std::to_string(x.size()) + " int32 on " + where.text() + ": ";
      if (!message.starts_with(expected)) throw users_error(message);
      if (hd::reduce(where, x) != 0) throw users_error("reduce");
    }
  });
  EXPECT_EQ(thrown, nothing_thrown);
}

TEST(concurrency_of_targets, callers_may_name_different_ones) {
  const std::vector<hd::target> targets{hd::target::serial(),    hd::target::parallel(2),
                                        hd::target::parallel(3), hd::target::parallel(8),
                                        hd::target::parallel(1), hd::target::parallel()};
  ASSERT_EQ(targets.size(), static_cast<std::size_t>(callers));
  const hd::array<float> x = operands<float, hd::plus>(many);
  const float total = hd::reduce(hd::target::serial(), x);
  const hd::array<float> sums = hd::inclusive_scan(hd::target::serial(), x);
  const auto thrown = at_once([&](int caller) {
    const hd::target& where = targets[static_cast<std::size_t>(caller)];
    for (int round = 0; round < 10; ++round) {
      if (!same_bits(hd::reduce(where, x), total)) throw users_error("reduce on " + where.text());
      if (!same_elements(hd::inclusive_scan(where, x), sums))
        throw users_error("inclusive_scan on " + where.text());
    }
  });
  EXPECT_EQ(thrown, nothing_thrown);
}

TEST_P(users_function, may_throw_and_the_caller_gets_what_it_threw) {
  std::vector<int> x(many);
  std::iota(x.begin(), x.end(), 0);
  const int bad = static_cast<int>(many) - 5;
  const auto add = [bad](int a, int b) {
    if (b == bad) throw users_error("no " + std::to_string(b));
    return std::max(a, b);
  };
  const std::string expected = "no " + std::to_string(bad);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(thrown_by([&] { (void)hd::transform(where, x, [&](int a) { return add(0, a); }); }), expected);
    EXPECT_EQ(thrown_by([&] { (void)hd::inclusive_scan(where, x, add); }), expected);
    EXPECT_EQ(thrown_by([&] { (void)hd::exclusive_scan(where, x, hd::monoid{add, 0}); }), expected);
    // Which sums are taken is the library's business; that element `bad` stands on the right of some is not.
    EXPECT_EQ(thrown_by([&] {
                (void)hd::reduce(where, x, hd::monoid{[&](int a, int b) { return add(add(0, a), b); }, 0});
              }),
              expected);
    EXPECT_EQ(thrown_by([&] {
                hd::for_each_index(where, hd::extent{many},
                                   [&](std::size_t i) { (void)add(0, static_cast<int>(i)); });
              }),
              expected);
    EXPECT_EQ(thrown_by([&] {
                hd::for_each_index(where, hd::extent{many / 10, 10}, [&](std::size_t r, std::size_t c) {
                  (void)add(0, static_cast<int>(r * 10 + c));
                });
              }),
              many / 10 * 10 > static_cast<std::size_t>(bad) ? expected : "nothing");
  }
  // Nothing is left over: neither work, nor the names of operations that errors begin with.
  EXPECT_EQ(message_of([] { hd::fail("plain"); }), "plain");
  EXPECT_EQ(hd::reduce(where, std::vector<int>(many, 1)), static_cast<int>(many));
}

TEST_P(users_function, may_throw_in_every_textbook_method) {
  struct wide {  // no word holds it
    std::int64_t value, others[2] = {};
  };
  const auto value_of = [](const auto& element) {
    if constexpr (requires { element.value; }) {
      return element.value;
    } else {
      return std::int64_t{element};
    }
  };
  for_each_type<std::int32_t, wide>([&]<class T>() {
    const auto most = static_cast<std::int64_t>(many);
    const auto sum_up_to = [&](std::int64_t limit) {
      return hd::commutative_monoid{[&, limit](const T& a, const T& b) {
                                      const std::int64_t sum = value_of(a) + value_of(b);
                                      if (sum > limit) throw users_error("too much");
                                      return T{static_cast<std::int32_t>(sum)};
                                    },
                                    T{}};
    };
    hd::array<T> x(many);
    x.fill(T{1});
    hd::array<T> with_a_large_one = x.on(hd::target::serial());
    with_a_large_one.set(T{static_cast<std::int32_t>(many)}, many / 2);
    for (int round = 0; round < 3; ++round) {
      // Early, where that element is combined, and late, where the results of blocks are.
      const auto check = [&](const char* name, const auto& by_method) {
        EXPECT_EQ(thrown_by([&] { by_method(with_a_large_one, sum_up_to(most)); }), "too much") << name;
        EXPECT_EQ(thrown_by([&] { by_method(x, sum_up_to(most / 2)); }), "too much") << name;
        EXPECT_EQ(thrown_by([&] { EXPECT_EQ(by_method(x, sum_up_to(most)), most) << name; }), "nothing")
            << name;
      };
      for (const hd::reduce_algorithm method : hd::reduce_algorithms) {
        check(hd::name(method), [&](const hd::array<T>& elements, const auto& op) {
          return value_of(hd::reduce(where, elements, op, method));
        });
      }
      for (const hd::scan_algorithm method : hd::scan_algorithms) {
        check(hd::name(method), [&](const hd::array<T>& elements, const auto& op) {
          return value_of(hd::inclusive_scan(where, elements, op, method).back());
        });
      }
    }
  });
}

TEST_P(users_function, errors_on_any_thread_name_the_callers_operation) {
  const std::string message = message_of([&] {
    (void)hd::transform(where, std::vector<int>(many, 1), [](int) -> int { hd::fail("no more"); });
  });
  EXPECT_EQ(message, "transform: " + std::to_string(many) + " int32 on " + where.text() + ": no more");
}

TEST(threads, as_many_work_at_once_as_are_named) {
  using namespace std::chrono_literals;
  for (const int threads : {3, 5, 9, 4}) {
    std::mutex mutex;
    std::condition_variable all_here;
    int here = 0;
    // Each thread waits, for a while, until all are here.
    hd::cpu::for_slices(threads, static_cast<std::size_t>(threads), 1, [&](std::size_t, std::size_t) {
      std::unique_lock lock(mutex);
      ++here;
      all_here.notify_all();
      all_here.wait_for(lock, 200s, [&] { return here >= threads; });
    });
    EXPECT_EQ(here, threads);
  }
}

TEST(threads, a_lock_may_be_held_around_a_pattern) {
  std::mutex mutex;
  const std::vector<int> x(100'000, 1);
  hd::cpu::for_slices(4, 64, 1, [&](std::size_t, std::size_t) {
    std::lock_guard lock(mutex);
    EXPECT_EQ(hd::reduce(hd::target::parallel(4), x), 100'000);
  });
}

TEST_P(users_function, may_throw_on_every_thread_at_once) {
  for (int round = 0; round < 5; ++round) {
    EXPECT_THROW(hd::for_each_index(where, hd::extent{many}, [](std::size_t) { throw users_error("all"); }),
                 users_error);
  }
}

TEST_P(users_function, may_call_patterns_itself) {
  constexpr std::size_t rows = 24, columns = 40000;
  for (const hd::target& inner :
       {where, hd::target::serial(), hd::target::parallel(2), hd::target::parallel(5)}) {
    std::vector<std::int64_t> sums(rows);
    hd::for_each_index(where, hd::extent{rows, 5000}, [&](std::size_t r, std::size_t c) {
      if (c != 0) return;  // as many indices as it takes for each row to be a piece of work
      std::vector<std::int64_t> row(columns, static_cast<std::int64_t>(r));
      hd::inclusive_scan_into(inner, row, row);
      hd::transform_into(inner, row, row, std::int64_t{1}, hd::plus{});
      sums[r] = row.back() + hd::reduce(inner, std::vector<std::int64_t>(columns, 1));
    });
    for (std::size_t r = 0; r < rows; ++r) {
      const auto expected = static_cast<std::int64_t>((r + 1) * columns + 1);
      ASSERT_EQ(sums[r], expected) << inner.text() << " inside " << where.text();
    }
  }
}

TEST_P(users_function, that_calls_a_pattern_gets_its_errors) {
  const std::string message = message_of([&] {
    hd::for_each_index(where, hd::extent{20000}, [&](std::size_t i) {
      const std::vector<int> x(3);
      std::vector<int> out(i == 15000 ? 2 : 3);
      hd::inclusive_scan_into(where, out, x);
    });
  });
  EXPECT_NE(message.find("2 elements do not fit 3"), std::string::npos) << message;
  EXPECT_EQ(message_of([] { hd::fail("plain"); }), "plain");
}
