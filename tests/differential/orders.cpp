#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/any_patterns.hpp>

#include <numeric>
#include <optional>

namespace heddle::tests::differential {
namespace {

/// A number between elements in ascending order: NaNs are last; zeros of both signs are equal.
template <class T>
bool comes_before(const T& a, const T& b) {
  if (a != a) return false;
  if (b != b) return true;
  return a < b;
}
/// The same with −0 before +0, as elements are sorted.
template <class T>
bool sorts_before(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
  }
  return comes_before(a, b);
}

/// What sorts have in common: elements of an ordered type, an order, and an axis or none.
struct sorted_case {
  target where;
  dtype type;
  shape lengths{0};
  bool is_flat, descending;
  std::size_t axis;
  content of;

  sort_order order() const { return descending ? sort_order::descending : sort_order::ascending; }
  heddle::axis along_axis() const { return heddle::axis{static_cast<std::ptrdiff_t>(axis)}; }
  axis_lines lines() const { return is_flat ? axis_lines{1, lengths.elements(), 1} : along(lengths, axis); }
};

sorted_case draw_case(choices& from, const limits& most) {
  sorted_case drawn;
  drawn.where = draw_target(from, most);
  drawn.type = draw_dtype(from, true);
  drawn.lengths = draw_shape(from, most, 0, size_of(drawn.type));
  drawn.is_flat = drawn.lengths.axes() == 0 || from.one_in(2);
  drawn.axis = drawn.is_flat ? 0 : from.between(0, drawn.lengths.axes() - 1);
  drawn.descending = from.one_in(2);
  drawn.of = from.one_in(2) ? content::exact : content::any_bits;
  from.note(fmt::format("axis {}{}", drawn.is_flat ? "none" : std::to_string(drawn.axis),
                        drawn.descending ? " descending" : ""));
  return drawn;
}

/// The indices that put each line into its stable order.
template <class T>
std::vector<std::size_t> looped_argsort(const input<T>& x, const axis_lines& lines, bool descending) {
  std::vector<std::size_t> all(x.size());
  for (std::size_t line = 0; line < lines.count(); ++line) {
    std::vector<std::size_t> order(lines.length);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto at = [&](std::size_t k) { return x[lines.begin_of(line) + k * lines.inner]; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return descending ? comes_before(at(b), at(a)) : comes_before(at(a), at(b));
    });
    for (std::size_t k = 0; k < lines.length; ++k) all[lines.begin_of(line) + k * lines.inner] = order[k];
  }
  return all;
}

void sort_property(choices& from, const limits& most) {
  const sorted_case all = draw_case(from, most);
  const bool in_place = from.one_in(3);
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      input<T> x(from, all.lengths, all.where, all.of);
      const axis_lines lines = all.lines();
      std::vector<stored<T>> want(x.size());
      for (std::size_t line = 0; line < lines.count(); ++line) {
        std::vector<stored<T>> sorted(lines.length);
        const auto place = [&](std::size_t k) { return lines.begin_of(line) + k * lines.inner; };
        for (std::size_t k = 0; k < lines.length; ++k) sorted[k] = x[place(k)];
        std::stable_sort(sorted.begin(), sorted.end(), sorts_before<stored<T>>);
        if (all.descending) std::reverse(sorted.begin(), sorted.end());
        for (std::size_t k = 0; k < lines.length; ++k) want[place(k)] = sorted[k];
      }
      guarded out(from, all.type, all.lengths, all.where);
      const auto sort_to = [&](const any_view& to) {
        if (all.is_flat) {
          sort_into(all.where, to, x.view(), all.order());
        } else {
          sort_into(all.where, to, x.view(), all.along_axis(), all.order());
        }
        return elements_of<T>(to);
      };
      const auto have = sort_to(out.view());
      out.check_zones("the output");
      check_values("sort", have, want);
      if constexpr (std::is_floating_point_v<T>) {
        for (std::size_t i = 0; i < have.size(); ++i) {
          if (std::signbit(have[i]) != std::signbit(want[i]) && have[i] == have[i])
            throw std::runtime_error(fmt::format("element {} has another sign", i));
        }
      }
      x.check_unchanged();
      if (in_place) check_bits("a sort in place", sort_to(x.writable()), have);
    }
  });
}

void argsort_property(choices& from, const limits& most) {
  const sorted_case all = draw_case(from, most);
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, all.where, all.of);
      const auto have =
          elements_of(all.is_flat ? argsort(all.where, x.view(), all.order())
                                  : argsort(all.where, x.view(), all.along_axis(), all.order()));
      check_values("argsort", have, looped_argsort(x, all.lines(), all.descending));
      x.check_unchanged();
    }
  });
}

void top_k_property(choices& from, const limits& most) {
  const sorted_case all = draw_case(from, most);
  const axis_lines lines = all.lines();
  const std::size_t k = from.between(0, lines.length);
  from.note(fmt::format("k {}", k));
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, all.where, all.of);
      const std::vector<std::size_t> order = looped_argsort(x, lines, all.descending);
      const axis_lines of_result{lines.outer, k, lines.inner};
      std::vector<std::size_t> indices(of_result.elements());
      std::vector<stored<T>> values(of_result.elements());
      for (std::size_t line = 0; line < lines.count(); ++line) {
        for (std::size_t i = 0; i < k; ++i) {
          const std::size_t index = order[lines.begin_of(line) + i * lines.inner];
          indices[of_result.begin_of(line) + i * lines.inner] = index;
          values[of_result.begin_of(line) + i * lines.inner] = x[lines.begin_of(line) + index * lines.inner];
        }
      }
      const any_top_elements have = all.is_flat
                                        ? top_k(all.where, x.view(), k, all.order())
                                        : top_k(all.where, x.view(), k, all.along_axis(), all.order());
      check_values("the indices", elements_of(have.indices), indices);
      check_values("the values", elements_of<T>(have.values), values);
      x.check_unchanged();
    }
  });
}

void unique_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from);
  const bool is_consecutive = type >= dtype::complex64 || from.one_in(2);
  const std::size_t n = draw_length(from, most.elements, size_of(type));
  from.note(fmt::format("{} of {}", is_consecutive ? "unique_consecutive" : "unique", n));
  const content of = from.one_in(2) ? content::exact : content::any_bits;
  const std::size_t run = from.between(1, 5);
  with_type(type, [&]<class T>(T) {
    std::vector<stored<T>> values(n);
    const std::uint64_t seed = from.between(0, 1000);
    for (std::size_t i = 0; i < n; ++i) values[i] = element<T>(of, runtime_op::plus, hashed(seed, i / run));
    const input<T> x(from, {n}, where, values);
    if constexpr (!is_complex<T>) {
      if (!is_consecutive) std::stable_sort(values.begin(), values.end(), sorts_before<stored<T>>);
    }
    const auto equal = [](const stored<T>& a, const stored<T>& b) { return same_value(a, b); };
    values.erase(std::unique(values.begin(), values.end(), equal), values.end());
    const auto result = [&](const target& on) {
      if constexpr (!is_complex<T>) {
        if (!is_consecutive) return elements_of<T>(unique(on, x.view()));
      }
      return elements_of<T>(unique_consecutive(on, x.view()));
    };
    const auto have = result(where);
    check_values("the elements", have, values);
    check_same_bits(where, have, result);
    x.check_unchanged();
  });
}

void bounds_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from, true);
  const std::size_t n = draw_length(from, most.elements, size_of(type)),
                    wanted = draw_length(from, most.elements);
  const bool upper = from.one_in(2), descending = from.one_in(3);
  from.note(
      fmt::format("{} of {} in {}{}", upper ? "upper" : "lower", wanted, n, descending ? " descending" : ""));
  const content of = from.one_in(2) ? content::exact : content::any_bits;
  with_type(type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      std::vector<stored<T>> values(n);
      const std::uint64_t seed = from.between(0, 1000);
      for (std::size_t i = 0; i < n; ++i) values[i] = element<T>(of, runtime_op::plus, hashed(seed, i));
      const auto before = [&](const stored<T>& a, const stored<T>& b) {
        return descending ? comes_before(b, a) : comes_before(a, b);
      };
      std::stable_sort(values.begin(), values.end(), before);
      const input<T> sorted(from, {n}, where, values), looked_for(from, {wanted}, where, of);
      std::vector<std::size_t> want;
      for (const stored<T>& value : looked_for.values()) {
        const auto at = upper ? std::upper_bound(values.begin(), values.end(), value, before)
                              : std::lower_bound(values.begin(), values.end(), value, before);
        want.push_back(static_cast<std::size_t>(at - values.begin()));
      }
      const sort_order order = descending ? sort_order::descending : sort_order::ascending;
      check_values("the bounds",
                   elements_of(upper ? upper_bound(where, sorted.view(), looked_for.view(), order)
                                     : lower_bound(where, sorted.view(), looked_for.view(), order)),
                   want);
      sorted.check_unchanged();
      looked_for.check_unchanged();
    }
  });
}

}  // namespace

std::vector<property> orders() {
  return {{"sort", sort_property},
          {"argsort", argsort_property},
          {"top_k", top_k_property},
          {"unique", unique_property},
          {"bounds", bounds_property}};
}

}  // namespace heddle::tests::differential
