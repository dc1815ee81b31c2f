#include "cuda/gpu.hpp"
#include "cuda/random.cuh"
#include <heddle/cuda/launch.cuh>
#include <heddle/random.hpp>

#include <cstdint>

namespace heddle::cuda {
namespace {

using detail::random_numbers;

template <class Make>
void launch_random(const Make& make, const random_numbers& numbers, std::size_t count, void* out,
                   const target& where) {
  constexpr unsigned unit = at_once<Make>;
  constexpr std::size_t units_of_thread = 4;
  const bool granules =
      numbers.from.offset % unit == 0 && reinterpret_cast<std::uintptr_t>(out) % sizeof(uint4) == 0;
  const unsigned grid = grid_for(count / unit + 2, random_threads * units_of_thread);
  make_random<<<grid, random_threads, 0, where.stream()>>>(make, numbers.from, count, granules,
                                                           static_cast<typename Make::value*>(out));
  check(cudaGetLastError(), "launch of make_random");
}

template <class T>
void launch_reals(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  const T a = static_cast<T>(numbers.a), b = static_cast<T>(numbers.b);
  switch (numbers.of) {
    case distribution::uniform:
      return launch_random(uniform_of<T>{random::arithmetic::stretched<T>(a, b)}, numbers, count, out, where);
    case distribution::normal:
      return launch_random(normal_of<T>{a, b}, numbers, count, out, where);
    default:
      return launch_random(exponential_of<T>{a}, numbers, count, out, where);
  }
}

void launch_integers(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  const std::uint64_t seed = numbers.from.seed, low = numbers.low;
  if (!numbers.below.is_short())
    return launch_random(long_integers{seed, low, numbers.below}, numbers, count, out, where);
  const auto launch = [&](auto element) {
    launch_random(short_integers<decltype(element)>{seed, low, numbers.below}, numbers, count, out, where);
  };
  switch (size_of(numbers.type)) {
    case 1:
      return launch(std::uint8_t{});
    case 2:
      return launch(std::uint16_t{});
    case 4:
      return launch(std::uint32_t{});
    default:
      return launch(std::uint64_t{});
  }
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

}  // namespace heddle::cuda
