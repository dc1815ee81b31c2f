#pragma once

/// Of Thrust: errors of the runtime as exceptions, which have a code and its category as those of the
/// standard library do.

#include "../library.hpp"

#include <string>
#include <system_error>

namespace thrust {

using std::error_category;
using std::error_code;
using std::error_condition;
using std::generic_category;
using std::system_category;

/// The category of the CUDA runtime's errors.
inline const error_category& cuda_category() {
  struct category : error_category {
    const char* name() const noexcept override { return "cuda"; }
    std::string message(int code) const override {
      return cudaGetErrorString(static_cast<cudaError_t>(code));
    }
  };
  static const category only;
  return only;
}

class system_error : public std::system_error {
 public:
  using std::system_error::system_error;
};

namespace system {
using thrust::cuda_category;
using thrust::error_category;
using thrust::error_code;
using thrust::error_condition;
using thrust::generic_category;
using thrust::system_category;
using thrust::system_error;
}  // namespace system

namespace heddle {
inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw system_error(error, cuda_category(), what);
}
}  // namespace heddle

}  // namespace thrust
