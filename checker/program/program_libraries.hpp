#pragma once

#include "cuda_on_cpu/device/heddle_device/runtime.hpp"

namespace heddle::checker {

class program_runtime;

/// Calculations that Heddle does for its replacements of CUDA's libraries, on one thread and in memory of its
/// own.
class program_libraries final : public heddle_device::library_runtime {
 public:
  explicit program_libraries(program_runtime& program) : program_(program) {}

  void transform(const heddle_device::transform_request& what) override;
  void* lend(heddle_device::u64 bytes) override;
  void take_back(void* lent) override;
  void sort(const heddle_device::u64* keys, heddle_device::u64* numbers, heddle_device::u64 count) override;
  heddle_device::sparse_factors* factor(const heddle_device::sparse_matrix& a,
                                        const heddle_device::sparse_factoring& how) override;
  void release(heddle_device::sparse_factors* factors) override;
  void order(const heddle_device::sparse_matrix& pattern, heddle_device::sparse_order how,
             long long* permutation) override;
  [[noreturn]] void refuse(const char* what) override;

 private:
  program_runtime& program_;
};

}  // namespace heddle::checker
