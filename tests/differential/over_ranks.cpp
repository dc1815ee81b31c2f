// Ranks, which are threads here, beside one process.
#include "arrays.hpp"
#include "on_ranks.hpp"
#include "properties.hpp"
#include <heddle/any_distributed.hpp>

#include <optional>

namespace heddle::tests::differential {
namespace {

/// A pattern on an array that is spread over ranks, and on the whole.
struct spread_case {
  dtype type;
  runtime_op op;
  shape lengths{0};
  std::size_t axis = 0;
  int size = 1;
  bool is_flat = true, flag = false;
};

/// Blocks of rows, some of them empty.
std::vector<std::size_t> drawn_blocks(choices& from, std::size_t rows, int size) {
  std::vector<std::size_t> begins{0};
  for (int r = 1; r < size; ++r) begins.push_back(from.between(0, rows));
  begins.push_back(rows);
  std::sort(begins.begin(), begins.end());
  from.note(fmt::format("blocks at {}", fmt::join(begins, ", ")));
  return begins;
}

spread_case draw_case(choices& from, const limits& most, bool ordered) {
  spread_case drawn;
  drawn.size = static_cast<int>(from.between(1, 5));
  drawn.type = draw_dtype(from, ordered);
  drawn.op = draw_op(from, drawn.type);
  drawn.lengths =
      draw_shape(from, {std::min<std::size_t>(most.elements, 100'000), false}, 1, size_of(drawn.type));
  drawn.is_flat = drawn.lengths.axes() == 1 || from.one_in(2);  // along its only axis is not offered
  drawn.axis = drawn.is_flat ? 0 : from.between(0, drawn.lengths.axes() - 1);
  drawn.flag = from.one_in(2);
  from.note(fmt::format("axis {} over {} ranks{}", drawn.is_flat ? "none" : std::to_string(drawn.axis),
                        drawn.size, drawn.flag ? ", flag" : ""));
  return drawn;
}

/// Throws unless of_ranks(ranks, spread x) gives on every rank what of_one(x) gives, bit for bit.
template <class T, class OfRanks>
void check_ranks(choices& from, const spread_case& all, const input<T>& x, const any_array& want,
                 const OfRanks& of_ranks) {
  const std::vector<std::size_t> begins = drawn_blocks(from, all.lengths[0], all.size);
  on_ranks(all.size, [&](const ranks& group) {
    any_distributed_array spread(group, all.type, all.lengths, begins);
    spread.local().copy_from(x.view().slice(spread.first_row(), spread.first_row() + spread.rows()));
    const any_array have = of_ranks(group, spread);
    if (have.dtype() != want.dtype() || have.size() != want.size() ||
        (want.bytes() > 0 && std::memcmp(have.data(), want.data(), want.bytes()) != 0)) {
      std::string where = fmt::format("{} of {}", name(have.dtype()), have.shape().text());
      for (std::size_t i = 0; i < std::min(have.size(), want.size()); ++i) {
        const std::size_t size = size_of(want.dtype());
        if (std::memcmp(static_cast<const std::byte*>(have.data()) + i * size,
                        static_cast<const std::byte*>(want.data()) + i * size, size) == 0)
          continue;
        where += fmt::format(", from element {}", i);
        break;
      }
      throw std::runtime_error("the bits differ from those of one process: " + where);
    }
  });
  x.check_unchanged();
}

any_array one_value(const any_value& value) {
  any_array one(value.dtype(), shape{1});
  one.set(value, 0);
  return one;
}

void reduce_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, false);
  with_type(all.type, [&]<class T>(T) {
    const input<T> x(from, all.lengths, target(), content::any_bits, all.op);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
    const bool needs_elements = all.op == runtime_op::minimum || all.op == runtime_op::maximum;
    if (needs_elements && (all.is_flat ? x.size() : all.lengths[all.axis]) == 0) return;
    const any_array want = all.is_flat ? one_value(reduce(target::serial(), x.view(), all.op))
                                       : reduce(target::serial(), x.view(), along_axis, all.op);
    check_ranks(from, all, x, want, [&](const ranks& group, const any_distributed_array& spread) {
      return all.is_flat ? one_value(reduce(group, spread, all.op))
                         : reduce(group, spread, along_axis, all.op).gather();
    });
  });
}

void scan_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, false);
  with_type(all.type, [&]<class T>(T) {
    const input<T> x(from, all.lengths, target(), content::any_bits, all.op);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
    const std::optional<any_value> init(element<T>(content::exact, all.op, 5));
    // Without an axis a scan over ranks keeps the shape.
    any_array want(all.type, all.lengths);
    if (all.is_flat && all.flag) exclusive_scan_into(target::serial(), want, x.view(), all.op, init);
    if (all.is_flat && !all.flag) inclusive_scan_into(target::serial(), want, x.view(), all.op, init);
    if (!all.is_flat && all.flag)
      exclusive_scan_into(target::serial(), want, x.view(), along_axis, all.op, init);
    if (!all.is_flat && !all.flag)
      inclusive_scan_into(target::serial(), want, x.view(), along_axis, all.op, init);
    check_ranks(from, all, x, want, [&](const ranks& group, const any_distributed_array& spread) {
      if (all.is_flat)
        return (all.flag ? exclusive_scan(group, spread, all.op, init)
                         : inclusive_scan(group, spread, all.op, init))
            .gather();
      return (all.flag ? exclusive_scan(group, spread, along_axis, all.op, init)
                       : inclusive_scan(group, spread, along_axis, all.op, init))
          .gather();
    });
  });
}

void adjacent_difference_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, false);
  with_type(all.type, [&]<class T>(T) {
    // The bits of a NaN differ from processor to processor.
    const input<T> x(from, all.lengths, target(),
                     all.type >= dtype::float32 ? content::exact : content::any_bits);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
    const any_array want = all.is_flat ? adjacent_difference(target::serial(), x.view())
                                       : adjacent_difference(target::serial(), x.view(), along_axis);
    check_ranks(from, all, x, want, [&](const ranks& group, const any_distributed_array& spread) {
      return (all.is_flat ? adjacent_difference(group, spread)
                          : adjacent_difference(group, spread, along_axis))
          .gather();
    });
  });
}

/// The mean, or the variance.
void moments_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, false);
  if (all.lengths.elements() == 0) return;
  with_type(all.type, [&]<class T>(T) {
    const input<T> x(from, all.lengths, target(), content::any_bits);
    const std::size_t ddof = from.between(0, 2);
    const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
    const auto value = [](const any_value& of) {
      return any_array(any_const_view(of.data(), of.dtype(), {1}).on({}));
    };
    const any_array want = all.is_flat ? value(all.flag ? variance(target::serial(), x.view(), ddof)
                                                        : mean(target::serial(), x.view()))
                           : all.flag  ? variance(target::serial(), x.view(), along_axis, ddof)
                                       : mean(target::serial(), x.view(), along_axis);
    check_ranks(from, all, x, want, [&](const ranks& group, const any_distributed_array& spread) {
      if (all.is_flat) return value(all.flag ? variance(group, spread, ddof) : mean(group, spread));
      return (all.flag ? variance(group, spread, along_axis, ddof) : mean(group, spread, along_axis))
          .gather();
    });
  });
}

void sort_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, true);
  const sort_order order = all.flag ? sort_order::descending : sort_order::ascending;
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, target(), content::any_bits);
      const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
      const any_array want = all.is_flat ? sort(target::serial(), x.view(), order)
                                         : sort(target::serial(), x.view(), along_axis, order);
      check_ranks(from, all, x, want, [&](const ranks& group, const any_distributed_array& spread) {
        return (all.is_flat ? sort(group, spread, order) : sort(group, spread, along_axis, order)).gather();
      });
    }
  });
}

void arg_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, true);
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, target(), content::any_bits);
      if ((all.is_flat ? x.size() : all.lengths[all.axis]) == 0) return;
      const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
      const auto one = [](std::size_t index) {
        return one_value(any_value(static_cast<std::uint64_t>(index)));
      };
      any_array want = all.is_flat ? one(all.flag ? argmax(target::serial(), x.view())
                                                  : argmin(target::serial(), x.view()))
                                   : any_array(all.flag ? argmax(target::serial(), x.view(), along_axis)
                                                        : argmin(target::serial(), x.view(), along_axis));
      check_ranks(from, all, x, want, [&](const ranks& group, const any_distributed_array& spread) {
        if (all.is_flat) return one(all.flag ? argmax(group, spread) : argmin(group, spread));
        return any_array(
            (all.flag ? argmax(group, spread, along_axis) : argmin(group, spread, along_axis)).gather());
      });
    }
  });
}

void argsort_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, true);
  const sort_order order = all.flag ? sort_order::descending : sort_order::ascending;
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, target(), content::any_bits);
      const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
      const any_array want(all.is_flat ? argsort(target::serial(), x.view(), order)
                                       : argsort(target::serial(), x.view(), along_axis, order));
      check_ranks(from, all, x, want, [&](const ranks& group, const any_distributed_array& spread) {
        return any_array(
            (all.is_flat ? argsort(group, spread, order) : argsort(group, spread, along_axis, order))
                .gather());
      });
    }
  });
}

void top_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, true);
  const sort_order order = all.flag ? sort_order::descending : sort_order::ascending;
  const std::size_t k = from.between(0, all.is_flat ? all.lengths.elements() : all.lengths[all.axis]);
  const bool of_indices = from.one_in(2);
  from.note(fmt::format("{} of {}", of_indices ? "indices" : "values", k));
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, target(), content::any_bits);
      const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
      any_top_elements want = all.is_flat ? top_k(target::serial(), x.view(), k, order)
                                          : top_k(target::serial(), x.view(), k, along_axis, order);
      const any_array wanted = of_indices ? any_array(std::move(want.indices)) : std::move(want.values);
      check_ranks(from, all, x, wanted, [&](const ranks& group, const any_distributed_array& spread) {
        if (all.is_flat) {
          any_top_elements top = top_k(group, spread, k, order);
          return of_indices ? any_array(std::move(top.indices)) : std::move(top.values);
        }
        const any_distributed_top_elements top = top_k(group, spread, k, along_axis, order);
        return of_indices ? any_array(top.indices.gather()) : top.values.gather();
      });
    }
  });
}

void quantiles_over_ranks(choices& from, const limits& most) {
  const spread_case all = draw_case(from, most, true);
  const double q = static_cast<double>(from.between(0, 1000)) / 1000;
  from.note(all.flag ? "median" : fmt::format("quantile {}", q));
  with_type(all.type, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const input<T> x(from, all.lengths, target(), content::any_bits);
      const heddle::axis along_axis{static_cast<std::ptrdiff_t>(all.axis)};
      if (all.is_flat ? x.size() == 0 : all.lengths.axes() == 1 || all.lengths[all.axis] == 0) return;
      const std::vector<double> fractions{q};
      const any_array want =
          all.flag ? (all.is_flat ? one_value(median(target::serial(), x.view()))
                                  : median(target::serial(), x.view(), along_axis))
                   : (all.is_flat ? quantile(target::serial(), x.view(), fractions)
                                  : quantile(target::serial(), x.view(), fractions, along_axis));
      check_ranks(from, all, x, want, [&](const ranks& group, const any_distributed_array& spread) {
        if (all.flag)
          return all.is_flat ? one_value(median(group, spread)) : median(group, spread, along_axis).gather();
        if (all.is_flat) return any_array(quantile(group, spread, fractions));
        return any_array(quantile(group, spread, fractions, along_axis).front().gather());
      });
    }
  });
}

}  // namespace

std::vector<property> patterns_over_ranks() {
  return {{"reduce_over_ranks", reduce_over_ranks},
          {"scan_over_ranks", scan_over_ranks},
          {"adjacent_difference_over_ranks", adjacent_difference_over_ranks},
          {"moments_over_ranks", moments_over_ranks},
          {"sort_over_ranks", sort_over_ranks},
          {"argsort_over_ranks", argsort_over_ranks},
          {"arg_over_ranks", arg_over_ranks},
          {"top_over_ranks", top_over_ranks},
          {"quantiles_over_ranks", quantiles_over_ranks}};
}

}  // namespace heddle::tests::differential
