#include "mandelbrot/mandelbrot.hpp"

#include "mandelbrot/kernels.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/rows_in_order.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

namespace heddle::mandelbrot {

const count_kernels& kernels() {
  constinit static made_once<count_kernels> chosen;
  return chosen.get([] {
#if defined(HEDDLE_X86_KERNELS)
    const std::string_view isa = cpu_instruction_set();
    if (isa == "avx512") return avx512_counts();
    if (isa == "avx2") return avx2_counts();
#endif
    return baseline_counts();
  });
}

namespace {

template <class T>
count_kernel<T> kernel() {
  if constexpr (sizeof(T) == 4) return kernels().in_float;
  if constexpr (sizeof(T) == 8) return kernels().in_double;
}

/// Calls f with a value of the picture's precision.
template <class F>
auto with_precision(const picture& what, F&& f) {
  return what.precision == dtype::float32 ? f(float()) : f(double());
}

/// from + i·(to − from)/count for i = 0, 1, … count − 1.
template <class T>
std::vector<T> axis(double from, double to, std::size_t count) {
  const T first = static_cast<T>(from), length = static_cast<T>(to) - first;
  std::vector<T> c(count);
  for (std::size_t i = 0; i < count; ++i) c[i] = first + static_cast<T>(i) * length / static_cast<T>(count);
  return c;
}

template <class T>
std::vector<T> axis_of(const picture& what, bool rows) {
  const view& v = what.view;
  return rows ? axis<T>(v.ymin, v.ymax, what.height) : axis<T>(v.xmin, v.xmax, what.width);
}

/// The sum of the numbers of any two rows that are complex conjugates; 0 where not all that could be are.
template <class T>
std::size_t mirror_of(const std::vector<T>& rows) {
  const std::size_t above =
      static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), T(0)) - rows.begin());
  if (above == 0 || above == rows.size()) return 0;
  const std::size_t sum = 2 * above - (rows[above] == 0 ? 0 : 1);
  for (std::size_t y = above; y < rows.size() && y <= sum; ++y) {
    if (rows[y] != -rows[sum - y]) return 0;
  }
  return sum;
}

/// Those of `rows` rows that are copied from others.
mirrored_rows mirrored(std::size_t sum, std::size_t rows) {
  if (sum < rows) return {0, (sum + 1) / 2, sum};
  if (sum / 2 + 1 < rows) return {sum / 2 + 1, rows - 1 - sum / 2, sum};
  return {};
}

memory on_target(const void* data, std::size_t bytes, const target& where) {
  memory there(bytes, where);
  copy(there.data(), where, data, target(), bytes);
  return there;
}

}  // namespace

void check(const picture& what) {
  if (what.width == 0 || what.height == 0 || what.width > (std::size_t{1} << 62) / what.height / 4) {
    fail(fmt::format("mandelbrot: there is no picture of {} x {}", what.width, what.height));
  }
  if (what.iterations > picture::most_iterations) {
    fail(fmt::format("mandelbrot: {} iterations: the limit is {} at most", what.iterations,
                     picture::most_iterations));
  }
  if (what.deep) return check(*what.deep);
  if (what.precision != dtype::float32 && what.precision != dtype::float64) {
    fail(fmt::format("mandelbrot: no precision {}: float32 and float64 are", name(what.precision)));
  }
  const view& v = what.view;
  // Far beyond the set, and far from where a product would overflow.
  constexpr double most = 1e6;
  for (const double side : {v.xmin, v.xmax, v.ymin, v.ymax}) {
    if (!(std::abs(side) <= most)) {
      fail(fmt::format("mandelbrot: the view {},{},{},{} goes beyond {:.0f}", v.xmin, v.xmax, v.ymin, v.ymax,
                       most));
    }
  }
  if (!(v.xmin < v.xmax && v.ymin < v.ymax)) {
    fail(fmt::format("mandelbrot: the view {},{},{},{} is empty: it is xmin,xmax,ymin,ymax", v.xmin, v.xmax,
                     v.ymin, v.ymax));
  }
}

view view_around(double re, double im, double zoom, std::size_t width, std::size_t height) {
  const double half_width = 1.5 / zoom;
  const double half_height = half_width * static_cast<double>(height) / static_cast<double>(width);
  return {re - half_width, re + half_width, im - half_height, im + half_height};
}

escape_counter::escape_counter(const picture& what, const target& where,
                               std::shared_ptr<const reference_orbit> reference)
    : what_(what), where_(where) {
  check(what);
  constexpr std::size_t most_columns = std::size_t{1} << 31;
  if (where.is_gpu() && what.width > most_columns) {
    fail(fmt::format("mandelbrot: rows of {} pixels on {}: a GPU takes {} at most", what.width, where.text(),
                     most_columns));
  }
  if (what.deep) {
    if (!reference) {
      reference = std::make_shared<const reference_orbit>(what.deep->re, what.deep->im, what.iterations,
                                                          bits_for(*what.deep, what.width, what.iterations));
    }
    near_.emplace(*what.deep, what.width, what.height, what.iterations, where, std::move(reference));
    return;
  }
  with_precision(what, [&]<class T>(T) {
    const std::vector<T> columns = axis_of<T>(what, false), rows = axis_of<T>(what, true);
    columns_ = on_target(columns.data(), columns.size() * sizeof(T), where);
    rows_ = on_target(rows.data(), rows.size() * sizeof(T), where);
    mirror_ = mirror_of(rows);
  });
}

void escape_counter::count(std::size_t first_row, std::size_t rows, std::uint32_t* counts,
                           double* beyond) const {
  const std::size_t width = what_.width;
  const std::uint32_t limit = what_.iterations;
  if (first_row > what_.height || rows > what_.height - first_row) {
    fail(fmt::format("mandelbrot: there are no {} rows from row {} on: the picture has {}", rows, first_row,
                     what_.height));
  }
  if (rows == 0) return;
  if (near_) return near_->count(first_row, rows, counts, beyond);
  // The copied rows are at one end.
  const mirrored_rows copied =
      mirror_ > 2 * first_row ? mirrored(mirror_ - 2 * first_row, rows) : mirrored_rows{};
  const std::size_t first = copied.first == 0 ? copied.count : 0, height = rows - copied.count;
  with_precision(what_, [&]<class T>(T) {
    const T* const re = static_cast<const T*>(columns_.data());
    const T* const im = static_cast<const T*>(rows_.data()) + first_row + first;
    std::uint32_t* const to = counts + first * width;
    if (where_.is_gpu()) return gpu::count(where_, re, im, width, height, limit, to);
    // Rows are handed out as threads ask for them: what a row costs is not known before.
    const auto threads = static_cast<std::size_t>(where_.threads());
    const std::size_t pixels = std::size_t{1} << 15;
    const std::size_t piece =
        threads == 1 ? height : std::max<std::size_t>(1, std::min(pixels / width, height / (threads * 16)));
    std::atomic<std::size_t> next{0};
    cpu::on_threads(where_.threads(), std::min(threads, height), [&] {
      for (;;) {
        const std::size_t row = next.fetch_add(piece, std::memory_order_relaxed);
        if (row >= height) return;
        kernel<T>()(re, im + row, width, std::min(piece, height - row), limit, to + row * width);
      }
    });
  });
  if (copied.count == 0) return;
  if (where_.is_gpu()) return gpu::copy_mirrored(where_, counts, width, copied);
  for (std::size_t y = copied.first; y < copied.first + copied.count; ++y) {
    std::copy_n(counts + (copied.sum - y) * width, width, counts + y * width);
  }
}

array<std::uint32_t> escape_counts(const picture& what, const target& where) {
  const escape_counter counter(what, where);
  array<std::uint32_t> counts({what.height, what.width}, where);
  counter.count(0, what.height, counts.data());
  return counts;
}

distributed_array<std::uint32_t> escape_counts(const picture& what, const ranks& all) {
  const escape_counter counter(what, all.where());
  const auto size = static_cast<std::size_t>(all.size()), me = static_cast<std::size_t>(all.rank());
  constexpr std::size_t pieces_a_rank = 16;
  const std::size_t piece = std::max<std::size_t>(1, what.height / (pieces_a_rank * size));
  // Row by row what is no copy, in pieces; then the copies.
  std::vector<std::size_t> numbers;
  std::size_t turn = 0;
  for (std::size_t y = 0; y < what.height; ++y) {
    if (counter.is_mirrored(y)) continue;
    if (turn++ / piece % size == me) numbers.push_back(y);
  }
  const std::size_t counted = numbers.size();
  for (std::size_t i = 0; i < counted; ++i) {
    const std::size_t y = numbers[i], copy = counter.mirror_row(y);
    if (copy > y && copy < what.height && counter.is_mirrored(copy)) numbers.push_back(copy);
  }
  array<std::uint32_t> rows({numbers.size(), what.width}, all.where());
  for (std::size_t i = 0; i < counted;) {
    std::size_t end = i + 1;
    while (end < counted && numbers[end] == numbers[end - 1] + 1) ++end;
    counter.count(numbers[i], end - i, rows.data() + i * what.width);
    i = end;
  }
  for (std::size_t i = counted; i < numbers.size(); ++i) {
    const auto from =
        std::lower_bound(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(counted),
                         counter.mirror_row(numbers[i]));
    const auto row = static_cast<std::size_t>(from - numbers.begin());
    copy(rows.data() + i * what.width, all.where(), rows.data() + row * what.width, all.where(),
         what.width * sizeof(std::uint32_t));
  }
  return rows_in_order(all, shape{what.height, what.width}, numbers, rows);
}

bool tells_pixels_apart(const picture& what) {
  if (what.deep) return true;
  return with_precision(what, [&]<class T>(T) {
    const auto apart = [](double from, double to, std::size_t count) {
      const T most = static_cast<T>(std::max(std::abs(from), std::abs(to)));
      const T gap = most - std::nextafter(most, T(0));
      return (to - from) / static_cast<double>(count) >= static_cast<double>(gap);
    };
    const view& v = what.view;
    return apart(v.xmin, v.xmax, what.width) && apart(v.ymin, v.ymax, what.height);
  });
}

std::vector<double> coordinates(const picture& what, bool of_rows) {
  return with_precision(what, [&]<class T>(T) {
    const std::vector<T> c = axis_of<T>(what, of_rows);
    return std::vector<double>(c.begin(), c.end());
  });
}

}  // namespace heddle::mandelbrot
