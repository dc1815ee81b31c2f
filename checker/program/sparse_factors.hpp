#pragma once

#include "cuda_on_cpu/device/heddle_device/runtime.hpp"

#include <memory>

namespace heddle::checker {

/// Factors of a sparse matrix, in double precision.
class sparse_factors : public heddle_device::sparse_factors {
 public:
  sparse_factors() = default;
  sparse_factors(const sparse_factors&) = delete;
  sparse_factors& operator=(const sparse_factors&) = delete;
  virtual ~sparse_factors() = default;
};

std::unique_ptr<sparse_factors> factors_of(const heddle_device::sparse_matrix& a,
                                           const heddle_device::sparse_factoring& how);

/// An order of rows and columns in which a symmetric pattern, or that of a and its transpose, has fewer new
/// entries in its factors: `permutation[i]` is the row that comes i-th.
void order_for_factors(const heddle_device::sparse_matrix& a, heddle_device::sparse_order how,
                       long long* permutation);

}  // namespace heddle::checker
