#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

/// How many elements tests use.
namespace heddle::tests {

/// Whether ThreadSanitizer watches. It looks for races: a few sizes that threads share, and some that they do
/// not, are enough, as other builds compare the numbers of all.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool seeks_races = true;
#else
inline constexpr bool seeks_races = false;
#endif

/// The most elements of a test: HEDDLE_TEST_LARGEST, or 10^7, and under sanitizers 10^5 or 3·10^5.
inline std::size_t largest_size() {
  if (const char* text = std::getenv("HEDDLE_TEST_LARGEST")) return std::strtoull(text, nullptr, 10);
#if defined(__SANITIZE_THREAD__)
  return 100'003;
#elif defined(__SANITIZE_ADDRESS__)
  return 300'000;
#else
  return 10'000'000;
#endif
}

/// Where code turns to another path: none and one, a warp, blocks of 512, the tiles of every element size,
/// two tiles and one, no multiple of anything, and many; each of at most `most` elements and of at most
/// largest_size().
inline std::vector<std::size_t> sizes_up_to(std::size_t most) {
  std::vector<std::size_t> sizes{0, 1, 2, 31, 32, 33, 100'003, 10'000'000};
  if (seeks_races) sizes = {0, 1, 33, 4097, 100'003};
  for (std::size_t edge = 512; edge <= 8192 && !seeks_races; edge *= 2) {
    for (const std::size_t n : {edge - 1, edge, edge + 1, 2 * edge + 1}) sizes.push_back(n);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase_if(sizes, [&](std::size_t n) { return n > most || n > largest_size(); });
  return sizes;
}

}  // namespace heddle::tests
