// Uses of the headers, compiled with every warning that users may have switched on; never run. HEADERS
// includes them all.
#include HEADERS

#include <complex>
#include <cstdint>
#include <vector>

namespace hd = heddle;

struct pair_of_floats {
  float a, b;
};

template <class T, class Op>
void use_operator(const hd::target& where, const hd::array<T>& x, const Op& op) {
  const hd::axis axis{0};
  const std::vector<std::size_t> segments{0, 1};
  const std::vector<int> keys(x.size());
  const T first = x[0];
  hd::array<T> out(x.shape());
  hd::reduce(where, x, op);
  hd::reduce(where, x, op, first);
  hd::reduce(where, x, op, hd::reduce_algorithm::tree);
  hd::reduce(where, x, axis, op, first);
  hd::reduce_into(where, out, x, op, first);
  hd::reduce_into(where, out, x, axis, op);
  hd::inclusive_scan(where, x, op);
  hd::inclusive_scan(where, x, axis, op);
  hd::exclusive_scan(where, x, op, first);
  hd::exclusive_scan_into(where, out, x, op, first, hd::scan_algorithm::hillis_steele);
  hd::segmented_reduce(where, x, segments, hd::monoid{op, first});
  hd::segmented_reduce_into(where, out, x, segments, hd::monoid{op, first});
  hd::reduce_by_key(where, keys, x, op);
  hd::segmented_inclusive_scan(where, x, segments, op);
  hd::exclusive_scan_by_key(where, keys, x, op, first);
  hd::transform(where, x, x, op);
  hd::transform_into(where, out, x, first, op);
  hd::transform_reduce(where, x, x, op, op, first);
  hd::transform_reduce(where, axis, x, x, op, op);
  hd::transform_reduce_into(where, out, x, x, op, op, first);
}

template <class T>
void use(const hd::target& where) {
  hd::array<T> x({2, 3});
  const std::vector<int> indices{0, 1};
  hd::array<T> out(x.shape());
  const auto choose = [] HD_FN(const T& a, const T&) { return a; };
  const auto is_any = [] HD_FN(const T&) { return true; };
  use_operator(where, x, choose);
  hd::for_each_index(where, hd::extent{2, 3}, [] HD_FN(std::size_t, std::size_t) {});
  hd::stencil(where, x, out, hd::periodic{}, [] HD_FN(const hd::neighbours<T, 1>& u) { return u(0, 1); }, 3);
  hd::copy_if(where, x, is_any);
  hd::partition(where, x, hd::array<bool>({2, 3}, true));
  hd::any(where, x, is_any);
  hd::all(where, x, hd::axis{0}, is_any);
  hd::gather(where, x, indices);
  hd::gather(where, x, indices, hd::axis{1});
  hd::scatter(where, out, indices, x.slice(0, 1));
  x.row(0).copy_from(x.row(1));
  x.set(x(1, 2), 0);
  for (const T& element : std::as_const(x)) static_cast<void>(element);
  if constexpr (hd::has_dtype<T>) {
    x.fill(1);
    use_operator(where, x, hd::plus());
    hd::mean(where, x, hd::axis{0});
    hd::variance(where, x, 1);
    hd::unique_consecutive(where, x);
    hd::any(where, x);
    hd::all(where, x, hd::axis{0});
    hd::write_npy("x.npy", x);
    hd::read_npy<T>("x.npy");
  }
  if constexpr (hd::has_dtype<T> && !hd::is_complex<T>) {
    use_operator(where, x, hd::minimum());
    use_operator(where, x, hd::logical_or());
    hd::minmax(where, x);
    hd::argmin(where, x);
    hd::argmax(where, x, hd::axis{0});
    hd::sort(where, x, hd::axis{0});
    hd::argsort(where, x);
    hd::sort_by_key(where, x, x);
    hd::unique(where, x);
    hd::histogram(where, x, hd::even_bins{8, 0, 1});
    hd::histogram(where, x, std::vector<double>{0, 1}, x);
  }
  if constexpr (std::is_floating_point_v<T>) {
    hd::random::uniform<T>(where, {2, 3}, hd::random::stream{1});
    hd::random::normal_into(where, out, hd::random::stream{1});
  }
  if constexpr (std::is_floating_point_v<T> || hd::is_complex<T>) {
    hd::fft(where, x);
    hd::matmul(where, x, hd::transposed(x));
  }
}

int main() {
  const hd::target where = hd::target::serial();
  use<std::int16_t>(where);
#if !defined(__CUDACC__)
  use<bool>(where);
  use<std::uint8_t>(where);
  use<std::uint64_t>(where);
  use<float>(where);
  use<double>(where);
  use<std::complex<float>>(where);
  use<pair_of_floats>(where);
#endif
}
