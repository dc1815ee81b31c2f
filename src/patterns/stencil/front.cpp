#include <heddle/error.hpp>
#include <heddle/shape.hpp>
#include <heddle/stencil.hpp>

#include <fmt/core.h>

namespace heddle::impl {

void fail_stencil_axes(std::size_t axes) {
  fail(fmt::format("the array has {} axes, where 1, 2 or 3 are possible", axes));
}

void fail_stencil_indices(std::size_t axes) {
  fail(fmt::format("the function takes an index, but not one of {} numbers, as the array has axes", axes));
}

void fail_stencil_shapes(const shape& out, const shape& in) {
  fail(fmt::format("stencil: the output has shape {}, where the input has {}", out.text(), in.text()));
}

}  // namespace heddle::impl
