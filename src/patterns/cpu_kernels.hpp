#pragma once

#include "cpu/instruction_set.hpp"
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/patterns/scan/cpu.hpp>
#include <heddle/operators.hpp>

#include <cstddef>

/// The inner loops of the built-in operators on the built-in types, compiled for several instruction sets.
namespace heddle::cpu {

/// Reduces pieces first … last−1 of a tiling of the elements at `from` into `out`.
using reduce_pieces_kernel = void (*)(const void* from, const order::tiling& tiles, std::size_t first,
                                      std::size_t last, void* out);

/// Reduces 1 … tile elements into *out.
using reduce_tile_kernel = void (*)(const void* x, std::size_t count, void* out);

/// out[i] = function(x[i], y[i]) for `count` elements, where a constant operand is one element for all i.
/// `non_temporal` is for outputs that are larger than a cache.
using map_kernel = void (*)(const void* x, bool x_is_constant, const void* y, bool y_is_constant,
                            std::size_t count, bool non_temporal, void* out);

/// The steps of a scan (see scan_steps in heddle/impl/patterns/scan/cpu.hpp), by their names; all null where
/// there are none.
struct scan_kernels {
  std::size_t state_bytes = 0;
  void (*start)(const void* init, void* state) = nullptr;
  void (*reduce_serially)(const void* x, std::size_t rows, std::size_t before, void* totals) = nullptr;
  void (*append)(void* state, const void* totals, std::size_t units) = nullptr;
  void (*scan)(const void* x, std::size_t count, bool exclusive, bool non_temporal, void* state,
               void* out) = nullptr;
  void (*scan_columns)(const column_panel& columns, const void* init, bool exclusive) = nullptr;
};

/// The kernels of a reduction, by their names.
struct reduce_kernels {
  reduce_pieces_kernel reduce_pieces = nullptr;
  reduce_tile_kernel reduce_tile = nullptr;
  std::size_t tile = 0;  ///< elements that `reduce_tile` takes
};

/// The fastest kernels of one function on one element type that this processor runs; null where the type does
/// not define the function. Each pattern has a table of its own, so that a program that reduces is linked
/// without the code that scans.
const reduce_kernels& reduce_kernels_for(dtype type, runtime_op function);
const scan_kernels& scan_kernels_for(dtype type, runtime_op function);
map_kernel map_kernel_for(dtype type, runtime_op function);

/// The kernels that cpu_kernels.cpp has for each instruction set.
template <class Kernels>
using kernels_source = Kernels (*)(dtype type, runtime_op function);
#define HEDDLE_DECLARE_KERNELS(isa)                                     \
  reduce_kernels isa##_reduce_kernels(dtype type, runtime_op function); \
  scan_kernels isa##_scan_kernels(dtype type, runtime_op function);     \
  map_kernel isa##_map_kernel(dtype type, runtime_op function);
HEDDLE_DECLARE_KERNELS(baseline)
#if defined(HEDDLE_X86_KERNELS)
HEDDLE_DECLARE_KERNELS(avx2)
HEDDLE_DECLARE_KERNELS(avx512)
#endif
#undef HEDDLE_DECLARE_KERNELS

}  // namespace heddle::cpu
