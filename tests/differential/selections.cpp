#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/gather.hpp>

namespace heddle::tests::differential {
namespace {

void copy_if_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from);
  const std::size_t n = draw_length(from, most.elements, size_of(type));
  const bool is_partition = from.one_in(2);
  const std::uint64_t share = from.between(0, 8);
  from.note(fmt::format("{} of {}, {} of 8", is_partition ? "partition" : "copy_if", n, share));
  with_type(type, [&]<class T>(T) {
    const input<T> x(from, {n}, where, content::exact);
    std::vector<std::uint8_t> chosen(n);
    const std::uint64_t seed = from.between(0, 1000);
    for (std::size_t i = 0; i < n; ++i) chosen[i] = hashed(seed, i) % 8 < share;
    const input<bool> flags(from, {n}, where, chosen);
    std::vector<stored<T>> want, others;
    for (std::size_t i = 0; i < n; ++i) (chosen[i] != 0 ? want : others).push_back(x[i]);
    const std::size_t count = want.size();
    if (is_partition) {
      want.insert(want.end(), others.begin(), others.end());
      const any_partitioned have = partition(where, x.view(), flags.typed());
      if (have.chosen != count)
        throw std::runtime_error(fmt::format("{} chosen instead of {}", have.chosen, count));
      check_values("partition", elements_of<T>(have.elements), want);
    } else {
      check_values("copy_if", elements_of<T>(copy_if(where, x.view(), flags.typed())), want);
    }
    x.check_unchanged();
    flags.check_unchanged();
  });
}

/// Elements of several sizes, and indices of two types.
template <class F>
void with_element_and_index(choices& from, const F& f) {
  struct bytes3 {
    std::uint8_t at[3];
    bool operator==(const bytes3&) const = default;
  };
  const bool is_wide = from.one_in(2);
  const auto with_index = [&](auto zero) {
    using T = decltype(zero);
    from.note(fmt::format("{} bytes, {} bits of an index", sizeof(T), is_wide ? 64 : 32));
    if (is_wide) {
      f.template operator()<T, std::int64_t>();
    } else {
      f.template operator()<T, std::uint32_t>();
    }
  };
  switch (from.between(0, 4)) {
    case 0:
      return with_index(std::int32_t{});
    case 1:
      return with_index(std::int8_t{});
    case 2:
      return with_index(std::complex<double>{});
    case 3:
      return with_index(bytes3{});
    default:
      return with_index(std::uint16_t{});
  }
}

/// What gather and scatter have in common: an array, and indices along one axis of it.
struct indexed_case {
  shape lengths{0}, of_result{0};
  std::size_t axis = 0, count = 0;
  axis_lines lines{};
};

indexed_case draw_indexed(choices& from, const limits& most, std::size_t bytes) {
  indexed_case drawn;
  drawn.lengths = draw_shape(from, most, 1, bytes);
  drawn.axis = from.between(0, drawn.lengths.axes() - 1);
  drawn.lines = along(drawn.lengths, drawn.axis);
  drawn.count = drawn.lines.length == 0
                    ? 0
                    : draw_length(from, most.elements / std::max<std::size_t>(drawn.lines.count(), 1), bytes);
  drawn.of_result = drawn.lengths.with_length(drawn.axis, drawn.count);
  from.note(fmt::format("axis {}, {} indices", drawn.axis, drawn.count));
  return drawn;
}

template <class Index>
array<Index> drawn_indices(choices& from, std::size_t count, std::size_t length, const target& where) {
  std::vector<Index> all(count);
  const std::uint64_t seed = from.between(0, 1000);
  const bool near = from.one_in(2);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<Index>(near ? (i + hashed(seed, i) % 3) % length : hashed(seed, i) % length);
  return array<Index>(all, where);
}

/// n elements whose bytes depend on their numbers.
template <class T>
std::vector<T> numbered(std::size_t n, std::uint64_t seed) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits[2] = {hashed(seed, i) & 0x3f3f3f3f3f3f3f3f,
                                   hashed(seed, ~i) & 0x3f3f3f3f3f3f3f3f};
    std::memcpy(static_cast<void*>(&all[i]), bits, sizeof(T));
  }
  return all;
}

template <class T>
void check_elements(const char* what, const array<T>& have, const std::vector<T>& want) {
  const std::vector<T> elements = elements_of(have);
  if (elements.size() != want.size())
    throw std::runtime_error(
        fmt::format("{}: {} elements instead of {}", what, elements.size(), want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::memcmp(&elements[i], &want[i], sizeof(T)) != 0)
      throw std::runtime_error(fmt::format("{}: element {} of {} differs", what, i, want.size()));
  }
}

void gather_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  with_element_and_index(from, [&]<class T, class Index>() {
    const indexed_case all = draw_indexed(from, most, sizeof(T));
    const std::vector<T> elements = numbered<T>(all.lengths.elements(), 1);
    const array<T> x = array<T>(elements, where).reshaped(all.lengths);
    const array<Index> indices = drawn_indices<Index>(from, all.count, all.lines.length, where);
    const std::vector<Index> at = elements_of(indices);
    const axis_lines to{all.lines.outer, all.count, all.lines.inner};
    std::vector<T> want(to.elements());
    for (std::size_t line = 0; line < to.count(); ++line) {
      for (std::size_t k = 0; k < all.count; ++k)
        want[to.begin_of(line) + k * to.inner] =
            elements[all.lines.begin_of(line) + static_cast<std::size_t>(at[k]) * to.inner];
    }
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
    check_elements("gather", gather(where, x, indices, along_axis), want);
    check_elements("the input", x, elements);
  });
}

void scatter_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  with_element_and_index(from, [&]<class T, class Index>() {
    const indexed_case all = draw_indexed(from, most, sizeof(T));
    std::vector<T> want = numbered<T>(all.lengths.elements(), 1);
    array<T> out = array<T>(want, where).reshaped(all.lengths);
    const array<Index> indices = drawn_indices<Index>(from, all.count, all.lines.length, where);
    const std::vector<Index> at = elements_of(indices);
    const axis_lines by{all.lines.outer, all.count, all.lines.inner};
    const std::vector<T> values = numbered<T>(by.elements(), 2);
    for (std::size_t line = 0; line < by.count(); ++line) {
      for (std::size_t k = 0; k < all.count; ++k)
        want[all.lines.begin_of(line) + static_cast<std::size_t>(at[k]) * by.inner] =
            values[by.begin_of(line) + k * by.inner];
    }
    const array<T> written = array<T>(values, where).reshaped(all.of_result);
    scatter(where, out, indices, written, heddle::axis{static_cast<std::ptrdiff_t>(all.axis)});
    check_elements("scatter", out, want);
  });
}

}  // namespace

std::vector<property> selections() {
  return {{"copy_if", copy_if_property}, {"gather", gather_property}, {"scatter", scatter_property}};
}

}  // namespace heddle::tests::differential
