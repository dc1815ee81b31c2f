#include "core/unsigned_of_bytes.hpp"
#include "patterns/argmin/gpu.hpp"
#include "patterns/cpu_kernels.hpp"
#include "patterns/statistics/gpu.hpp"
#include "sum_type.hpp"
#include <heddle/any.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/reduce/cpu.hpp>
#include <heddle/impl/patterns/transform/cpu.hpp>
#include <heddle/reduce.hpp>
#include <heddle/statistics.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

/// out[r·width + c] = make(element r of column c, c) for the elements of a piece.
template <class T, class Out, class Make>
void make_piece(const T* x, const order::piece& piece, const Make& make, Out* __restrict out) {
  x += piece.first;
  if (piece.width == 1 && piece.stride == 1) {
    for (std::size_t r = 0; r < piece.count; ++r) out[r] = make(x[r], 0);
    return;
  }
  for (std::size_t r = 0; r < piece.count; ++r) {
    for (std::size_t c = 0; c < piece.width; ++c) out[r * piece.width + c] = make(x[r * piece.stride + c], c);
  }
}

template <class T>
void sum_type_of_piece(const void* x, const order::piece& piece, sum_type<T>* out) {
  make_piece(
      static_cast<const T*>(x), piece, [](T element, std::size_t) { return as_sum_type(element); }, out);
}

template <class T>
void deviations_of_piece(const void* x, const order::piece& piece, const void* centres, double* out) {
  const auto* const from = static_cast<const T*>(x);
  const auto* const centre = static_cast<const sum_type<T>*>(centres);
  if (piece.width == 1) {
    const auto from_only = [only = *centre](T element, std::size_t) {
      return squared_deviation(element, only);
    };
    return make_piece(from, piece, from_only, out);
  }
  make_piece(
      from, piece, [=](T element, std::size_t column) { return squared_deviation(element, centre[column]); },
      out);
}

/// Sums tiles of what is made of elements, in the order of `reduce`. Made is double or complex<double>.
template <class Made>
class sums_of_made {
 public:
  static constexpr std::size_t tile = order::tile<Made, plus>;

  /// `panel` columns at most, of at most `length` elements.
  sums_of_made(std::size_t length, std::size_t panel)
      : accumulators_(accumulator_bytes(length, panel), target()), rows_(accumulators_.bytes(), target()) {}

  /// Rows that follow each other, of at most a tile together where there are several.
  template <class Make>
  void rows(const order::piece& first, std::size_t count, const Make& make, Made* sums) {
    auto* const made = static_cast<Made*>(accumulators_.data());
    for (std::size_t row = 0; row < count; ++row) {
      order::piece piece = first;
      piece.first += row * piece.count;
      make(piece, row, made + row * piece.count);
    }
    kernels_.reduce_pieces(made, {{count, first.count, 1}, tile, 1}, 0, count, sums);
  }

  /// Columns side by side: as many rows as a tile has accumulators are added to the first of them.
  template <class Make>
  void columns(order::piece piece, const Make& make, Made* sums) {
    constexpr std::size_t accumulators = order::accumulators<Made, plus>;
    auto* const sum = static_cast<Made*>(accumulators_.data());
    auto* const next_rows = static_cast<Made*>(rows_.data());
    const std::size_t rows = piece.count, width = piece.width, active = std::min(rows, accumulators);
    for (std::size_t row = 0; row < rows; row += accumulators) {
      piece.count = std::min(accumulators, rows - row);
      make(piece, 0, row == 0 ? sum : next_rows);
      if (row > 0) add(sum, next_rows, piece.count * width);
      piece.first += accumulators * piece.stride;
    }
    for (std::size_t half = accumulators / 2; half > 0; half /= 2) {
      if (half < active) add(sum, sum + half * width, std::min(half, active - half) * width);
    }
    for (std::size_t c = 0; c < width; ++c) sums[c] = order::canonical(sum[c]);
  }

 private:
  static std::size_t accumulator_bytes(std::size_t length, std::size_t panel) {
    if (panel == 1) return tile * sizeof(Made);
    return std::min(length, order::accumulators<Made, plus>) * panel * sizeof(Made);
  }
  void add(Made* to, const Made* from, std::size_t count) const {
    add_(to, false, from, false, count, false, to);
  }

  const cpu::reduce_kernels& kernels_ = cpu::reduce_kernels_for(dtype_of<Made>, runtime_op::plus);
  const cpu::map_kernel add_ = cpu::map_kernel_for(dtype_of<Made>, runtime_op::plus);
  memory accumulators_, rows_;
};

/// Sums each of `all` segments of what `make(piece, segment, out)` makes of pieces of them.
template <class Made, class Make>
void sum_made(int threads, axis_lines all, const Make& make, Made* out) {
  using sums_of = sums_of_made<Made>;
  const std::size_t parts = order::tiling{all, sums_of::tile, 1}.parts();
  const auto of_inputs = [&](const void*, const order::tiling& tiles, std::size_t first, std::size_t last,
                             void* to) {
    auto* const results = static_cast<Made*>(to);
    sums_of sums(all.length, std::min(tiles.panel, all.inner));
    const std::size_t rows = parts == 1 ? std::max<std::size_t>(sums_of::tile / all.length, 1) : 1;
    for (std::size_t i = first; i < last;) {
      const order::piece piece = tiles[i];
      const std::size_t segment = piece.result / all.inner / parts * all.inner + piece.result % all.inner;
      const auto make_row = [&](const order::piece& some, std::size_t row, Made* made) {
        make(some, segment + row, made);
      };
      const std::size_t count = all.inner == 1 ? std::min(rows, last - i) : 1;
      if (all.inner == 1) {
        sums.rows(piece, count, make_row, results + piece.result);
      } else {
        sums.columns(piece, make_row, results + piece.result);
      }
      i += count;
    }
  };
  const cpu::reduce_kernels& kernels = cpu::reduce_kernels_for(dtype_of<Made>, runtime_op::plus);
  cpu::reduce_segments(threads, all, sums_of::tile, sizeof(Made), nullptr, out, of_inputs,
                       kernels.reduce_pieces);
}

}  // namespace

void library_divide(const double* sums, std::size_t count, double divisor, bool is_float, void* out,
                    const target& where) {
  if (where.is_gpu()) return gpu::divide(sums, count, divisor, is_float, out, where);
  const auto write = [&]<class Part>(Part* to) {
    cpu::transform(
        where.threads(),
        [=](std::size_t i) { return order::canonical(static_cast<Part>(sums[i] / divisor)); }, count, to);
  };
  if (is_float) return write(static_cast<float*>(out));
  write(static_cast<double*>(out));
}

void library_sums(dtype type, const void* x, axis_lines all, void* sums, const target& where) {
  if (type == sum_dtype(type)) return library_reduce(runtime_op::plus, type, x, all, sums, where);
  if (where.is_gpu()) return gpu::wide_sums(type, x, all, sums, where);
  with_type(type, [&]<class T>(T) {
    const auto convert = [x](const order::piece& piece, std::size_t, sum_type<T>* out) {
      sum_type_of_piece<T>(x, piece, out);
    };
    sum_made(where.threads(), all, convert, static_cast<sum_type<T>*>(sums));
  });
}

namespace {

/// Writes the squares of the distances of the elements of a piece from the centres of their columns, row by
/// row.
using deviations_function = void(const void* x, const order::piece& piece, const void* centres, double* out);

deviations_function* squared_deviations_of(dtype type) {
  return with_type(type, []<class T>(T) -> deviations_function* { return deviations_of_piece<T>; });
}

}  // namespace

void library_mean(dtype type, const void* x, axis_lines all, void* out, const target& where) {
  const std::size_t parts = all.count() * (type >= dtype::complex64 ? 2 : 1);
  if (parts == 0) return;
  const memory sums(parts * sizeof(double), where);
  library_sums(type, x, all, sums.data(), where);
  library_divide(static_cast<const double*>(sums.data()), parts, static_cast<double>(all.length),
                 has_float_parts(type), out, where);
}

void library_variance(dtype type, const void* x, axis_lines all, std::size_t ddof, void* out,
                      const target& where) {
  if (all.count() == 0) return;
  const std::size_t centre_bytes = size_of(sum_dtype(type)), parts = all.count() * centre_bytes / 8;
  const memory centres(all.count() * centre_bytes, where), sums(all.count() * sizeof(double), where);
  auto* const centre = static_cast<double*>(centres.data());
  auto* const sum = static_cast<double*>(sums.data());
  library_sums(type, x, all, centre, where);
  library_divide(centre, parts, static_cast<double>(all.length), false, centre, where);
  if (where.is_gpu()) {
    gpu::sum_squared_deviations(type, x, all, centre, sum, where);
  } else {
    const auto of_piece = squared_deviations_of(type);
    const auto make = [&](const order::piece& piece, std::size_t segment, double* made) {
      of_piece(x, piece, static_cast<const std::byte*>(centres.data()) + segment * centre_bytes, made);
    };
    sum_made(where.threads(), all, make, sum);
  }
  const double divisor = all.length > ddof ? static_cast<double>(all.length - ddof) : 0;
  library_divide(sum, all.count(), divisor, has_float_parts(type), out, where);
}

namespace {

/// Reduces the tiles of both extrema piece by piece, so that the second reads the elements from the cache.
void minmax_on_cpu(dtype type, const void* x, axis_lines all, void* smallest, void* largest,
                   const target& where) {
  const cpu::reduce_kernels& least = cpu::reduce_kernels_for(type, runtime_op::minimum);
  const cpu::reduce_kernels& greatest = cpu::reduce_kernels_for(type, runtime_op::maximum);
  const axis_lines results = order::tiling{all, least.tile, 1}.results();
  const memory maxima(results.elements() * size_of(type), target());
  const auto of_inputs = [&](const void* from, const order::tiling& tiles, std::size_t first,
                             std::size_t last, void* minima) {
    for (std::size_t i = first; i < last; ++i) {
      least.reduce_pieces(from, tiles, i, i + 1, minima);
      greatest.reduce_pieces(from, tiles, i, i + 1, maxima.data());
    }
  };
  cpu::reduce_segments(where.threads(), all, least.tile, size_of(type), x, smallest, of_inputs,
                       least.reduce_pieces);
  library_reduce(runtime_op::maximum, type, maxima.data(), results, largest, where);
}

/// Reads long rows once. Of others it takes as much as stays in the cache of a GPU at a time: the second
/// extremum is read from there.
void minmax_on_gpu(dtype type, const void* x, axis_lines all, void* smallest, void* largest,
                   const target& where) {
  if (all.inner == 1 && all.length >= threshold.gpu_extrema_row)
    return gpu::find_minmax_of_rows(type, x, all.outer, all.length, smallest, largest, where);
  constexpr std::size_t cached_bytes = threshold.gpu_minmax_bytes;
  const std::size_t bytes = size_of(type);
  const auto both = [&](std::size_t first, const axis_lines& some, std::size_t result, void* minima,
                        void* maxima) {
    const auto* const from = static_cast<const std::byte*>(x) + first * bytes;
    library_reduce(runtime_op::minimum, type, from, some, static_cast<std::byte*>(minima) + result * bytes,
                   where);
    library_reduce(runtime_op::maximum, type, from, some, static_cast<std::byte*>(maxima) + result * bytes,
                   where);
  };
  const std::size_t most = cached_bytes / bytes;
  const std::size_t entry = all.length * all.inner,
                    at_once = std::clamp<std::size_t>(most / entry, 1, all.outer);
  for (std::size_t outer = 0; outer < all.outer; outer += at_once) {
    both(outer * entry, {std::min(at_once, all.outer - outer), all.length, all.inner}, outer * all.inner,
         smallest, largest);
  }
}

}  // namespace

void library_to_bool(const void* x, std::size_t element_bytes, std::size_t count, bool* out,
                     const target& where) {
  if (count == 0) return;
  if (where.is_gpu()) return gpu::are_nonzero(x, element_bytes, count, out, where);
  with_unsigned_of_bytes(element_bytes, [&]<class Bits>(Bits) {
    const auto* const from = static_cast<const Bits*>(x);
    cpu::transform(where.threads(), [=](std::size_t i) { return from[i] != 0; }, count, out);
  });
}

void library_minmax(dtype type, const void* x, axis_lines all, void* smallest, void* largest,
                    const target& where) {
  if (all.count() == 0) return;
  if (where.is_gpu()) return minmax_on_gpu(type, x, all, smallest, largest, where);
  minmax_on_cpu(type, x, all, smallest, largest, where);
}

}  // namespace heddle::impl

namespace heddle::cpu {

void squared_deviations(dtype type, const void* x, std::size_t rows, std::size_t columns, const void* centres,
                        double* out) {
  impl::squared_deviations_of(type)(x, {0, rows, columns, columns, 0, 0}, centres, out);
}

void squared_deviations(int threads, dtype type, const void* x, const axis_lines& block, const void* centres,
                        std::size_t pitch, double* out) {
  if (block.elements() == 0) return;
  constexpr std::size_t elements_worth_a_thread = std::size_t{1} << 15;
  const std::size_t centre_bytes = size_of(impl::sum_dtype(type));
  for_slices(threads, block.outer * block.length, elements_worth_a_thread / block.inner + 1,
             [&](std::size_t row, std::size_t last) {
               while (row < last) {
                 const std::size_t outer = row / block.length, begin = row * block.inner,
                                   rows = std::min(last, (outer + 1) * block.length) - row;
                 squared_deviations(
                     type, static_cast<const std::byte*>(x) + begin * size_of(type), rows, block.inner,
                     static_cast<const std::byte*>(centres) + outer * pitch * centre_bytes, out + begin);
                 row += rows;
               }
             });
}

}  // namespace heddle::cpu
