#include "deviations.hpp"

#include <heddle/statistics.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <utility>

namespace heddle::cli {

deviations::deviations(const npy_input& x, memory means)
    : type_(x.type()),
      threads_(x.where().is_gpu() ? available_cores() : x.where().threads()),
      piece_(static_cast<std::size_t>(threads_) << 17),
      mean_bytes_((x.type() >= dtype::complex64 ? 2 : 1) * sizeof(double)),
      means_(std::move(means)) {}

const void* deviations::of(const void* elements, const axis_lines& block, std::size_t first,
                           std::size_t pitch) {
  const std::size_t bytes = block.elements() * sizeof(double);
  if (made_.bytes() < bytes) made_ = memory(bytes, target());
  auto* const made = static_cast<double*>(made_.data());
  const auto* const from = static_cast<const std::byte*>(elements);
  const auto* const means = static_cast<const std::byte*>(means_.data());
  constexpr std::size_t elements_worth_a_thread = std::size_t{1} << 15;
  cpu::for_slices(threads_, block.outer * block.length, elements_worth_a_thread / block.inner + 1,
                  [&](std::size_t row, std::size_t last) {
                    while (row < last) {
                      const std::size_t outer = row / block.length;
                      const std::size_t rows = std::min(last, (outer + 1) * block.length) - row;
                      const std::size_t begin = row * block.inner;
                      cpu::squared_deviations(type_, from + begin * size_of(type_), rows, block.inner,
                                              means + (first + outer * pitch) * mean_bytes_, made + begin);
                      row += rows;
                    }
                  });
  return made;
}

}  // namespace heddle::cli
