#include "patterns/gather/cpu.hpp"
#include "patterns/gather/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/gather.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

[[noreturn]] void fail_index_outside(const index_list& indices, std::size_t place, std::size_t length,
                                     const target& where) {
  std::string value;
  with_type(indices.type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      T index;
      copy(&index, target(), static_cast<const T*>(indices.data) + place, where, sizeof index);
      value = std::to_string(index);
    }
  });
  if (length == 0)
    fail(fmt::format("index {} of {} is {}, and there are no elements", place, indices.count, value));
  fail(
      fmt::format("index {} of {} is {}: it must be from 0 to {}; negative indices do not count from the end",
                  place, indices.count, value, length - 1));
}

}  // namespace

namespace {

/// Indices are read as unsigned, so that negative ones are from this on.
std::uint64_t limit_of(const index_list& indices, std::size_t length) {
  const std::size_t bits = 8 * size_of(indices.type);
  const bool is_signed = indices.type <= dtype::int64;
  return std::min<std::uint64_t>(length, is_signed ? std::uint64_t{1} << (bits - 1) : ~std::uint64_t{0});
}

}  // namespace

void check_indices(const index_list& indices, std::size_t length, const target& where) {
  if (indices.count == 0) return;
  const std::uint64_t limit = limit_of(indices, length);
  const std::size_t place = where.is_gpu() ? gpu::first_index_outside(indices, limit, where)
                                           : cpu::first_index_outside(indices, limit, where.threads());
  if (place < indices.count) fail_index_outside(indices, place, length, where);
}

shape shape_with_indices(const shape& lengths, std::size_t axis, const shape& indices) {
  std::vector<std::size_t> all(lengths.begin(), lengths.begin() + axis);
  all.insert(all.end(), indices.begin(), indices.end());
  all.insert(all.end(), lengths.begin() + axis + 1, lengths.end());
  return shape(all);
}

void library_gather(const void* x, const axis_lines& lines, std::size_t element_bytes,
                    const index_list& indices, void* out, const target& where) {
  if (lines.count() == 0 || indices.count == 0) return;
  const std::size_t bytes = lines.inner * element_bytes;
  if (where.is_gpu()) return gpu::gather(x, lines, bytes, indices, out, where);
  cpu::gather(x, lines, bytes, indices, out, where.threads());
}

void library_gather_checked(const void* x, const axis_lines& lines, std::size_t element_bytes,
                            const index_list& indices, void* out, const target& where) {
  if (!where.is_gpu() || lines.count() != 1 || indices.count == 0) {
    check_indices(indices, lines.length, where);
    return library_gather(x, lines, element_bytes, indices, out, where);
  }
  const std::size_t place = gpu::gather_and_check(x, lines.length, element_bytes, indices,
                                                  limit_of(indices, lines.length), out, where);
  if (place < indices.count) fail_index_outside(indices, place, lines.length, where);
}

void library_scatter(void* out, const axis_lines& lines, std::size_t element_bytes, const index_list& indices,
                     const void* values, const target& where) {
  if (!where.is_gpu() || lines.count() == 0) check_indices(indices, lines.length, where);
  if (lines.count() == 0 || indices.count == 0) return;
  const std::size_t bytes = lines.inner * element_bytes;
  if (!where.is_gpu()) return cpu::scatter(out, lines, bytes, indices, values, where.threads());
  const std::size_t place =
      gpu::scatter(out, lines, bytes, indices, limit_of(indices, lines.length), values, where);
  if (place < indices.count) fail_index_outside(indices, place, lines.length, where);
}

}  // namespace heddle::impl
