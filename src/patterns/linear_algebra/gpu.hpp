#pragma once

#include "gpu/entry.hpp"
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle::impl {
enum class matrix_type : std::uint8_t;
struct matrix_operand;
}  // namespace heddle::impl

namespace heddle {
enum class matmul_algorithm : std::uint8_t;
}  // namespace heddle

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(matmul,
                 void(impl::matrix_type type, const impl::matrix_operand& a, const impl::matrix_operand& b,
                      std::size_t batches, void* c, const target& where, matmul_algorithm algorithm));

}  // namespace heddle::gpu
