#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/streamed_reduce.hpp>

#include <optional>

namespace heddle::tests::differential {
namespace {

std::optional<any_value> drawn_init(choices& from, dtype type, runtime_op op) {
  if (!from.one_in(3)) return {};
  from.note("init");
  return with_type(type,
                   [&]<class T>(T) { return std::optional<any_value>(element<T>(content::exact, op, 5)); });
}

/// Lines of x combined by a loop, after the initial value.
template <class T>
std::vector<stored<T>> looped(const input<T>& x, const axis_lines& lines, runtime_op op,
                              const std::optional<any_value>& init) {
  std::vector<stored<T>> all;
  for (std::size_t line = 0; line < lines.count(); ++line) {
    std::optional<T> sum;
    if (init) sum = lifted(op, init->as<T>());
    for (std::size_t k = 0; k < lines.length; ++k) {
      const T next = x[lines.begin_of(line) + k * lines.inner];
      sum = sum ? combined<T>(op, *sum, next) : lifted(op, next);
    }
    all.push_back(sum ? *sum : identity(op, dtype_of<T>).template as<T>());
  }
  return all;
}

content drawn_content(choices& from, dtype type, runtime_op op) {
  const bool rounds = type >= dtype::float32 && (op == runtime_op::plus || op == runtime_op::multiplies);
  return rounds || from.one_in(2) ? content::exact : content::any_bits;
}

void reduce_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from);
  const runtime_op op = draw_op(from, type);
  const shape lengths = draw_shape(from, most, 0, size_of(type));
  const bool is_flat = lengths.axes() == 0 || from.one_in(2);
  const std::size_t axis = is_flat ? 0 : from.between(0, lengths.axes() - 1);
  if (!is_flat) from.note(fmt::format("axis {}", axis));
  const content of = drawn_content(from, type, op);
  const std::optional<any_value> init = drawn_init(from, type, op);
  with_type(type, [&]<class T>(T) {
    const input<T> x(from, lengths, where, of, op);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(axis)};
    const axis_lines lines = is_flat ? axis_lines{1, x.size(), 1} : along(lengths, axis);
    if (lines.length == 0 && !init && (op == runtime_op::minimum || op == runtime_op::maximum)) return;
    const std::vector<stored<T>> want = looped(x, lines, op, init);
    guarded out(from, type, is_flat ? shape{1} : lengths.without_axis(axis), where);
    const auto result = [&](const target& on) {
      if (is_flat) {
        reduce_into(on, out.view(), x.view(), op, init);
      } else {
        reduce_into(on, out.view(), x.view(), along_axis, op, init);
      }
      return elements_of<T>(out.view());
    };
    const auto have = result(where);
    out.check_zones("the output");
    check_values("reduce", have, want);
    check_same_bits(where, have, result);
    if (is_flat) {
      const any_value value = reduce(where, x.view(), op, init);
      check_bits("the value of reduce", std::vector<stored<T>>{value.as<T>()}, have);
    }
    x.check_unchanged();
  });
}

/// Sums of numbers that are rounded: the same bits on every target, near a sum in higher precision.
void rounded_sum_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const bool is_single = from.one_in(2);
  const std::size_t n = 1 + draw_length(from, most.elements - 1);
  from.note(fmt::format("{} of {}", is_single ? "float32" : "float64", n));
  const auto check = [&]<class T>(T) {
    std::vector<T> values(n);
    long double sum = 0, size = 0;
    const std::uint64_t seed = from.between(0, 1000);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<T>(static_cast<double>(hashed(seed, i) >> 11) * 0x1p-53 - 0.25);
      sum += values[i];
      size += std::fabs(static_cast<long double>(values[i]));
    }
    const input<T> x(from, {n}, where, values);
    const T have = reduce(where, x.view()).template as<T>();
    // Each element goes through at most 22 additions in each level of 1024.
    const double levels = std::ceil(std::log(static_cast<double>(n) + 1) / std::log(1024.0)) + 1;
    const long double most_wrong = 22 * levels * std::numeric_limits<T>::epsilon() * size;
    if (!(std::fabs(have - sum) <= most_wrong))
      throw std::runtime_error(fmt::format("the sum is {} instead of {}", have, static_cast<double>(sum)));
    check_bits("beside one core", std::vector<T>{have},
               {reduce(target::serial(), x.view()).template as<T>()});
    x.check_unchanged();
  };
  if (is_single) {
    check(float{});
  } else {
    check(double{});
  }
}

/// Offsets of up to `elements` elements, that rise.
std::vector<std::size_t> drawn_offsets(choices& from, std::size_t elements) {
  const std::size_t segments = from.between(0, std::min<std::size_t>(elements + 3, 300));
  std::vector<std::size_t> offsets(segments + 1);
  const std::uint64_t seed = from.between(0, 1000);
  for (std::size_t i = 0; i <= segments; ++i)
    offsets[i] = elements == 0 ? 0 : hashed(seed, i) % (elements + 1);
  std::sort(offsets.begin(), offsets.end());
  from.note(fmt::format("{} segments", segments));
  return offsets;
}

void segmented_reduce_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from);
  const runtime_op op = draw_op(from, type);
  const std::size_t n = draw_length(from, most.elements, size_of(type));
  from.note(fmt::format("of {}", n));
  const std::vector<std::size_t> offsets = drawn_offsets(from, n);
  const content of = drawn_content(from, type, op);
  with_type(type, [&]<class T>(T) {
    const input<T> x(from, {n}, where, of, op);
    const array<std::size_t> begins(offsets, where);
    std::vector<stored<T>> want;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      std::optional<T> sum;
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i)
        sum = sum ? combined<T>(op, *sum, x[i]) : lifted(op, x[i]);
      // An extremum of nothing is not compared: its identity depends on the type.
      if (!sum && (op == runtime_op::minimum || op == runtime_op::maximum)) return;
      want.push_back(sum ? *sum : identity(op, type).template as<T>());
    }
    const auto result = [&](const target& on) {
      return elements_of<T>(segmented_reduce(on, x.view(), array_view<const std::size_t>(begins), op));
    };
    const auto have = result(where);
    check_values("segmented_reduce", have, want);
    check_same_bits(where, have, result);
    x.check_unchanged();
  });
}

void arg_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from, true);
  const shape lengths = draw_shape(from, most, 0, size_of(type));
  const bool is_flat = lengths.axes() == 0 || from.one_in(2), is_max = from.one_in(2);
  const std::size_t axis = is_flat ? 0 : from.between(0, lengths.axes() - 1);
  from.note(fmt::format("{} axis {}", is_max ? "argmax" : "argmin", is_flat ? "none" : std::to_string(axis)));
  const content of = from.one_in(2) ? content::exact : content::any_bits;
  with_type(type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, lengths, where, of);
      const axis_lines lines = is_flat ? axis_lines{1, x.size(), 1} : along(lengths, axis);
      if (lines.length == 0) return;
      std::vector<std::size_t> want;
      for (std::size_t line = 0; line < lines.count(); ++line) {
        std::size_t best = 0;
        const auto at = [&](std::size_t k) { return x[lines.begin_of(line) + k * lines.inner]; };
        for (std::size_t k = 1; k < lines.length && at(best) == at(best); ++k) {
          if (at(k) != at(k) || (is_max ? at(k) > at(best) : at(k) < at(best))) best = k;
        }
        want.push_back(best);
      }
      if (is_flat) {
        const std::size_t have = is_max ? argmax(where, x.view()) : argmin(where, x.view());
        check_values("the index", std::vector<std::size_t>{have}, want);
      } else {
        const heddle::axis along_axis{static_cast<std::ptrdiff_t>(axis)};
        check_values(
            "the indices",
            elements_of(is_max ? argmax(where, x.view(), along_axis) : argmin(where, x.view(), along_axis)),
            want);
      }
      x.check_unchanged();
    }
  });
}

void streamed_reduce_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from);
  const runtime_op op = draw_op(from, type);
  with_type(type, [&]<class T>(T) {
    const std::optional<any_value> init = drawn_init(from, type, op);
    streamed_reduce stream(where, op, type, init);
    const std::size_t unit = stream.unit(), pieces = from.between(0, 3);
    std::vector<std::size_t> lengths;
    std::size_t n = 0;
    for (std::size_t p = 0; p < pieces; ++p) {
      const bool is_last = p + 1 == pieces;
      lengths.push_back(is_last ? draw_length(from, 2 * unit, size_of(type)) : unit * from.between(0, 2));
      n += lengths.back();
    }
    from.note(fmt::format("pieces of {}", fmt::join(lengths, ", ")));
    if (n == 0 && !init) return;
    const input<T> x(from, {n}, target(), drawn_content(from, type, op), op);
    std::size_t done = 0;
    for (const std::size_t length : lengths) {
      stream.append(static_cast<const std::byte*>(x.view().data()) + done * sizeof(T), length);
      done += length;
    }
    const T have = stream.result().template as<T>();
    check_values("the streamed result", std::vector<stored<T>>{have}, looped(x, {1, n, 1}, op, init));
    check_bits("beside reduce", std::vector<stored<T>>{have},
               {stored<T>(reduce(target::serial(), x.view(), op, init).template as<T>())});
    x.check_unchanged();
  });
}

}  // namespace

std::vector<property> reductions() {
  return {{"reduce", reduce_property},
          {"rounded_sum", rounded_sum_property},
          {"segmented_reduce", segmented_reduce_property},
          {"arg", arg_property},
          {"streamed_reduce", streamed_reduce_property}};
}

}  // namespace heddle::tests::differential
