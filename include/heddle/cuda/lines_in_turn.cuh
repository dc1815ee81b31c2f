#pragma once

#include <heddle/shape.hpp>

#include <cstddef>

/// Lines along an axis, one behind the other, as sorts number their elements.
namespace heddle::cuda {

/// Where in the array an element is that is number i line by line.
struct lines_in_turn {
  segments lines;
  // Divisions of 64 bits are long: compiled once a kernel, and not for each of a thread's elements.
  __device__ __noinline__ std::size_t operator()(std::size_t i) const {
    if (lines.inner == 1) return i;
    return lines.begin_of(i / lines.length) + i % lines.length * lines.inner;
  }
};

/// Which number line by line an element of the array has.
struct number_in_turn {
  segments lines;
  __device__ __noinline__ std::size_t operator()(std::size_t at) const {
    if (lines.inner == 1) return at;
    const std::size_t line = at / (lines.length * lines.inner) * lines.inner + at % lines.inner;
    return line * lines.length + at / lines.inner % lines.length;
  }
};

template <class Index>
struct place_itself {
  __device__ Index operator()(std::size_t i) const { return static_cast<Index>(i); }
};

/// Where in its line the element stands that comes to element `at` of the array.
template <class Index>
struct place_in_line {
  const Index* places;
  number_in_turn turn;
  __device__ std::size_t operator()(std::size_t at) const { return places[turn(at)] % turn.lines.length; }
};

}  // namespace heddle::cuda
