#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/stencil.hpp>
#include <heddle/transform.hpp>

namespace heddle::tests::differential {
namespace {

/// Throws unless the zeros have the same signs: what a NaN looks like differs from processor to processor.
template <class T>
void check_zero_signs(const std::vector<T>& have, const std::vector<T>& want) {
  check_values("beside one core", have, want);
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 0; i < have.size(); ++i) {
      if (have[i] == 0 && std::signbit(have[i]) != std::signbit(want[i]))
        throw std::runtime_error(fmt::format("element {} is a zero of another sign", i));
    }
  }
}

/// An operator on two arrays, or on one and a number.
void transform_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from);
  const bool is_minus = type != dtype::boolean && from.one_in(4);
  const runtime_op op = is_minus ? runtime_op::minus : draw_op(from, type);
  const shape lengths = draw_shape(from, most, 0, size_of(type));
  const std::uint64_t kind = from.between(0, 3);
  const bool in_place = from.one_in(3);
  constexpr const char* kinds[] = {"two arrays", "array and number", "number and array", "one array twice"};
  from.note(fmt::format("{}{}{}", is_minus ? "minus " : "", kinds[kind], in_place ? " in place" : ""));
  const content of = from.one_in(2) ? content::exact : content::any_bits;
  with_type(type, [&]<class T>(T) {
    input<T> x(from, lengths, where, of, op);
    const input<T> y(from, lengths, where, of, op);
    const T number = element<T>(of, op, 12345);
    std::vector<stored<T>> want(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T a = kind == 2 ? number : x[i], b = kind == 1 ? number : kind == 3 || kind == 2 ? x[i] : y[i];
      if (op != runtime_op::minus) {
        want[i] = combined<T>(op, a, b);
      } else if constexpr (std::is_integral_v<T>) {
        want[i] = static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
      } else {
        want[i] = a - b;
      }
    }
    guarded out(from, type, lengths, where);
    const auto run = [&](const target& on, const any_view& to) {
      switch (kind) {
        case 0:
          transform_into(on, to, x.view(), y.view(), op);
          break;
        case 1:
          transform_into(on, to, x.view(), any_value(number), op);
          break;
        case 2:
          transform_into(on, to, any_value(number), x.view(), op);
          break;
        default:
          transform_into(on, to, x.view(), x.view(), op);
      }
      return elements_of<T>(to);
    };
    const auto have = run(where, out.view());
    out.check_zones("the output");
    check_values("transform", have, want);
    check_zero_signs(have, run(target::serial(), out.view()));
    x.check_unchanged();
    y.check_unchanged();
    if (in_place) check_values("a transform in place", run(where, x.writable()), want);
  });
}

/// What lies beyond an edge, as NumPy's pad fills it; false for the value of a fixed edge.
bool index_beyond(int kind, std::ptrdiff_t n, std::ptrdiff_t& i) {
  if (i >= 0 && i < n) return true;
  switch (kind) {
    case 0:  // periodic
      i = (i % n + n) % n;
      return true;
    case 1:  // clamp
      i = std::clamp<std::ptrdiff_t>(i, 0, n - 1);
      return true;
    case 2: {  // reflect
      if (n == 1) {
        i = 0;
        return true;
      }
      const std::ptrdiff_t period = 2 * n - 2;
      i = (i % period + period) % period;
      if (i >= n) i = period - i;
      return true;
    }
    case 3: {  // symmetric
      i = (i % (2 * n) + 2 * n) % (2 * n);
      if (i >= n) i = 2 * n - 1 - i;
      return true;
    }
    default:
      return false;
  }
}

template <class T>
boundary<T> boundary_of(int kind) {
  switch (kind) {
    case 0:
      return periodic{};
    case 1:
      return clamp{};
    case 2:
      return reflect{};
    case 3:
      return symmetric{};
    default:
      return fixed{T(7)};
  }
}

/// Sums of neighbours on one to three axes, for several generations.
template <class T>
void check_stencil(choices& from, const limits& most) {
  target where = draw_target(from, most);
  if (where.is_gpu()) where = target::parallel(2);  // the function is not compiled for a GPU here
  const std::size_t axes = from.between(1, 3), steps = from.between(0, 6);
  const std::size_t cells = std::min<std::size_t>(most.elements, 20'000);
  std::vector<std::size_t> lengths(axes);
  std::size_t left = cells;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    lengths[axis] = draw_length(from, axis + 1 == axes ? left : std::min<std::size_t>(left, 200), sizeof(T));
    if (lengths[axis] > 1) left /= lengths[axis];
  }
  const int kind = static_cast<int>(from.between(0, 4));
  const bool in_place = from.one_in(3);
  const shape whole{std::span<const std::size_t>(lengths)};
  from.note(fmt::format("{} of {} bytes, edge {}, {} steps{}", whole.text(), sizeof(T), kind, steps,
                        in_place ? " in place" : ""));
  input<T> x(from, whole, where, content::any_bits);
  std::vector<T> now(x.values()), next(now.size());
  const auto n = [&](std::size_t axis) {
    return axis + axes >= 3 ? static_cast<std::ptrdiff_t>(lengths[axis + axes - 3]) : std::ptrdiff_t{1};
  };
  const auto at = [&](std::ptrdiff_t p, std::ptrdiff_t r, std::ptrdiff_t c) {
    if (!index_beyond(kind, n(0), p) || !index_beyond(kind, n(1), r) || !index_beyond(kind, n(2), c))
      return T(7);
    return now[static_cast<std::size_t>((p * n(1) + r) * n(2) + c)];
  };
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::ptrdiff_t p = 0; p < n(0); ++p) {
      for (std::ptrdiff_t r = 0; r < n(1); ++r) {
        for (std::ptrdiff_t c = 0; c < n(2); ++c) {
          T sum = static_cast<T>(3 * at(p, r, c) + 5 * at(p, r, c - 1) + at(p, r, c + 1));
          if (axes >= 2) sum = static_cast<T>(sum + 7 * at(p, r - 1, c) + 2 * at(p, r + 1, c + 1));
          if (axes >= 3) sum = static_cast<T>(sum + 11 * at(p - 1, r, c) + 4 * at(p + 1, r - 1, c));
          next[static_cast<std::size_t>((p * n(1) + r) * n(2) + c)] = sum;
        }
      }
    }
    now.swap(next);
  }
  guarded out(from, dtype_of<T>, whole, where);
  const array_view<T> to = in_place ? x.writable().template as<T>() : out.as<T>();
  switch (axes) {
    case 1:
      stencil(
          where, x.typed(), to, boundary_of<T>(kind),
          [](const auto& u) { return static_cast<T>(3 * u(0) + 5 * u(-1) + u(1)); }, steps);
      break;
    case 2:
      stencil(
          where, x.typed(), to, boundary_of<T>(kind),
          [](const auto& u) {
            return static_cast<T>(3 * u(0, 0) + 5 * u(0, -1) + u(0, 1) + 7 * u(-1, 0) + 2 * u(1, 1));
          },
          steps);
      break;
    default:
      stencil(
          where, x.typed(), to, boundary_of<T>(kind),
          [](const auto& u) {
            return static_cast<T>(3 * u(0, 0, 0) + 5 * u(0, 0, -1) + u(0, 0, 1) + 7 * u(0, -1, 0) +
                                  2 * u(0, 1, 1) + 11 * u(-1, 0, 0) + 4 * u(1, -1, 0));
          },
          steps);
  }
  out.check_zones("the output");
  check_values("stencil", elements_of<T>(any_const_view(to)), now);
  if (!in_place) x.check_unchanged();
}

void stencil_property(choices& from, const limits& most) {
  if (from.one_in(2)) return check_stencil<std::uint64_t>(from, most);
  check_stencil<std::uint8_t>(from, most);
}

/// A function of the caller's, of three arrays.
void own_function_property(choices& from, const limits& most) {
  target where = draw_target(from, most);
  if (where.is_gpu()) where = target::parallel(2);
  const std::size_t n = draw_length(from, most.elements, 4);
  from.note(fmt::format("of {}", n));
  const input<std::int32_t> x(from, {n}, where, content::exact);
  const input<std::uint8_t> y(from, {n}, where, content::any_bits);
  guarded out(from, dtype::int32, {n}, where);
  std::vector<std::int32_t> want(n);
  for (std::size_t i = 0; i < n; ++i) want[i] = x[i] * 3 - y[i];
  transform_into(where, out.as<std::int32_t>(), x.typed(), y.typed(),
                 [](std::int32_t a, std::uint8_t b) { return a * 3 - b; });
  out.check_zones("the output");
  check_values("transform", elements_of<std::int32_t>(out.view()), want);
  x.check_unchanged();
  y.check_unchanged();
}

}  // namespace

std::vector<property> elementwise() {
  return {{"transform", transform_property},
          {"own_function", own_function_property},
          {"stencil", stencil_property}};
}

}  // namespace heddle::tests::differential
