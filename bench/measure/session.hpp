#pragma once

#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace heddle::measure {

/// The task of several contenders.
struct task {
  std::string pattern, variant, dtype;
  std::size_t n;          ///< elements
  double bytes = 0;       ///< that have to be read and written
  double operations = 0;  ///< in floating point, where these are the measure
};

enum class role { ours, peer, ceiling };

/// One way to do it.
struct contender {
  std::string name;
  role kind;
  std::function<void()> call;
  /// Whether the result of the last call is right, by an answer that Heddle has no part in; null for a
  /// ceiling.
  std::function<bool()> is_right;
  double bytes = 0;  ///< where they are not the task's
};
using contenders = std::vector<contender>;

/// Measures and prints one JSON object a line.
struct session {
  target where;
  double seconds;          ///< about as long for each contender
  bool quick;              ///< fewer sizes, variants and types
  std::size_t most_bytes;  ///< of one array

  /// Calls them alternately, so that other load of the machine affects all alike, and prints a line for each:
  /// the median time of a call when calls follow each other, the middle half of the times as a part of it,
  /// and on a GPU the median time of a single call and its end. Throws heddle::error when a result of
  /// Heddle's is wrong; a peer's line says so.
  void compare(const task& what, const contenders& all) const;
};

/// As many elements of type T as an array may have.
template <class T>
std::size_t most_elements(const session& with) {
  return with.most_bytes / sizeof(T);
}

/// Small integers, whose sums are exact in any order as long as there are few enough.
template <class T>
std::vector<T> small_integers(std::size_t n, std::size_t below, std::size_t seed = 1) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<T>((i + seed) * 2654435761u % 4294967296u / 128 % below);
  return x;
}

/// Copies x to out: the ceiling of what reads and writes as much.
contender copy_of(const session& with, void* out, const void* x, std::size_t bytes);
/// Reads x, of a multiple of 4 bytes: the ceiling of what only reads.
contenders read_of(const session& with, const void* x, std::size_t bytes);

void measure_axes(const session& with);
void measure_sort(const session& with);
void measure_segmented(const session& with);
void measure_gather(const session& with);
void measure_search(const session& with);
void measure_histogram(const session& with);
void measure_select(const session& with);
void measure_statistics(const session& with);
void measure_random(const session& with);
void measure_matmul(const session& with);
void measure_fft(const session& with);
void measure_operators(const session& with);
void measure_mandelbrot(const session& with);

}  // namespace heddle::measure
