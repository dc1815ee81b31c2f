// Elements and operators of a caller's own, for which templates are compiled here.
#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/sort.hpp>

#include <optional>

namespace heddle::tests::differential {
namespace {

/// Words of some length modulo 2^32: affine maps, whose composition does not commute.
template <int Words>
struct maps {
  std::uint32_t at[Words];
  bool operator==(const maps&) const = default;
};
struct compose {
  template <int Words>
  maps<Words> operator()(const maps<Words>& x, const maps<Words>& y) const {
    // x ↦ a·x + b for each pair of words; a word that is left over is added.
    maps<Words> both{};
    for (int k = 0; k + 1 < Words; k += 2) {
      both.at[k] = x.at[k] * y.at[k];
      both.at[k + 1] = x.at[k + 1] * y.at[k] + y.at[k + 1];
    }
    if (Words % 2 != 0) both.at[Words - 1] = x.at[Words - 1] + y.at[Words - 1];
    return both;
  }
};

template <int Words>
std::vector<maps<Words>> drawn_elements(choices& from, std::size_t n) {
  std::vector<maps<Words>> all(n);
  const std::uint64_t seed = from.between(0, 1000);
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = 0; k < Words; ++k)
      all[i].at[k] = static_cast<std::uint32_t>(hashed(seed, i * 31 + static_cast<std::size_t>(k)));
  }
  return all;
}

template <class F>
void with_words(choices& from, const F& f) {
  switch (from.between(0, 3)) {
    case 0:
      return f.template operator()<2>();
    case 1:
      return f.template operator()<3>();
    case 2:
      return f.template operator()<7>();
    default:
      return f.template operator()<25>();
  }
}

struct lines_case {
  target where;
  shape lengths{0};
  std::size_t axis;
  axis_lines lines;
};

lines_case draw_lines(choices& from, const limits& most, std::size_t bytes) {
  lines_case drawn;
  drawn.where = draw_target(from, most);
  if (drawn.where.is_gpu()) drawn.where = target::parallel(2);  // operators are not compiled for a GPU here
  drawn.lengths = draw_shape(from, most, 1, bytes);
  drawn.axis = from.between(0, drawn.lengths.axes() - 1);
  drawn.lines = along(drawn.lengths, drawn.axis);
  from.note(fmt::format("{} bytes, axis {}", bytes, drawn.axis));
  return drawn;
}

template <class T>
void check_equal(const char* what, const std::vector<T>& have, const std::vector<T>& want) {
  if (have.size() != want.size())
    throw std::runtime_error(fmt::format("{}: {} elements instead of {}", what, have.size(), want.size()));
  for (std::size_t i = 0; i < have.size(); ++i) {
    if (!(have[i] == want[i]))
      throw std::runtime_error(fmt::format("{}: element {} of {} differs", what, i, have.size()));
  }
}

void own_scan_property(choices& from, const limits& most) {
  with_words(from, [&]<int Words>() {
    using T = maps<Words>;
    const lines_case all = draw_lines(from, most, sizeof(T));
    const bool exclusive = from.one_in(2), in_place = from.one_in(3);
    from.note(exclusive ? "exclusive" : "inclusive");
    const std::vector<T> elements = drawn_elements<Words>(from, all.lengths.elements());
    const T init = drawn_elements<Words>(from, 1)[0];
    std::vector<T> want(elements.size());
    for (std::size_t line = 0; line < all.lines.count(); ++line) {
      T sum = init;
      for (std::size_t k = 0; k < all.lines.length; ++k) {
        const std::size_t i = all.lines.begin_of(line) + k * all.lines.inner;
        const T next = compose{}(sum, elements[i]);
        want[i] = exclusive ? sum : next;
        sum = next;
      }
    }
    array<T> x = array<T>(elements, all.where).reshaped(all.lengths);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
    array<T> out(all.lengths, all.where);
    array<T>& to = in_place ? x : out;
    if (exclusive) {
      exclusive_scan_into(all.where, to, x, along_axis, compose{}, init);
    } else {
      inclusive_scan_into(all.where, to, x, along_axis, compose{}, init);
    }
    check_equal("scan", elements_of(to), want);
  });
}

void own_reduce_property(choices& from, const limits& most) {
  with_words(from, [&]<int Words>() {
    using T = maps<Words>;
    const lines_case all = draw_lines(from, most, sizeof(T));
    const std::vector<T> elements = drawn_elements<Words>(from, all.lengths.elements());
    const T init = drawn_elements<Words>(from, 1)[0];
    std::vector<T> want;
    for (std::size_t line = 0; line < all.lines.count(); ++line) {
      T sum = init;
      for (std::size_t k = 0; k < all.lines.length; ++k)
        sum = compose{}(sum, elements[all.lines.begin_of(line) + k * all.lines.inner]);
      want.push_back(sum);
    }
    const array<T> x = array<T>(elements, all.where).reshaped(all.lengths);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
    check_equal("reduce", elements_of(reduce(all.where, x, along_axis, compose{}, init)), want);
  });
}

void own_sort_property(choices& from, const limits& most) {
  with_words(from, [&]<int Words>() {
    using T = maps<Words>;
    const lines_case all = draw_lines(from, most, sizeof(T));
    std::vector<T> elements = drawn_elements<Words>(from, all.lengths.elements());
    for (T& element : elements) element.at[0] %= 5;
    const auto before = [](const T& a, const T& b) { return a.at[0] < b.at[0]; };
    std::vector<T> want(elements.size());
    for (std::size_t line = 0; line < all.lines.count(); ++line) {
      std::vector<T> sorted;
      for (std::size_t k = 0; k < all.lines.length; ++k)
        sorted.push_back(elements[all.lines.begin_of(line) + k * all.lines.inner]);
      std::stable_sort(sorted.begin(), sorted.end(), before);
      for (std::size_t k = 0; k < all.lines.length; ++k)
        want[all.lines.begin_of(line) + k * all.lines.inner] = sorted[k];
    }
    const array<T> x = array<T>(elements, all.where).reshaped(all.lengths);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
    check_equal("sort", elements_of(sort(all.where, x, along_axis, before)), want);
  });
}

}  // namespace

std::vector<property> user_types() {
  return {
      {"own_scan", own_scan_property}, {"own_reduce", own_reduce_property}, {"own_sort", own_sort_property}};
}

}  // namespace heddle::tests::differential
