#include "core/type_op_dispatch.hpp"
#include "patterns/copy_if/gpu.cuh"
#include "patterns/copy_if/gpu.hpp"
#include "patterns/scan/gpu.hpp"
#include <heddle/impl/patterns/transform/gpu.cuh>
#include <heddle/scan.hpp>

#include <cstdint>

namespace heddle::gpu {
memory count_flags(const bool* flags, std::size_t n, const target& where) {
  const current_device on(where);
  const std::size_t tiles = (n + flags_of_tile - 1) / flags_of_tile;
  // With one more, which holds the sum of all.
  memory before((tiles + 1) * sizeof(std::size_t), where);
  auto* const counts = static_cast<std::size_t*>(before.data());
  count_tiles<<<grid_for(tiles, 1), select_threads, 0, where.stream()>>>(flags, n, tiles, counts);
  check(cudaGetLastError(), "launch of count_tiles");
  const std::size_t none = 0;
  scan(runtime_op::plus, dtype::uint64, true, counts, {1, tiles + 1, 1}, &none, counts, where);
  return before;
}

void copy_flagged(const bool* flags, std::size_t n, const std::size_t* before, const void* x,
                  std::size_t element_bytes, bool all, std::size_t chosen, void* out, const target& where) {
  const current_device on(where);
  const unsigned grid = grid_for(n, flags_of_tile);
  const auto launch = [&]<class Word>(Word) {
    (all ? copy_words<Word, true> : copy_words<Word, false>)<<<grid, select_threads, 0, where.stream()>>>(
        flags, n, before, static_cast<const Word*>(x), element_bytes / sizeof(Word), chosen,
        static_cast<Word*>(out));
    check(cudaGetLastError(), "launch of copy_words");
  };
  const std::size_t aligned =
      element_bytes | reinterpret_cast<std::size_t>(x) | reinterpret_cast<std::size_t>(out);
  if (aligned % 16 == 0) return launch(uint4{});
  if (aligned % 8 == 0) return launch(std::uint64_t{});
  if (aligned % 4 == 0) return launch(std::uint32_t{});
  if (aligned % 2 == 0) return launch(std::uint16_t{});
  launch(std::uint8_t{});
}

void indices_of_flags(const bool* flags, std::size_t n, const std::size_t* before, std::size_t* out,
                      const target& where) {
  const current_device on(where);
  list_indices<<<grid_for(n, flags_of_tile), select_threads, 0, where.stream()>>>(flags, n, before, out);
  check(cudaGetLastError(), "launch of list_indices");
}

void flag_changes(dtype type, const void* x, std::size_t n, bool* flags, const target& where) {
  // The sums of types that differ in their sign share code, and so do their differences.
  impl::dispatch_type_op<impl::family::arithmetic>(
      type == dtype::boolean ? dtype::uint8 : type, runtime_op::plus,
      [&]<class T, class Op>(impl::type_tag<T>, Op) {
        transform(where, change_at<T>{static_cast<const T*>(x)}, n, flags);
      });
}

void flag_offsets(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags,
                  const target& where) {
  const current_device on(where);
  check(cudaMemsetAsync(flags, 0, n, where.stream()), "cudaMemsetAsync");
  flag_offsets<<<grid_for(count + 1, select_threads), select_threads, 0, where.stream()>>>(offsets, count, n,
                                                                                           flags);
  check(cudaGetLastError(), "launch of flag_offsets");
}

}  // namespace heddle::gpu
