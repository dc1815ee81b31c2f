#include "cpu/instruction_set.hpp"
#include <heddle/memory.hpp>
#include <heddle/support/fork.hpp>

#if defined(__x86_64__)
#include <immintrin.h>

namespace heddle::cpu {
namespace {

void copy_by_16(const void* from, void* to, std::size_t bytes) {
  const auto* const x = static_cast<const __m128i*>(from);
  auto* const out = static_cast<__m128i*>(to);
  for (std::size_t i = 0; i < bytes / sizeof *x; ++i) _mm_stream_si128(out + i, _mm_load_si128(x + i));
}

__attribute__((target("avx"))) void copy_by_32(const void* from, void* to, std::size_t bytes) {
  const auto* const x = static_cast<const __m256i*>(from);
  auto* const out = static_cast<__m256i*>(to);
  for (std::size_t i = 0; i < bytes / sizeof *x; ++i) _mm256_stream_si256(out + i, _mm256_load_si256(x + i));
}

__attribute__((target("avx512f"))) void copy_by_64(const void* from, void* to, std::size_t bytes) {
  const auto* const x = static_cast<const __m512i*>(from);
  auto* const out = static_cast<__m512i*>(to);
  for (std::size_t i = 0; i < bytes / sizeof *x; ++i) _mm512_stream_si512(out + i, _mm512_load_si512(x + i));
}

using copy_function = void (*)(const void*, void*, std::size_t);

copy_function widest() {
  switch (best_isa()) {
    case isa::avx512:
      return copy_by_64;
    case isa::avx2:
      return copy_by_32;
    default:
      return copy_by_16;
  }
}

}  // namespace

void copy_lines_non_temporal(const void* from, void* to, std::size_t bytes) {
  constinit static made_once<copy_function> made;
  const copy_function copy = made.get(widest);
  copy(from, to, bytes);
}

void store_fence() {
  _mm_sfence();
}

}  // namespace heddle::cpu

#endif
