#pragma once

#include <heddle/dtype.hpp>

#include <cstdint>

namespace heddle::cli::bench {

/// Calls f with an element of a type of equal sums: unsigned integers stand for signed ones. False when
/// `type` is not among the types of the peers.
template <class F>
bool with_peer_type(dtype type, const F& f) {
  switch (type) {
    case dtype::int8:
    case dtype::uint8:
      f(std::uint8_t{});
      return true;
    case dtype::int16:
    case dtype::uint16:
      f(std::uint16_t{});
      return true;
    case dtype::int32:
    case dtype::uint32:
      f(std::uint32_t{});
      return true;
    case dtype::int64:
    case dtype::uint64:
      f(std::uint64_t{});
      return true;
    case dtype::float32:
      f(float{});
      return true;
    case dtype::float64:
      f(double{});
      return true;
    case dtype::boolean:
    case dtype::complex64:
    case dtype::complex128:
      break;
  }
  return false;
}

/// x + 1.
template <class T>
struct plus_one {
#if defined(__CUDACC__)
  __host__ __device__
#endif
      T
      operator()(T x) const {
    return static_cast<T>(x + 1);
  }
};

}  // namespace heddle::cli::bench
