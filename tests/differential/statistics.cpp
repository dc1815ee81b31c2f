#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/any_patterns.hpp>

#include <numeric>

namespace heddle::tests::differential {
namespace {

void histogram_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from, true);
  const std::size_t n = draw_length(from, most.elements, size_of(type));
  const std::size_t bins = 1 + draw_length(from, std::min<std::size_t>(most.elements, 100'000));
  const bool is_even = from.one_in(2);
  const double low = static_cast<double>(from.between(0, 20)) / 7 - 2;
  const double high = low + 0.1 + static_cast<double>(from.between(0, 100)) / 3;
  from.note(fmt::format("{} of {} in {} bins from {} to {}", is_even ? "even" : "given", n, bins, low, high));
  const content of = from.one_in(2) ? content::exact : content::any_bits;
  with_type(type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, {n}, where, of);
      std::vector<double> edges = edges_of(type, even_bins{bins, low, high});
      if (edges.size() != bins + 1) throw std::runtime_error(fmt::format("{} edges", edges.size()));
      std::vector<std::uint64_t> want(bins);
      for (std::size_t i = 0; i < n; ++i) {
        const auto value = static_cast<double>(x[i]);
        if (!(value >= edges.front() && value <= edges.back())) continue;
        const auto after = std::upper_bound(edges.begin(), edges.end(), value);
        ++want[after == edges.end() ? bins - 1 : static_cast<std::size_t>(after - edges.begin()) - 1];
      }
      check_values("the counts",
                   elements_of(is_even ? histogram(where, x.view(), even_bins{bins, low, high})
                                       : histogram(where, x.view(), edges)),
                   want);
      x.check_unchanged();
    }
  });
}

/// Lines of an array, and an axis or none.
struct lines_case {
  target where;
  dtype type;
  shape lengths{0};
  bool is_flat;
  std::size_t axis;

  axis_lines lines() const { return is_flat ? axis_lines{1, lengths.elements(), 1} : along(lengths, axis); }
  heddle::axis along_axis() const { return heddle::axis{static_cast<std::ptrdiff_t>(axis)}; }
};

lines_case draw_lines(choices& from, const limits& most, bool ordered) {
  lines_case drawn;
  drawn.where = draw_target(from, most);
  drawn.type = draw_dtype(from, ordered);
  drawn.lengths = draw_shape(from, most, 0, size_of(drawn.type));
  drawn.is_flat = drawn.lengths.axes() == 0 || from.one_in(2);
  drawn.axis = drawn.is_flat ? 0 : from.between(0, drawn.lengths.axes() - 1);
  from.note(drawn.is_flat ? "flat" : fmt::format("axis {}", drawn.axis));
  return drawn;
}

/// The moments of small integers, beside sums in long double.
void moments_property(choices& from, const limits& most) {
  const lines_case all = draw_lines(from, most, false);
  const std::size_t ddof = from.between(0, 1);
  with_type(all.type, [&]<class T>(T) {
    const input<T> x(from, all.lengths, all.where, content::exact);
    const axis_lines lines = all.lines();
    if (lines.length <= ddof) return;
    using real = std::conditional_t<std::is_floating_point_v<T>, T, double>;
    const auto check = [&](const char* what, const std::vector<long double>& want, const auto& have,
                           double size) {
      for (std::size_t i = 0; i < want.size(); ++i) {
        const auto found = static_cast<long double>(have[i]);
        if (!(std::fabs(found - want[i]) <= size))
          throw std::runtime_error(fmt::format("{}: {} is {} instead of {}", what, i,
                                               static_cast<double>(found), static_cast<double>(want[i])));
      }
    };
    const double eps = std::numeric_limits<real>::epsilon(), wrong = is_complex<T> ? 1e-5 : 64 * eps * 64;
    std::vector<long double> means, variances;
    for (std::size_t line = 0; line < lines.count(); ++line) {
      const auto at = [&](std::size_t k) {
        const T value = x[lines.begin_of(line) + k * lines.inner];
        if constexpr (is_complex<T>) {
          return std::complex<long double>(value);
        } else {
          return std::complex<long double>(static_cast<long double>(value));
        }
      };
      std::complex<long double> sum = 0;
      for (std::size_t k = 0; k < lines.length; ++k) sum += at(k);
      const auto mean = sum / static_cast<long double>(lines.length);
      long double squares = 0;
      for (std::size_t k = 0; k < lines.length; ++k) squares += std::norm(at(k) - mean);
      means.push_back(mean.real());
      variances.push_back(squares / static_cast<long double>(lines.length - ddof));
    }
    const auto moments = [&](const target& on, bool of_mean) {
      if (all.is_flat) {
        any_array one(any_value(of_mean ? mean(on, x.view()) : variance(on, x.view(), ddof)).dtype(),
                      shape{1});
        one.set(of_mean ? mean(on, x.view()) : variance(on, x.view(), ddof), 0);
        return one;
      }
      return of_mean ? mean(on, x.view(), all.along_axis()) : variance(on, x.view(), all.along_axis(), ddof);
    };
    for (const bool of_mean : {true, false}) {
      const any_array found = moments(all.where, of_mean).on(target::serial());
      const any_array beside = moments(target::serial(), of_mean);
      if (found.bytes() != beside.bytes() ||
          (found.bytes() > 0 && std::memcmp(found.data(), beside.data(), found.bytes()) != 0))
        throw std::runtime_error("the bits differ from those on one core");
      std::vector<double> have;
      visit(found, [&](const auto& elements) {
        for (const auto& value : elements) {
          if constexpr (is_complex<std::remove_cvref_t<decltype(value)>>) {
            have.push_back(static_cast<double>(value.real()));
          } else {
            have.push_back(static_cast<double>(value));
          }
        }
      });
      check(of_mean ? "the mean" : "the variance", of_mean ? means : variances, have, wrong);
    }
    x.check_unchanged();
  });
}

void minmax_property(choices& from, const limits& most) {
  const lines_case all = draw_lines(from, most, true);
  const content of = from.one_in(2) ? content::exact : content::any_bits;
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, all.where, of);
      const axis_lines lines = all.lines();
      if (lines.length == 0) return;
      std::vector<stored<T>> least, greatest;
      for (std::size_t line = 0; line < lines.count(); ++line) {
        T low = x[lines.begin_of(line)], high = low;
        for (std::size_t k = 1; k < lines.length; ++k) {
          low = combined<T>(runtime_op::minimum, low, x[lines.begin_of(line) + k * lines.inner]);
          high = combined<T>(runtime_op::maximum, high, x[lines.begin_of(line) + k * lines.inner]);
        }
        least.push_back(low);
        greatest.push_back(high);
      }
      if (all.is_flat) {
        const auto have = minmax(all.where, x.view());
        check_values("the smallest", std::vector<stored<T>>{have.min.template as<T>()}, least);
        check_values("the largest", std::vector<stored<T>>{have.max.template as<T>()}, greatest);
      } else {
        const auto have = minmax(all.where, x.view(), all.along_axis());
        check_values("the smallest", elements_of<T>(have.min), least);
        check_values("the largest", elements_of<T>(have.max), greatest);
      }
      x.check_unchanged();
    }
  });
}

/// Quantiles and medians beside sorted lines and the definition in long double.
void quantiles_property(choices& from, const limits& most) {
  const lines_case all = draw_lines(from, most, true);
  std::vector<double> fractions{0.5};
  for (std::size_t i = from.between(0, 3); i > 0; --i)
    fractions.push_back(static_cast<double>(from.between(0, 1000)) / 1000);
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, all.where, content::exact);
      const axis_lines lines = all.lines();
      if (lines.length == 0) return;
      const auto values = [&](const target& on) {
        return all.is_flat ? elements_of<double>(quantile(on, x.view(), fractions))
                           : elements_of<double>(quantile(on, x.view(), fractions, all.along_axis()));
      };
      const auto have = values(all.where);
      check_same_bits(all.where, have, values);
      for (std::size_t line = 0; line < lines.count(); ++line) {
        std::vector<long double> sorted(lines.length);
        for (std::size_t k = 0; k < lines.length; ++k)
          sorted[k] = static_cast<long double>(static_cast<T>(x[lines.begin_of(line) + k * lines.inner]));
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < fractions.size(); ++i) {
          const double index = static_cast<double>(lines.length - 1) * fractions[i];
          const auto below = static_cast<std::size_t>(index);
          const long double low = sorted[below], high = sorted[std::min(below + 1, lines.length - 1)];
          const long double want = low + (high - low) * (index - static_cast<long double>(below));
          const auto found = static_cast<long double>(have[i * lines.count() + line]);
          if (!(std::fabs(found - want) <= (std::fabs(low) + std::fabs(high)) * 0x1p-51L))
            throw std::runtime_error(fmt::format("quantile {} of line {} is {} instead of {}", fractions[i],
                                                 line, static_cast<double>(found),
                                                 static_cast<double>(want)));
        }
      }
      x.check_unchanged();
    }
  });
}

}  // namespace

std::vector<property> statistics() {
  return {{"histogram", histogram_property},
          {"moments", moments_property},
          {"minmax", minmax_property},
          {"quantiles", quantiles_property}};
}

}  // namespace heddle::tests::differential
