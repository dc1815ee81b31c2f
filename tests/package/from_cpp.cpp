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
  const hd::image picture{2, 1, hd::pixel_format::rgb, {255, 0, 0, 0, 0, 255}, {}};
  hd::write_png("package.png", picture);
  if (hd::read_png("package.png").pixels != picture.pixels) {
    std::fprintf(stderr, "a picture came back as another one\n");
    return 1;
  }
}
