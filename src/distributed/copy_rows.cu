#include "distributed/copy_rows.cuh"
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>

#include <cstdint>

namespace heddle::impl {
namespace {

template <class Word>
bool copied_as(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t row_bytes, std::size_t rows, const target& where) {
  const std::size_t all = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) |
                          to_pitch | from_pitch | row_bytes;
  if (all % sizeof(Word) != 0) return false;
  const std::size_t units = row_bytes / sizeof(Word);
  gpu::copy_rows<<<gpu::grid_for(units * rows, gpu::copy_rows_threads * 8), gpu::copy_rows_threads, 0,
                   where.stream()>>>(static_cast<Word*>(to), to_pitch / sizeof(Word),
                                     static_cast<const Word*>(from), from_pitch / sizeof(Word), units, rows);
  gpu::check(cudaGetLastError(), "launch of copy_rows");
  return true;
}

}  // namespace

void copy_rows_on_gpu(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t row_bytes, std::size_t rows, const target& where) {
  const gpu::current_device on(where);
  const auto by = [&]<class Word>(Word) {
    return copied_as<Word>(to, to_pitch, from, from_pitch, row_bytes, rows, where);
  };
  // The widest words that everything is a multiple of.
  static_cast<void>(by(uint4{}) || by(std::uint64_t{}) || by(std::uint32_t{}) || by(std::uint16_t{}) ||
                    by(std::uint8_t{}));
}

}  // namespace heddle::impl
