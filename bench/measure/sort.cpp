#include "peers.hpp"
#include <heddle/sort.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>

namespace heddle::measure {
namespace {

/// A number that does not depend on the order of the elements.
template <class T>
std::uint64_t fingerprint(const std::vector<T>& x) {
  std::uint64_t sum = 0;
  for (const T& value : x) {
    const auto bits = sizeof(T) == 4 ? std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(value))}
                                     : std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    sum += bits * bits * 0x9e3779b97f4a7c15u + bits;
  }
  return sum;
}

enum class order { random, sorted, few };

template <class T>
std::vector<T> elements(order which, std::size_t n) {
  std::vector<T> x(n);
  std::uint64_t state = 1;
  for (T& value : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto bits = static_cast<std::int64_t>(state ^ (state >> 29));
    value = which == order::few ? static_cast<T>(bits & 15) : static_cast<T>(bits);
  }
  if (which == order::sorted) std::sort(x.begin(), x.end());
  return x;
}

template <class T>
void measure_sort_of(const session& with, order which, std::size_t n) {
  constexpr const char* names[] = {"random", "sorted", "16 values"};
  const target& where = with.where;
  const std::vector<T> values = elements<T>(which, n);
  const std::uint64_t expected = fingerprint(values);
  const array<T> x(values, where);
  array<T> out(n, where);
  const auto is_right = [&] {
    const std::vector<T> found = out.to_vector();
    return std::is_sorted(found.begin(), found.end()) && fingerprint(found) == expected;
  };
  contenders all = {{"Heddle", role::ours, [&] { sort_into(where, out, x); }, is_right}};
  if (where.is_gpu()) {
    contenders peers = cub_sort<T>(with, x.data(), out.data(), n, is_right);
    std::move(peers.begin(), peers.end(), std::back_inserter(all));
  } else {
    all.push_back({"std::sort", role::peer,
                   [&] {
                     std::copy(x.data(), x.data() + n, out.data());
                     std::sort(out.data(), out.data() + n);
                   },
                   is_right});
    if (where.threads() > 1) {
      all.push_back({"tbb::parallel_sort", role::peer,
                     [&, threads = std::make_shared<tbb::task_arena>(where.threads())] {
                       std::copy(x.data(), x.data() + n, out.data());
                       threads->execute([&] { tbb::parallel_sort(out.data(), out.data() + n); });
                     },
                     is_right});
    }
  }
  all.push_back(copy_of(with, out.data(), x.data(), n * sizeof(T)));
  with.compare({"sort", names[static_cast<int>(which)], name(dtype_of<T>), n,
                2.0 * static_cast<double>(n * sizeof(T))},
               all);
}

template <class T>
void measure_sort_of(const session& with) {
  const std::size_t most = std::min(most_elements<T>(with), std::size_t{1} << (with.where.is_gpu() ? 26
                                                                               : with.quick        ? 22
                                                                                                   : 24));
  for (const std::size_t n : {std::size_t{1} << 10, std::size_t{1} << 16, std::size_t{1} << 20, most}) {
    if (n > most || (with.quick && n == std::size_t{1} << 16)) continue;
    measure_sort_of<T>(with, order::random, n);
  }
  measure_sort_of<T>(with, order::sorted, most);
  measure_sort_of<T>(with, order::few, most);
}

}  // namespace

void measure_sort(const session& with) {
  measure_sort_of<float>(with);
  measure_sort_of<std::int64_t>(with);
}

}  // namespace heddle::measure
