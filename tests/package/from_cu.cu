#include <heddle/heddle.hpp>

#include <cstdio>
#include <vector>

namespace hd = heddle;

int main() {
  bool gpu = false;
  for (const hd::target& where : hd::target::available()) {
    gpu = gpu || where.is_gpu();
    const std::vector<int> x(1000, 3);
    hd::array<int> y = hd::transform(where, x, [] HD_FN(int a) { return a * a + 1; });
    if (y.size() != 1000 || y.front() != 10 || y.back() != 10) {
      std::fprintf(stderr, "on %s: %d … %d\n", where.text().c_str(), y.front(), y.back());
      return 1;
    }
    std::printf("on %s: right\n", where.text().c_str());
  }
  if (!gpu) std::printf("no GPU here: the lambda ran on the CPU only\n");
}
