#include "view_kinds.hpp"

namespace heddle::cli {

std::vector<view_kind> view_kinds() {
  return {view_of_life(), view_of_mandelbrot(), view_of_laplace(), view_of_lbm()};
}

}  // namespace heddle::cli
