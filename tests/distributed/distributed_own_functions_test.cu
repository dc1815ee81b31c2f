// a caller's functions over ranks, on their GPUs where there are some.
#include <heddle/distributed.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace hd = heddle;

namespace {

/// Keeps the order of operands, and has no identity.
struct last_digits {
  HD_FN std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a * 3 + b; }
};
/// Sorts by the tens alone, so that equal elements differ.
struct by_tens {
  HD_FN bool operator()(int a, int b) const { return a / 10 < b / 10; }
};
struct is_odd {
  HD_FN bool operator()(int x) const { return x % 2 != 0; }
};

template <class T>
void expect_same(const hd::distributed_array<T>& x, const hd::array<T>& want, const char* what) {
  const hd::array<T> have = x.gather();
  if (!(have.shape() == want.shape()) ||
      (have.size() > 0 && std::memcmp(have.data(), want.data(), have.size() * sizeof(T)) != 0))
    throw std::runtime_error(std::string(what) + " of " + want.shape().text() + " differs");
}

template <class T>
hd::distributed_array<T> spread(const hd::ranks& all, const hd::array<T>& x) {
  hd::distributed_array<T> to(all, x.shape());
  to.local().copy_from(x.slice(to.first_row(), to.first_row() + to.rows()));
  return to;
}

void check(const hd::ranks& all, std::size_t n) {
  hd::array<std::uint32_t> x(n);
  hd::array<int> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x.data()[i] = static_cast<std::uint32_t>(i * 2654435761u);
    y.data()[i] = static_cast<int>(x.data()[i] >> 8) % 1000;
  }
  const auto whole_x = spread(all, x);
  const auto whole_y = spread(all, y);
  if (hd::reduce(all, whole_x, last_digits{}) != hd::reduce(hd::target(), x, last_digits{}))
    throw std::runtime_error("reduce of " + x.shape().text() + " differs");
  expect_same(hd::inclusive_scan(all, whole_x, last_digits{}),
              hd::inclusive_scan(hd::target(), x, last_digits{}), "inclusive_scan");
  expect_same(hd::adjacent_difference(all, whole_x, last_digits{}),
              hd::adjacent_difference(hd::target(), x, last_digits{}), "adjacent_difference");
  expect_same(hd::sort(all, whole_y, by_tens{}), hd::sort(hd::target(), y, by_tens{}), "sort");
  expect_same(hd::copy_if(all, whole_y, is_odd{}), hd::copy_if(hd::target(), y, is_odd{}), "copy_if");
}

}  // namespace

int main() {
  const hd::ranks all = hd::ranks::world();
  all.run([&] {
    for (const std::size_t n : {1, 1000, 70'001, 1 << 21}) check(all, n);
  });
  if (all.rank() == 0) std::printf("%d ranks agree\n", all.size());
}
