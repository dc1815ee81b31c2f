#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/patterns/stencil/neighbours.hpp>

#include <cassert>
#include <cstddef>

namespace heddle {

/// The value of a cell beyond the edge of an array, for `stencil`. NumPy's names are the modes of numpy.pad.
struct periodic {};  ///< the array repeats: NumPy's "wrap"
struct clamp {};     ///< the nearest cell of the array: NumPy's "edge"
struct reflect {};   ///< mirrored about the outermost cell, which is not repeated: d c b | a b c d | c b a
struct symmetric {
};  ///< mirrored about the edge, so that the outermost cell is repeated: c b a | a b c d | d c b
/// The outermost Reach cells on every side keep their values, and f is not called for them: Dirichlet's
/// condition on a grid that includes its edges.
struct dirichlet {};
/// One value everywhere: NumPy's "constant".
template <class T>
struct fixed {
  T value;
};
template <class T>
fixed(T) -> fixed<T>;

/// A boundary that is chosen at run time, for arrays of T: any of the above converts to it.
template <class T>
struct boundary {
  impl::edge kind = impl::edge::periodic;
  T value{};

  boundary(periodic) {}
  boundary(clamp) : kind(impl::edge::clamp) {}
  boundary(reflect) : kind(impl::edge::reflect) {}
  boundary(symmetric) : kind(impl::edge::symmetric) {}
  boundary(dirichlet) : kind(impl::edge::dirichlet) {}
  template <class U>
  boundary(fixed<U> cell) : kind(impl::edge::fixed), value(static_cast<T>(cell.value)) {}
};

/// How a stencil's function reads the array: u(column offset), u(row offset, column offset) or u(plane
/// offset, row offset, column offset), one offset for each axis; u(0, 0) is the cell itself. No offset may
/// exceed Reach, which is asserted unless NDEBUG is defined.
template <class T, int Reach>
class neighbours {
 public:
  using value_type = T;
  static constexpr int reach = Reach;

  HD_INLINE neighbours(const T* centre, std::ptrdiff_t row, std::ptrdiff_t plane)
      : centre_(centre), row_(row), plane_(plane) {}

  HD_INLINE T operator()(std::ptrdiff_t column) const {
    check(column);
    return centre_[column];
  }
  HD_INLINE T operator()(std::ptrdiff_t row, std::ptrdiff_t column) const {
    check(row);
    check(column);
    return centre_[row * row_ + column];
  }
  HD_INLINE T operator()(std::ptrdiff_t plane, std::ptrdiff_t row, std::ptrdiff_t column) const {
    check(plane);
    check(row);
    check(column);
    return centre_[plane * plane_ + row * row_ + column];
  }

 private:
  HD_INLINE static void check([[maybe_unused]] std::ptrdiff_t offset) {
    assert(-Reach <= offset && offset <= Reach && "stencil: a neighbour beyond the reach");
  }

  const T* centre_;
  std::ptrdiff_t row_, plane_;  // from one row and one plane to the next; 0 where there is no such axis
};

}  // namespace heddle
