#include "npy_input.hpp"

#include "interruption.hpp"
#include <heddle/operators.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>

namespace heddle::cli {
namespace {

// The second step of a conversion: real numbers to float64, or anything to whether it is not 0.
template <class From>
void convert_elements(const void* from, dtype type, void* to, std::size_t count) {
  const auto* in = static_cast<const From*>(from);
  if (type == dtype::boolean) {
    std::transform(in, in + count, static_cast<bool*>(to), [](From x) { return x != From(0); });
  } else if constexpr (!heddle::is_complex<From>) {
    std::transform(in, in + count, static_cast<double*>(to), [](From x) { return static_cast<double>(x); });
  }
}

}  // namespace

npy_input::npy_input(const npy_file& file, dtype via, dtype type, const target& where)
    : file_(file),
      via_(via),
      type_(type),
      where_(where),
      threads_(where.is_gpu() ? available_cores() : where.threads()) {
  // Elements converted for a CPU are used while they are in the cache. A file in Fortran order is read
  // fastest in large pieces, and so is everything that is not converted.
  const bool stays_in_cache = !where.is_gpu() && !in_place() && !file.fortran_order();
  const std::size_t piece_bytes =
      stays_in_cache ? static_cast<std::size_t>(threads_) << 20 : std::size_t{64} << 20;
  piece_ = piece_bytes / size_of(type);
}

const void* npy_input::load(std::size_t first, std::size_t count) {
  return load(first, count, 1, 0);
}

const void* npy_input::load(std::size_t first, std::size_t count, std::size_t rows, std::size_t stride) {
  const std::size_t element_bytes = size_of(type_);
  if (rows == 1 && in_place()) return static_cast<const std::byte*>(file_.data()) + first * element_bytes;
  if (buffer_.bytes() < rows * count * element_bytes) {
    buffer_ = memory();
    buffer_ = memory(rows * count * element_bytes, target());
  }
  auto* const out = static_cast<std::byte*>(buffer_.data());
  if (rows == 1) {
    read(first, count, out);
  } else {
    cpu::for_slices(threads_, rows, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        convert(first + row * stride, count, out + row * count * element_bytes);
      }
    });
  }
  return out;
}

void npy_input::read(std::size_t first, std::size_t count, void* out) const {
  constexpr std::size_t elements_worth_a_thread = std::size_t{1} << 15;
  cpu::for_slices(threads_, count, elements_worth_a_thread, [&](std::size_t begin, std::size_t end) {
    convert(first + begin, end - begin, static_cast<std::byte*>(out) + begin * size_of(type_));
  });
}

any_array npy_input::bring_all(progress& shown) {
  return bring(0, size(), shown).reshaped(shape());
}

any_array npy_input::bring(std::size_t begin, std::size_t total, progress& shown) {
  const std::size_t element_bytes = size_of(type_);
  any_array all(type_, {total}, where_);
  for (std::size_t done = 0; done < total; done += piece_) {
    stop_if_interrupted();
    const std::size_t count = std::min(piece_, total - done);
    auto* const to = static_cast<std::byte*>(all.data()) + done * element_bytes;
    if (where_.is_gpu()) {
      copy(to, where_, load(begin + done, count), target(), count * element_bytes);
    } else {
      read(begin + done, count, to);
    }
    shown.advance(file_bytes(count));
  }
  stop_if_interrupted();
  return all;
}

void npy_input::convert(std::size_t first, std::size_t count, void* out) const {
  if (via_ == type_) return file_.read(first, count, type_, out);
  // A buffer of this many elements stays in the first-level cache.
  constexpr std::size_t staged = 1024;
  alignas(largest_element_bytes) std::byte stage[staged * largest_element_bytes];
  for (std::size_t done = 0; done < count; done += staged) {
    const std::size_t now = std::min(staged, count - done);
    file_.read(first + done, now, via_, stage);
    with_type(via_, [&]<class Via>(Via) {
      convert_elements<Via>(stage, type_, static_cast<std::byte*>(out) + done * size_of(type_), now);
    });
  }
}

}  // namespace heddle::cli
