// Reductions and scans by operators of a user's own on a GPU, of elements of 3 to 64 bytes, as bytes moved a
// second beside a copy of the same array in the same run.
//
//   user_operators_on_gpu [MiB]      default: 1024
#include <heddle/heddle.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace hd = heddle;
using hd::gpu::check;

namespace {

/// Numbers, each added by itself.
template <class Number, unsigned Numbers>
struct numbers {
  Number of[Numbers];
};
struct add_each {
  template <class Number, unsigned Numbers>
  HD_FN numbers<Number, Numbers> operator()(numbers<Number, Numbers> x,
                                            const numbers<Number, Numbers>& y) const {
    for (unsigned n = 0; n < Numbers; ++n) x.of[n] = static_cast<Number>(x.of[n] + y.of[n]);
    return x;
  }
};

/// x ↦ factor·x + offset, one after another: the order of operands counts.
template <class Word>
struct map_of_line {
  Word factor, offset;
};
struct composition {
  template <class Word>
  HD_FN map_of_line<Word> operator()(const map_of_line<Word>& f, const map_of_line<Word>& g) const {
    return {static_cast<Word>(1u * g.factor * f.factor),
            static_cast<Word>(1u * g.factor * f.offset + g.offset)};
  }
};

template <unsigned N>
struct matrix {
  float at[N * N];
};
struct product {
  template <unsigned N>
  HD_FN matrix<N> operator()(const matrix<N>& x, const matrix<N>& y) const {
    matrix<N> xy{};
    for (unsigned i = 0; i < N; ++i) {
      for (unsigned j = 0; j < N; ++j) {
        for (unsigned k = 0; k < N; ++k) xy.at[N * i + j] += x.at[N * i + k] * y.at[N * k + j];
      }
    }
    return xy;
  }
};

/// The median of eleven runs on the GPU's stream, in seconds.
template <class F>
double median_seconds(const hd::target& where, const F& run) {
  cudaEvent_t before, after;
  check(cudaEventCreate(&before), "cudaEventCreate");
  check(cudaEventCreate(&after), "cudaEventCreate");
  std::vector<float> milliseconds;
  for (int i = 0; i < 12; ++i) {
    float lasted = 0;
    check(cudaEventRecord(before, where.stream()), "cudaEventRecord");
    run();
    check(cudaEventRecord(after, where.stream()), "cudaEventRecord");
    check(cudaEventSynchronize(after), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&lasted, before, after), "cudaEventElapsedTime");
    if (i > 0) milliseconds.push_back(lasted);
  }
  check(cudaEventDestroy(before), "cudaEventDestroy");
  check(cudaEventDestroy(after), "cudaEventDestroy");
  std::nth_element(milliseconds.begin(), milliseconds.begin() + 5, milliseconds.end());
  return milliseconds[5] / 1e3;
}

template <class T, class Op>
void measure(const hd::target& where, const char* name, std::size_t bytes, const T& identity, const Op& op) {
  const std::size_t n = bytes / sizeof(T);
  hd::array<T> x(n, where), out(n, where);
  x.fill(identity);
  const double moved = static_cast<double>(n * sizeof(T)),
               copy = 2 * moved / median_seconds(where, [&] { out.copy_from(x); }),
               reduce = moved / median_seconds(where, [&] { (void)hd::reduce(where, x, op); }),
               scan = 2 * moved / median_seconds(where, [&] { hd::inclusive_scan_into(where, out, x, op); });
  std::printf("%-30s %6zu %12.0f %12.2f %12.2f\n", name, sizeof(T), copy / 1e9, reduce / copy, scan / copy);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const hd::target where = hd::target::gpu();
  const std::size_t bytes = (argc > 1 ? std::stoull(argv[1]) : 1024) << 20;
  std::printf("%s, %zu MiB; reduce and scan as fractions of the copy's bandwidth\n", where.text().c_str(),
              bytes >> 20);
  std::printf("%-30s %6s %12s %12s %12s\n", "elements", "bytes", "copy GB/s", "reduce", "scan");
  const auto sums = [&]<class Number, unsigned Numbers>(const char* name, numbers<Number, Numbers> zero) {
    measure(where, name, bytes, zero, hd::commutative_monoid{add_each{}, zero});
  };
  sums("sums of 3 uint8", numbers<std::uint8_t, 3>{});
  sums("sums of 3 uint16", numbers<std::uint16_t, 3>{});
  sums("sums of 3 float", numbers<float, 3>{});
  sums("sums of 2 double", numbers<double, 2>{});
  sums("sums of 3 double", numbers<double, 3>{});
  sums("sums of 4 double", numbers<double, 4>{});
  const auto maps = [&]<class Word>(const char* name, map_of_line<Word> identity) {
    measure(where, name, bytes, identity, hd::monoid{composition{}, identity});
  };
  maps("maps of lines, uint16", map_of_line<std::uint16_t>{1, 0});
  maps("maps of lines, uint32", map_of_line<std::uint32_t>{1, 0});
  maps("maps of lines, uint64", map_of_line<std::uint64_t>{1, 0});
  const auto products = [&]<unsigned N>(const char* name, matrix<N> identity) {
    for (unsigned i = 0; i < N; ++i) identity.at[N * i + i] = 1;
    measure(where, name, bytes, identity, hd::monoid{product{}, identity});
  };
  products("products of 2x2 float matrices", matrix<2>{});
  products("products of 3x3 float matrices", matrix<3>{});
  products("products of 4x4 float matrices", matrix<4>{});
}
