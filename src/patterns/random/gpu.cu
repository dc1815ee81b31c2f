#include "core/unsigned_of_bytes.hpp"
#include "patterns/random/gpu.cuh"
#include "patterns/random/gpu.hpp"
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/random.hpp>

#include <algorithm>
#include <cstdint>

namespace heddle::gpu {
namespace {

using impl::random_numbers;

template <class Make>
void launch_random(const Make& make, const random_numbers& numbers, std::size_t count, void* out,
                   const target& where) {
  constexpr unsigned unit = 16 / sizeof(typename Make::value);
  constexpr std::size_t units_of_thread = 4;
  // A thread computes the keys of its rounds once.
  constexpr unsigned most_blocks_of_multiprocessor = 64;
  const bool vectors =
      numbers.from.offset % unit == 0 && reinterpret_cast<std::uintptr_t>(out) % sizeof(uint4) == 0;
  const unsigned grid = std::min(grid_for(count / unit + 2, random_threads * units_of_thread),
                                 most_blocks_of_multiprocessor * multiprocessors(where));
  make_random<<<grid, random_threads, 0, where.stream()>>>(make, numbers.from, count, vectors,
                                                           static_cast<typename Make::value*>(out));
  check(cudaGetLastError(), "launch of make_random");
}

template <class T>
void launch_reals(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  const T a = static_cast<T>(numbers.a), b = static_cast<T>(numbers.b);
  switch (numbers.of) {
    case distribution::uniform:
      if (a == 0 && b == 1) return launch_random(unit_interval_of<T>{}, numbers, count, out, where);
      return launch_random(uniform_of<T>{impl::single_rounding::uniform_range<T>(a, b)}, numbers, count, out,
                           where);
    case distribution::normal:
      return launch_random(normal_of<T>{a, b}, numbers, count, out, where);
    default:
      return launch_random(exponential_of<T>{a}, numbers, count, out, where);
  }
}

void launch_integers(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  const std::uint64_t seed = numbers.from.seed, low = numbers.low;
  const auto launch = [&]<class T, class Word = std::uint32_t>(T, Word = {}) {
    launch_random(integers_of<T, Word>{seed, low, numbers.below}, numbers, count, out, where);
  };
  if (!numbers.below.is_short()) return launch(std::uint64_t{}, std::uint64_t{});
  impl::with_unsigned_of_bytes(size_of(numbers.type), [&]<class T>(T) { launch(T{}); });
}

}  // namespace

void random(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  const current_device on(where);
  const bool single = size_of(numbers.type) == 4;
  switch (numbers.of) {
    case distribution::bits:
      if (single)
        return launch_random(plain_words<std::uint32_t, distribution::bits>{}, numbers, count, out, where);
      return launch_random(plain_words<std::uint64_t, distribution::bits>{}, numbers, count, out, where);
    case distribution::permutation:
      return launch_random(plain_words<std::uint64_t, distribution::permutation>{}, numbers, count, out,
                           where);
    case distribution::integers:
      return launch_integers(numbers, count, out, where);
    default:
      if (single) return launch_reals<float>(numbers, count, out, where);
      return launch_reals<double>(numbers, count, out, where);
  }
}

}  // namespace heddle::gpu
