#include "patterns/gather/gpu.cuh"
#include "patterns/gather/gpu.hpp"
#include "patterns/sort/gpu.hpp"
#include <heddle/gather.hpp>
#include <heddle/impl/patterns/for_each_index/gpu.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>
#include <heddle/sort.hpp>

#include <cstdint>
#include <limits>

namespace heddle::gpu {
namespace {

index_reader reader_of(const impl::index_list& indices) {
  return {indices.data, static_cast<unsigned>(size_of(indices.type))};
}

/// Calls f with a value of the widest type in which blocks can be read and written whole.
template <class F>
void with_word(std::size_t block_bytes, const void* x, const void* out, const F& f) {
  const std::size_t aligned =
      block_bytes | reinterpret_cast<std::size_t>(x) | reinterpret_cast<std::size_t>(out);
  if (aligned % 16 == 0) return f(uint4{});
  if (aligned % 8 == 0) return f(std::uint64_t{});
  if (aligned % 4 == 0) return f(std::uint32_t{});
  if (aligned % 2 == 0) return f(std::uint16_t{});
  f(std::uint8_t{});
}

}  // namespace

std::size_t first_index_outside(const impl::index_list& indices, std::uint64_t limit, const target& where) {
  const memory first_memory(sizeof(unsigned long long), where);
  auto* const first = static_cast<unsigned long long*>(first_memory.data());
  unsigned long long found = indices.count;
  heddle::fill(first, where, 1, &found, sizeof found);
  for_each_index<1>(where, &indices.count, find_index_outside{reader_of(indices), limit, first},
                    launch_shape{});
  heddle::copy(&found, target(), first, where, sizeof found);
  return found;
}

void gather(const void* x, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
            void* out, const target& where) {
  const index_reader index = reader_of(indices);
  const std::size_t blocks = lines.outer * indices.count;
  with_word(block_bytes, x, out, [&]<class Word>(Word) {
    const Word* const from = static_cast<const Word*>(x);
    Word* const to = static_cast<Word*>(out);
    const std::size_t words = block_bytes / sizeof(Word);
    if (lines.outer == 1 && words == 1) return transform(where, gathered<Word>{from, index}, blocks, to);
    const gathered_blocks<Word> f{from, index, indices.count, lines.length, words, lines.outer == 1};
    transform(where, f, blocks * words, to);
  });
}

void scatter(void* out, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
             const void* values, const target& where) {
  const index_reader index = reader_of(indices);
  const std::size_t count = indices.count;
  memory order_memory(count * sizeof(std::size_t), where);
  auto* const order = static_cast<std::size_t*>(order_memory.data());
  const axis_lines all{1, count, 1};
  if (index.bytes > 4 && lines.length <= std::size_t{1} << 32) {
    const memory narrow(count * sizeof(std::uint32_t), where);
    transform(where, narrowed_index{index}, count, static_cast<std::uint32_t*>(narrow.data()));
    argsort(dtype::uint32, narrow.data(), all, sort_order::ascending, order, where);
  } else {
    argsort(indices.type, indices.data, all, sort_order::ascending, order, where);
  }
  with_word(block_bytes, values, out, [&]<class Word>(Word) {
    const std::size_t words = block_bytes / sizeof(Word);
    const scatter_words<Word> put{
        static_cast<Word*>(out), static_cast<const Word*>(values), index, order, count, lines.length, words};
    const std::size_t stored = lines.outer * count * words;
    for_each_index<1>(where, &stored, put, launch_shape{});
  });
}

}  // namespace heddle::gpu
