#include "patterns/top_k/cpu.hpp"
#include "patterns/top_k/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/gather.hpp>
#include <heddle/top_k.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

#include <fmt/core.h>

namespace heddle::impl {

void library_top(dtype type, const void* x, const axis_lines& lines, std::size_t k, sort_order order,
                 std::size_t* indices, const target& where) {
  if (k == 0 || lines.count() == 0) return;
  const bool are_many = k > lines.length / 16 && lines.length > 1024;
  if (where.is_gpu() && lines.count() == 1 && !are_many)
    return gpu::top(type, x, lines.length, k, order, indices, where);
  if (!where.is_gpu() && !are_many) return cpu::top(type, x, lines, k, order, indices, where.threads());
  const memory all(lines.elements() * sizeof(std::size_t), where);
  library_argsort(type, x, lines, order, static_cast<std::size_t*>(all.data()), where);
  std::vector<std::size_t> first(k);
  std::iota(first.begin(), first.end(), std::size_t{0});
  const array<std::size_t> first_there(first, where);
  library_gather(all.data(), lines, sizeof(std::size_t), {dtype::uint64, first_there.data(), k}, indices,
                 where);
}

void library_values_at(const void* x, std::size_t element_bytes, const axis_lines& lines, std::size_t k,
                       const std::size_t* indices, void* values, const target& where) {
  const axis_lines selected{lines.outer, k, lines.inner};
  const std::size_t n = selected.elements();
  if (n == 0) return;
  const axis_lines all{1, lines.elements(), 1};
  if (lines.count() == 1)
    return library_gather(x, all, element_bytes, {dtype::uint64, indices, n}, values, where);
  const memory storage(n * sizeof(std::size_t), where);
  auto* const in_array = static_cast<std::size_t*>(storage.data());
  if (where.is_gpu()) {
    gpu::indices_in_array(indices, lines, k, in_array, where);
  } else {
    cpu::indices_in_array(indices, lines, k, in_array, where.threads());
  }
  library_gather(x, all, element_bytes, {dtype::uint64, in_array, n}, values, where);
}

shape start_top(call_along_lines& call, std::size_t k, const target& requested) {
  call.choose_target(requested, {.read = 2});
  if (const std::size_t length = call.lines().length; k > length)
    fail(fmt::format("k is {}, and there are {} elements: k can be {} at most", k, length, length));
  return call.with_lines_of(k);
}

void library_top_of(call_along_lines& call, dtype type, std::size_t k, sort_order order, std::size_t* indices,
                    void* values) {
  library_top(type, call.data(), call.lines(), k, order, indices, call.where());
  library_values_at(call.data(), size_of(type), call.lines(), k, indices, values, call.where());
}

}  // namespace heddle::impl
