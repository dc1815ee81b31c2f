#pragma once

#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/io/vti.hpp>
#include <heddle/shape.hpp>

#include <array>
#include <string>

namespace heddle {

/// Where the points of a grid lie, along x, y and z.
struct grid_placement {
  std::array<double, 3> origin{0, 0, 0};
  std::array<double, 3> spacing{1, 1, 1};
};

/// Writes an array of one to three axes as VTK image data, which ParaView opens: one value a point, called
/// `name`, the fastest axis of the array along x, the values as they are in memory ("appended raw"). A
/// complex array becomes vectors of three components, the last of them 0, because VTK draws streamlines of
/// these alone; bool becomes UInt8. A file at `path` is replaced only once the new one is complete. Throws
/// heddle::error for any other number of axes, and for an axis of length 0, which VTK does not allow.
template <array_like X>
  requires has_dtype<element_of<X>>
void write_vti(const std::string& path, const X& x, const std::string& name = "values",
               const grid_placement& placement = {}) {
  const impl::staged_input<element_of<X>> elements(impl::input(x), target());
  impl::write_vti(path, name, dtype_of<element_of<X>>, impl::shape_of(x), elements.data(), placement);
}

}  // namespace heddle
