#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/streamed_scan.hpp>

#include <functional>
#include <optional>

namespace heddle::tests::differential {
namespace {

/// How a scan runs.
struct variant {
  dtype type;
  runtime_op op;
  bool exclusive;
  content of;
  bool has_init;
};

variant draw_variant(choices& from) {
  variant how;
  how.type = draw_dtype(from);
  how.op = draw_op(from, how.type);
  how.exclusive = from.one_in(2);
  how.has_init = from.one_in(3);
  const bool is_extreme = how.op == runtime_op::minimum || how.op == runtime_op::maximum;
  const bool rounds = how.type >= dtype::float32 && !is_extreme;
  how.of = rounds || from.one_in(2) ? content::exact : content::any_bits;
  from.note(fmt::format("{}{}", how.exclusive ? "exclusive" : "inclusive", how.has_init ? " init" : ""));
  return how;
}

template <class T>
std::optional<any_value> init_of(const variant& how) {
  if (!how.has_init) return {};
  return any_value(element<T>(content::exact, how.op, 5));
}

/// The line at `begin` scanned by a loop into `out`.
template <class T, class At>
void looped(const variant& how, std::size_t length, const At& at, std::vector<stored<T>>& out,
            const std::function<std::size_t(std::size_t)>& place) {
  std::optional<T> sum;
  if (how.has_init) sum = lifted(how.op, init_of<T>(how)->template as<T>());
  if (how.exclusive && !sum) sum = identity(how.op, dtype_of<T>).template as<T>();
  for (std::size_t k = 0; k < length; ++k) {
    const T next = at(k);
    const std::optional<T> before = sum;
    sum = sum ? combined<T>(how.op, *sum, next) : lifted(how.op, next);
    out[place(k)] = how.exclusive ? *before : *sum;
  }
}

void scan_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const variant how = draw_variant(from);
  const shape lengths = draw_shape(from, most, 1, size_of(how.type));
  const bool is_flat = from.one_in(3), in_place = from.one_in(3);
  const std::size_t axis = is_flat ? 0 : from.between(0, lengths.axes() - 1);
  from.note(fmt::format("axis {}{}", is_flat ? "none" : std::to_string(axis), in_place ? " in place" : ""));
  with_type(how.type, [&]<class T>(T) {
    input<T> x(from, lengths, where, how.of, how.op);
    const axis_lines lines = is_flat ? axis_lines{1, x.size(), 1} : along(lengths, axis);
    std::vector<stored<T>> want(x.size());
    for (std::size_t line = 0; line < lines.count(); ++line) {
      const auto place = [&](std::size_t k) { return lines.begin_of(line) + k * lines.inner; };
      looped<T>(how, lines.length, [&](std::size_t k) { return x[place(k)]; }, want, place);
    }
    guarded elsewhere(from, how.type, lengths, where);
    const std::optional<any_value> init = init_of<T>(how);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(axis)};
    const auto scan = [&](const target& on, const any_view& out) {
      if (is_flat && how.exclusive) {
        exclusive_scan_into(on, out, x.view(), how.op, init);
      } else if (is_flat) {
        inclusive_scan_into(on, out, x.view(), how.op, init);
      } else if (how.exclusive) {
        exclusive_scan_into(on, out, x.view(), along_axis, how.op, init);
      } else {
        inclusive_scan_into(on, out, x.view(), along_axis, how.op, init);
      }
    };
    scan(where, elsewhere.view());
    const auto have = elements_of<T>(elsewhere.view());
    elsewhere.check_zones("the output");
    check_values("scan", have, want);
    x.check_unchanged();
    check_same_bits(where, have, [&](const target& on) {
      scan(on, elsewhere.view());
      return elements_of<T>(elsewhere.view());
    });
    if (!in_place) return;
    scan(where, x.writable());
    check_bits("a scan in place", elements_of<T>(x.view()), have);
  });
}

/// Places where segments begin, that rise.
std::vector<std::size_t> drawn_offsets(choices& from, std::size_t elements) {
  const std::size_t segments = from.between(0, std::min<std::size_t>(elements + 3, 300));
  std::vector<std::size_t> offsets(segments);
  const std::uint64_t seed = from.between(0, 1000);
  for (std::size_t i = 0; i < segments; ++i) offsets[i] = hashed(seed, i) % (elements + 1);
  std::sort(offsets.begin(), offsets.end());
  from.note(fmt::format("{} segments", segments));
  return offsets;
}

void segmented_scan_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const variant how = draw_variant(from);
  const std::size_t n = draw_length(from, most.elements, size_of(how.type));
  from.note(fmt::format("of {}", n));
  const std::vector<std::size_t> offsets = drawn_offsets(from, n);
  with_type(how.type, [&]<class T>(T) {
    const input<T> x(from, {n}, where, how.of, how.op);
    std::vector<stored<T>> want(n);
    for (std::size_t s = 0; s <= offsets.size(); ++s) {
      const std::size_t first = s == 0 ? 0 : offsets[s - 1], last = s == offsets.size() ? n : offsets[s];
      const auto place = [&](std::size_t k) { return first + k; };
      looped<T>(how, last - first, [&](std::size_t k) { return x[first + k]; }, want, place);
    }
    const array<std::size_t> begins(offsets, where);
    guarded out(from, how.type, {n}, where);
    const auto result = [&](const target& on) {
      if (how.exclusive) {
        segmented_exclusive_scan_into(on, out.view(), x.view(), array_view<const std::size_t>(begins), how.op,
                                      init_of<T>(how));
      } else {
        segmented_inclusive_scan_into(on, out.view(), x.view(), array_view<const std::size_t>(begins), how.op,
                                      init_of<T>(how));
      }
      return elements_of<T>(out.view());
    };
    const auto have = result(where);
    out.check_zones("the output");
    check_values("segmented_scan", have, want);
    // On a GPU numbers that are rounded are combined in another order.
    if (!where.is_gpu() || how.type < dtype::float32) check_same_bits(where, have, result);
    x.check_unchanged();
  });
}

/// A stream of pieces is one scan.
void streamed_scan_property(choices& from, const limits& most) {
  target where = draw_target(from, most);
  if (where.is_gpu()) where = target::serial();
  const variant how = draw_variant(from);
  with_type(how.type, [&]<class T>(T) {
    streamed_scan stream(where, how.op, how.type, how.exclusive, init_of<T>(how));
    const std::size_t unit = stream.unit(), pieces = from.between(0, 3);
    std::vector<std::size_t> lengths;
    std::size_t n = 0;
    for (std::size_t p = 0; p < pieces; ++p) {
      const bool is_last = p + 1 == pieces;
      lengths.push_back(is_last ? draw_length(from, 2 * unit, size_of(how.type)) : unit * from.between(0, 2));
      n += lengths.back();
    }
    from.note(fmt::format("pieces of {}", fmt::join(lengths, ", ")));
    const input<T> x(from, {n}, target(), how.of, how.op);
    guarded out(from, how.type, {n}, target()), at_once(from, how.type, {n}, target());
    std::size_t done = 0;
    for (const std::size_t length : lengths) {
      stream.append(static_cast<const std::byte*>(x.view().data()) + done * sizeof(T), length,
                    static_cast<std::byte*>(out.view().data()) + done * sizeof(T));
      done += length;
    }
    out.check_zones("the output");
    if (how.exclusive) {
      exclusive_scan_into(target::serial(), at_once.view(), x.view(), how.op, init_of<T>(how));
    } else {
      inclusive_scan_into(target::serial(), at_once.view(), x.view(), how.op, init_of<T>(how));
    }
    check_bits("beside one scan", elements_of<T>(out.view()), elements_of<T>(at_once.view()));
    x.check_unchanged();
  });
}

/// a − b: integers modulo 2^bits, whether bools differ.
template <class T>
T subtracted(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a != b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  } else {
    return a - b;
  }
}

void adjacent_difference_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from);
  const shape lengths = draw_shape(from, most, 1, size_of(type));
  const bool is_flat = from.one_in(3), in_place = from.one_in(3);
  const std::size_t axis = is_flat ? 0 : from.between(0, lengths.axes() - 1);
  from.note(fmt::format("axis {}{}", is_flat ? "none" : std::to_string(axis), in_place ? " in place" : ""));
  with_type(type, [&]<class T>(T) {
    // What a NaN looks like differs from processor to processor.
    input<T> x(from, lengths, where, type >= dtype::float32 ? content::exact : content::any_bits);
    const axis_lines lines = is_flat ? axis_lines{1, x.size(), 1} : along(lengths, axis);
    std::vector<stored<T>> want(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_first = i / lines.inner % lines.length == 0;
      want[i] = is_first ? x[i] : subtracted<T>(x[i], x[i - lines.inner]);
    }
    guarded elsewhere(from, type, lengths, where);
    const auto subtract = [&](const target& on, const any_view& out) {
      if (is_flat) return adjacent_difference_into(on, out, x.view());
      adjacent_difference_into(on, out, x.view(), heddle::axis{static_cast<std::ptrdiff_t>(axis)});
    };
    subtract(where, elsewhere.view());
    const auto have = elements_of<T>(elsewhere.view());
    elsewhere.check_zones("the output");
    check_values("adjacent_difference", have, want);
    x.check_unchanged();
    check_same_bits(where, have, [&](const target& on) {
      subtract(on, elsewhere.view());
      return elements_of<T>(elsewhere.view());
    });
    if (!in_place) return;
    subtract(where, x.writable());
    check_bits("in place", elements_of<T>(x.view()), have);
  });
}

}  // namespace

std::vector<property> scans() {
  return {{"scan", scan_property},
          {"adjacent_difference", adjacent_difference_property},
          {"segmented_scan", segmented_scan_property},
          {"streamed_scan", streamed_scan_property}};
}

}  // namespace heddle::tests::differential
