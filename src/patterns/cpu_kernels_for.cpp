#include "cpu/instruction_set.hpp"
#include "patterns/cpu_kernels.hpp"
#include <heddle/support/fork.hpp>

#include <array>

namespace heddle::cpu {
namespace {

constexpr std::size_t types = static_cast<std::size_t>(dtype::complex128) + 1;
constexpr std::size_t functions = static_cast<std::size_t>(runtime_op::none) + 1;
template <class Kernels>
using kernel_table = std::array<std::array<Kernels, functions>, types>;

template <class Kernels>
kernel_table<Kernels> table_of(kernels_source<Kernels> source) {
  kernel_table<Kernels> all;
  for (std::size_t t = 0; t < types; ++t) {
    for (std::size_t f = 0; f < functions; ++f) {
      all[t][f] = source(static_cast<dtype>(t), static_cast<runtime_op>(f));
    }
  }
  return all;
}

template <class Kernels>
const Kernels& entry(const kernel_table<Kernels>& table, dtype type, runtime_op function) {
  return table[static_cast<std::size_t>(type)][static_cast<std::size_t>(function)];
}

}  // namespace

const reduce_kernels& reduce_kernels_for(dtype type, runtime_op function) {
  constinit static made_once<kernel_table<reduce_kernels>> table;
  return entry<reduce_kernels>(
      table.get([] { return table_of<reduce_kernels>(HEDDLE_FASTEST(reduce_kernels)); }), type, function);
}

const scan_kernels& scan_kernels_for(dtype type, runtime_op function) {
  constinit static made_once<kernel_table<scan_kernels>> table;
  return entry<scan_kernels>(table.get([] { return table_of<scan_kernels>(HEDDLE_FASTEST(scan_kernels)); }),
                             type, function);
}

map_kernel map_kernel_for(dtype type, runtime_op function) {
  constinit static made_once<kernel_table<map_kernel>> table;
  return entry<map_kernel>(table.get([] { return table_of<map_kernel>(HEDDLE_FASTEST(map_kernel)); }), type,
                           function);
}

}  // namespace heddle::cpu
