#pragma once

#include <heddle/linear_algebra.hpp>

#include <cstddef>

namespace heddle::cpu {

/// c = a·b batch by batch, each product in C order; all are on the CPU. Of 16 bits elements become floats
/// first.
void matmul(int threads, impl::matrix_type type, const impl::matrix_operand& a, const impl::matrix_operand& b,
            std::size_t batches, void* c, matmul_algorithm algorithm);

}  // namespace heddle::cpu
