// Mandelbrot and pi on a GPU: the textbook's Mandelbrot kernel beside Heddle's, with their counts compared,
// and the rate at which points of pi are drawn. Each time is the median of several, between events.
#include "mandelbrot/mandelbrot.hpp"
#include "monte_carlo/pi.hpp"
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/target.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace hd = heddle;
using heddle::gpu::check;

namespace {

__global__ void textbook(float xmin, float xmax, float ymin, float ymax, std::uint32_t width,
                         std::uint32_t height, std::uint32_t limit, std::uint32_t* counts) {
  for (std::uint32_t row = blockIdx.y * blockDim.y + threadIdx.y; row < height;
       row += gridDim.y * blockDim.y) {
    for (std::uint32_t column = blockIdx.x * blockDim.x + threadIdx.x; column < width;
         column += gridDim.x * blockDim.x) {
      const float re = xmin + static_cast<float>(column) * (xmax - xmin) / static_cast<float>(width);
      const float im = ymin + static_cast<float>(row) * (ymax - ymin) / static_cast<float>(height);
      float x = 0, y = 0;
      std::uint32_t i = 0;
      for (; i < limit; ++i) {
        const float next = x * x - y * y + re;
        y = 2 * (x * y) + im;
        x = next;
        if (x * x + y * y >= 4) break;
      }
      counts[std::size_t{row} * width + column] = i;
    }
  }
}

template <class F>
double median_ms(F&& f) {
  cudaEvent_t before, after;
  check(cudaEventCreate(&before), "cudaEventCreate");
  check(cudaEventCreate(&after), "cudaEventCreate");
  for (int warm_up = 0; warm_up < 3; ++warm_up) f();
  std::vector<float> times(15);
  for (float& time : times) {
    check(cudaEventRecord(before), "cudaEventRecord");
    f();
    check(cudaEventRecord(after), "cudaEventRecord");
    check(cudaEventSynchronize(after), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&time, before, after), "cudaEventElapsedTime");
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

}  // namespace

int main() {
  const hd::target gpu = hd::target::gpu();
  bool all_same = true;
  // The second view is a little to one side of the real axis, so that no half is a copy of the other.
  for (const auto& [width, height, limit, aside] : {std::tuple{8192u, 8192u, 1000u, 0.0},
                                                    {8192u, 8192u, 1000u, 1e-3},
                                                    {1536u, 1024u, 50u, 0.0},
                                                    {1536u, 1024u, 1000u, 0.0},
                                                    {4097u, 3001u, 10000u, 0.0}}) {
    hd::mandelbrot::picture what;
    what.width = width;
    what.height = height;
    what.iterations = limit;
    auto& v = what.view;
    v.ymin += aside;
    v.ymax += aside;
    hd::array<std::uint32_t> slow(std::size_t{width} * height, gpu), fast(std::size_t{width} * height, gpu);
    const hd::mandelbrot::escape_counter counter(what, gpu);
    const double textbook_ms = median_ms([&] {
      textbook<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(
          static_cast<float>(v.xmin), static_cast<float>(v.xmax), static_cast<float>(v.ymin),
          static_cast<float>(v.ymax), width, height, limit, slow.data());
      check(cudaGetLastError(), "launch of textbook");
    });
    const double float_ms = median_ms([&] { counter.count(0, height, fast.data()); });
    const bool same = slow.to_vector() == fast.to_vector();
    all_same = all_same && same;
    what.precision = hd::dtype::float64;
    const hd::mandelbrot::escape_counter in_double(what, gpu);
    const double double_ms = median_ms([&] { in_double.count(0, height, fast.data()); });
    std::printf(
        "mandelbrot %ux%u limit %u from ymin %g: textbook %.3f ms, heddle %.3f ms (%.1f times), double %.3f "
        "ms; counts "
        "%s\n",
        width, height, limit, v.ymin, textbook_ms, float_ms, textbook_ms / float_ms, double_ms,
        same ? "the same" : "DIFFER");
  }
  std::uint64_t samples = 100'000'000'000;
  hd::monte_carlo::points_in_disc(gpu, 1, 0, samples / 100);
  const auto began = std::chrono::steady_clock::now();
  const std::uint64_t inside = hd::monte_carlo::points_in_disc(gpu, 1, 0, samples);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const auto pi = hd::monte_carlo::estimate_of_pi(inside, samples);
  std::printf("pi of %.0e samples: %.9f +- %.1e in %.3f s\n", double(samples), pi.value, pi.standard_error,
              took.count());
  return all_same ? 0 : 1;
}
