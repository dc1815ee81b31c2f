#pragma once

#include "interruption.hpp"
#include "progress.hpp"
#include <heddle/any_array.hpp>
#include <heddle/array.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <cstddef>

namespace heddle::cli {

/// Segments as an array of three axes, which go along the middle one: `axis{1}`.
inline shape shape_of(const axis_lines& all) {
  return {all.outer, all.length, all.inner};
}

/// The elements of a .npy file in C order, converted to another type, for a run on one target: a piece at a
/// time, so that neither the file nor what it is converted to has to fit in memory. Pieces stay in the file
/// where they can.
class npy_input {
 public:
  /// Elements become elements of `via`, and those elements of `type`: float64 or bool, or `via` itself.
  npy_input(const npy_file& file, dtype via, dtype type, const target& where);

  dtype type() const noexcept { return type_; }
  std::size_t size() const noexcept { return file_.size(); }
  const heddle::shape& shape() const noexcept { return file_.shape(); }
  const target& where() const noexcept { return where_; }

  /// The bytes of so many elements in the file.
  std::size_t file_bytes(std::size_t elements) const noexcept { return elements * size_of(file_.dtype()); }

  /// How many elements a piece best has.
  std::size_t piece() const noexcept { return piece_; }

  /// Whether the elements can be used where the file is mapped.
  bool in_place() const noexcept { return file_.is_native() && file_.dtype() == type_ && via_ == type_; }

  /// Elements first … first+count−1, on the CPU: in place, or in a buffer that the next call fills anew.
  const void* load(std::size_t first, std::size_t count);

  /// The same for `rows` runs of `count` elements, one run after another, each beginning `stride` after the
  /// last.
  const void* load(std::size_t first, std::size_t count, std::size_t rows, std::size_t stride);

  /// The same into `out`.
  void read(std::size_t first, std::size_t count, void* out) const;

  /// Calls f(elements, how many) for one piece after another, each of a multiple of `unit` elements but
  /// the last, as `load` gives them; stops at a signal.
  template <class F>
  void for_each_piece(std::size_t unit, progress& shown, const F& f) {
    const std::size_t most = std::max<std::size_t>(piece_ / unit, 1) * unit;
    for (std::size_t first = 0; first < size(); first += most) {
      stop_if_interrupted();
      const std::size_t count = std::min(most, size() - first);
      f(load(first, count), count);
      shown.advance(file_bytes(count));
    }
  }

  /// All elements, on the target; or elements first … first+count−1, as an array of one axis.
  any_array bring_all(progress& shown);
  any_array bring(std::size_t begin, std::size_t count, progress& shown);

 private:
  void convert(std::size_t first, std::size_t count, void* out) const;

  const npy_file& file_;
  dtype via_, type_;
  target where_;
  int threads_;
  std::size_t piece_;
  memory buffer_;
};

}  // namespace heddle::cli
