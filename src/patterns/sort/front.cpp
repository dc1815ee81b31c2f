#include "patterns/sort/cpu.hpp"
#include "patterns/sort/gpu.hpp"
#include <heddle/sort.hpp>

namespace heddle::impl {

void library_sort(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out,
                  const target& where) {
  if (lines.elements() == 0) return;
  if (where.is_gpu()) return gpu::sort(type, x, lines, order, out, where);
  cpu::sort(type, x, lines, order, out, where.threads());
}

void library_argsort(dtype type, const void* x, const axis_lines& lines, sort_order order,
                     std::size_t* indices, const target& where) {
  if (lines.elements() == 0) return;
  if (where.is_gpu()) return gpu::argsort(type, x, lines, order, indices, where);
  cpu::argsort(type, x, lines, order, indices, where.threads());
}

}  // namespace heddle::impl
