#include "patterns/fft/cpu.hpp"

#include "cpu/slice_memory.hpp"
#include "patterns/fft/fft_plans.hpp"
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <complex>
#include <cstring>

namespace heddle::cpu {
namespace {

using impl::fft_kind, impl::fft_task;

/// Transforms all lines of x along an axis, `length_in` elements each, to lines of `length_out`. Neighbouring
/// columns are taken together, as many as a line of the cache holds.
template <class T, class In, class Out>
void transform_lines(int threads, std::size_t n, fft_kind kind, const In* x, std::size_t outer,
                     std::size_t inner, std::size_t length_in, std::size_t length_out, Out* out) {
  const std::size_t columns =
      inner == 1 ? 1 : std::min<std::size_t>(inner, std::max<std::size_t>(1, 64 / sizeof(Out)));
  const std::size_t panels = (inner + columns - 1) / columns,
                    work = columns * std::max(length_in, length_out);
  // Lines are shared out, or of a few long ones each is.
  const bool real = kind == fft_kind::real_forward || kind == fft_kind::real_inverse;
  const bool share_lines =
      n / (real ? 2 : 1) < long_line || outer * panels >= static_cast<std::size_t>(threads);
  const int each = share_lines ? 1 : threads;
  const int lines_at_once = share_lines ? threads : 1;
  const std::size_t grain = impl::threshold.fft_grain / 4 / work + 1;
  const std::size_t in_size = inner == 1 ? 0 : columns * length_in;
  const std::size_t out_size = inner == 1 && static_cast<const void*>(x) != out ? 0 : columns * length_out;
  slice_memory of_slices(lines_at_once, outer * panels, grain, in_size * sizeof(In) + out_size * sizeof(Out));
  for_slices(lines_at_once, outer * panels, grain, [&](std::size_t first, std::size_t last) {
    const pooled_plan<T> plan(n, kind);
    const slice_memory::piece piece(of_slices);
    Out* const line_out = reinterpret_cast<Out*>(piece.data());
    In* const line_in = reinterpret_cast<In*>(line_out + out_size);
    for (std::size_t panel = first; panel < last; ++panel) {
      const std::size_t row = panel / panels, column = panel % panels * columns;
      const In* const from = x + row * length_in * inner + column;
      Out* const to = out + row * length_out * inner + column;
      if (inner == 1) {
        if (out_size == 0) {
          (*plan).run(from, to, each);
        } else {
          (*plan).run(from, line_out, each);
          std::copy_n(line_out, out_size, to);
        }
        continue;
      }
      const std::size_t width = std::min(columns, inner - column);
      for (std::size_t k = 0; k < length_in; ++k) {
        for (std::size_t c = 0; c < width; ++c) line_in[c * length_in + k] = from[k * inner + c];
      }
      for (std::size_t c = 0; c < width; ++c)
        (*plan).run(line_in + c * length_in, line_out + c * length_out, each);
      for (std::size_t k = 0; k < length_out; ++k) {
        for (std::size_t c = 0; c < width; ++c) to[k * inner + c] = line_out[c * length_out + k];
      }
    }
  });
}

template <class T>
void fft_of(int threads, const fft_task& task, const void* x, void* out) {
  using complex = std::complex<T>;
  const auto along_axis = [&]<class In, class Out>(std::size_t axis, const shape& lengths, std::size_t n,
                                                   fft_kind kind, const In* from, std::size_t length_out,
                                                   Out* to) {
    const axis_lines all = along(lengths, axis);
    transform_lines<T>(threads, n, kind, from, all.outer, all.inner, all.length, length_out, to);
  };
  // The complex transforms of all axes but so many from the back, in place.
  const auto others = [&](std::size_t skipped, const shape& lengths, fft_kind kind, complex* data) {
    for (std::size_t i = task.axes.size() - skipped; i-- > 0;) {
      const std::size_t axis = task.axes[i];
      along_axis(axis, lengths, lengths[axis], kind, data, lengths[axis], data);
    }
  };
  const std::size_t last = task.axes.back(), n = task.lengths[last];
  complex* const result = static_cast<complex*>(out);
  switch (task.kind) {
    case fft_kind::forward:
    case fft_kind::inverse:
      if (task.from_real) {
        const T* const reals = static_cast<const T*>(x);
        for_slices(threads, task.lengths.elements(), std::size_t{1} << 14,
                   [&](std::size_t first, std::size_t end) {
                     std::copy(reals + first, reals + end, result + first);
                   });
        return others(0, task.lengths, task.kind, result);
      }
      along_axis(last, task.lengths, n, task.kind, static_cast<const complex*>(x), n, result);
      return others(1, task.lengths, task.kind, result);
    case fft_kind::real_forward:
      along_axis(last, task.lengths, n, task.kind, static_cast<const T*>(x), n / 2 + 1, result);
      return others(1, task.result(), fft_kind::forward, result);
    case fft_kind::real_inverse:
      break;
  }
  const complex* spectrum = static_cast<const complex*>(x);
  memory transformed;
  if (task.axes.size() > 1) {
    transformed = memory(task.lengths.elements() * sizeof(complex), target());
    std::memcpy(transformed.data(), x, transformed.bytes());
    others(1, task.lengths, fft_kind::inverse, static_cast<complex*>(transformed.data()));
    spectrum = static_cast<const complex*>(transformed.data());
  }
  along_axis(last, task.lengths, task.real_length, task.kind, spectrum, task.real_length,
             static_cast<T*>(out));
}

}  // namespace

void fft(int threads, const fft_task& task, const void* x, void* out) {
  if (task.is_double) return fft_of<double>(threads, task, x, out);
  fft_of<float>(threads, task, x, out);
}

}  // namespace heddle::cpu
