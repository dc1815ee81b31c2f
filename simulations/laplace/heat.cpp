#include "laplace/heat.hpp"

#include "laplace/drawing.hpp"
#include <heddle/error.hpp>

#include <fmt/core.h>

namespace heddle::laplace {

template <class T>
heat heat_of(const grid_view<T>& of) {
  if (of.width == 0 || of.height == 0) return {};
  return of.where.is_gpu() ? heat_of_gpu(of) : find_heat(of);
}

template <class T>
std::vector<std::uint8_t> draw(const grid_view<T>& of, const heat& colours, const picture_part& part) {
  if (!part.is_within(of.width, of.height)) {
    fail(
        fmt::format("laplace: a picture of {}x{} squares of {} points from column {}, row {} is not within "
                    "{}x{} points",
                    part.columns, part.rows, part.side, part.left, part.top, of.width, of.height));
  }
  return of.where.is_gpu() ? draw_on_gpu(of, colours, part) : draw_pixels(of, colours, part);
}

template heat heat_of(const grid_view<float>&);
template heat heat_of(const grid_view<double>&);
template std::vector<std::uint8_t> draw(const grid_view<float>&, const heat&, const picture_part&);
template std::vector<std::uint8_t> draw(const grid_view<double>&, const heat&, const picture_part&);

}  // namespace heddle::laplace
