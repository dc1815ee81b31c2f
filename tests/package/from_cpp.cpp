#include <heddle/heddle.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

namespace hd = heddle;

int main() {
  std::vector<int> x(1000);
  std::iota(x.begin(), x.end(), 1);
  for (const hd::target& where : hd::target::available()) {
    const int total = hd::reduce(where, x);
    const int largest = hd::reduce(where, x, hd::maximum{});
    if (total != 500500 || largest != 1000) {
      std::fprintf(stderr, "on %s: sum %d, maximum %d\n", where.text().c_str(), total, largest);
      return 1;
    }
    std::printf("on %s: right\n", where.text().c_str());
  }
}
