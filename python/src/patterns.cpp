#include "patterns.hpp"

#include "axes.hpp"
#include "operand.hpp"
#include "target.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/random.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

using optional_value = std::optional<any_value>;

constexpr axis middle{1};

bool is_true(nb::handle x) {
  const int truth = PyObject_IsTrue(x.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

/// What NumPy adds and multiplies elements of that type in: integers and bool in 64 bits.
dtype summed_in(dtype type) {
  if (type <= dtype::int64) return dtype::int64;
  return type <= dtype::uint64 ? dtype::uint64 : type;
}

/// The type that elements are combined in: the one that was asked for, that of `out`, or their own one, which
/// sums may widen.
dtype combined_in(dtype type, bool widens, nb::handle wanted, nb::handle out) {
  if (!wanted.is_none()) return dtype_from(wanted);
  if (!out.is_none() && nb::hasattr(out, "dtype")) return dtype_from(out.attr("dtype"));
  return widens ? summed_in(type) : type;
}

dtype widest(dtype type) {
  return type >= dtype::complex64 ? dtype::complex128 : dtype::float64;
}

optional_value initial_value(nb::handle initial, dtype type) {
  if (initial.is_none()) return {};
  return value_from(initial, type);
}

void require_ordered(const char* what, dtype type) {
  if (type >= dtype::complex64)
    raise(PyExc_TypeError, std::string(what) + " of " + name(type) + ": complex numbers have no order");
}

/// The target itself, or what `auto` picks for this call, where results stay.
target place_of_result(const target& where, const operand& x, std::size_t bytes_written) {
  return resolve(where, {x.bytes(), bytes_written, x.where(), true});
}

/// Where a pattern writes its results: for a new heddle.Array, which stays there, what `auto` picks.
target place_of_output(const target& where, const operand& x, std::size_t bytes_written) {
  if (!x.gives_array()) return where;
  const without_gil released(x.bytes(), where);
  return place_of_result(where, x, bytes_written);
}

void convert(operand& x, dtype type) {
  const without_gil released(x.bytes(), x.where());
  x.convert(type);
}

/// A result along an axis of elements in Fortran's order, as those of the plan.
nb::object turned(const nb::object& result, const axes_plan& plan) {
  return plan.is_reversed && plan.result.axes() > 1 ? nb::object(result.attr("T")) : result;
}

/// How many integers of that type have a sum that float64 holds, whatever they are; 0 for another type.
std::size_t most_summed_in_double(dtype type) {
  if (type == dtype::int64 || type == dtype::uint64 || type > dtype::uint64) return 0;
  return std::size_t{1} << (53 - 8 * size_of(type));
}

/// Elements that are converted faster than anything else is set up.
constexpr std::size_t few = 4096;

/// Whether sums of x in 64 bits are made in float64, exactly, which needs no converted copy of x.
bool sums_in_double(runtime_op op, const operand& x, dtype type, const axis_lines& all) {
  const bool keeps_sign = type == dtype::int64 ||
                          (type == dtype::uint64 && (x.type() == dtype::boolean || x.type() >= dtype::uint8));
  const std::size_t most = most_summed_in_double(x.type());
  return op == runtime_op::plus && keeps_sign && most > 0 && x.size() > few &&
         (all.outer == 1 || all.length <= most);
}

/// The sums, and `first` where there is one, of x along the middle axis of (outer, length, inner).
void sum_in_double(const target& where, const any_view& out, const operand& x, const axis_lines& all,
                   const optional_value& first) {
  const std::size_t most = most_summed_in_double(x.type());
  array<double> sums({all.outer, all.inner});
  any_array total(out.dtype(), out.shape());
  total.fill(first ? *first : any_value(0));
  for (std::size_t begin = 0; begin < all.length; begin += most) {
    const std::size_t length = std::min(most, all.length - begin);
    const any_const_view piece =
        all.length <= most ? x.view({all.outer, length, all.inner})
                           : any_const_view(x.view({all.length, all.inner}).slice(begin, begin + length))
                                 .reshaped({1, length, all.inner});
    reduce_into(where, any_view(sums), piece, middle);
    const any_array converted = any_const_view(sums).converted(out.dtype());
    transform_into(target(), total, total, converted, runtime_op::plus);
  }
  out.copy_from(total);
}

/// Throws as NumPy does where rows have no elements, even if there are no rows.
void require_elements(const axes_plan& plan) {
  if (plan.all.length == 0 && plan.all.count() == 0)
    raise(PyExc_ValueError,
          "there are no elements, and the operator has no identity to return: give an initial value");
}

nb::object reduce(std::string_view op_name, bool widens, nb::handle a, nb::handle axis,
                  nb::handle type_wanted, nb::handle out, nb::handle keepdims, nb::handle initial,
                  nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  operand x(a, operand::order::any);
  const target where = x.place_for(target_from(target_wanted));
  const dtype type = combined_in(x.type(), widens, type_wanted, out);
  const axes_plan plan = plan_axes(x, axis, is_true(keepdims), out.is_none());
  const bool is_wide_sum = op == runtime_op::plus && type != x.type() && type == widest(x.type());
  const optional_value first = initial_value(initial, type);
  const bool is_sum_in_double = type != x.type() && sums_in_double(op, x, type, plan.all);
  if (!first && (op == runtime_op::minimum || op == runtime_op::maximum)) require_elements(plan);
  const bool is_value = plan.is_whole && plan.result.axes() == 0 && out.is_none() && !x.gives_array();
  if (is_value) {
    any_value total(false);
    {
      const without_gil released(x.bytes(), where);
      if (is_wide_sum) {
        std::complex<double> slot;
        reduce_into(where, any_view(&slot, type, {}), x.view(), op, first);
        total = any_value(type, &slot);
      } else if (is_sum_in_double) {
        std::uint64_t slot;
        sum_in_double(where, any_view(&slot, type, {1, 1}), x, plan.all, first);
        total = any_value(type, &slot);
      } else {
        x.convert(type);
        total = heddle::reduce(where, x.view(), op, first);
      }
    }
    return numpy_scalar(total);
  }
  const std::size_t bytes = plan.all.count() * size_of(type);
  const target there = place_of_output(where, x, bytes);
  output to(out, x.gives_array(), type, plan.result, there, x);
  {
    const without_gil released(x.bytes() + bytes, there);
    if (is_sum_in_double) {
      sum_in_double(there, to.view(plan.without()), x, plan.all, first);
    } else {
      if (!is_wide_sum) x.convert(type);
      reduce_into(there, to.view(plan.without()), x.view(plan.whole()), middle, op, first);
    }
  }
  return turned(to.finish(), plan);
}

nb::object scan(std::string_view op_name, bool widens, bool is_exclusive, nb::handle a, nb::handle axis,
                nb::handle type_wanted, nb::handle out, nb::handle initial, nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  const dtype type = combined_in(x.type(), widens, type_wanted, out);
  const axes_plan plan = plan_one_axis(x, axis);
  const optional_value first = initial_value(initial, type);
  const auto scan_into = [&](const target& there, const any_view& to, const any_const_view& from) {
    if (is_exclusive) {
      exclusive_scan_into(there, to, from, middle, op, first);
    } else {
      inclusive_scan_into(there, to, from, middle, op, first);
    }
  };
  const target there = place_of_output(where, x, x.size() * size_of(type));
  if (type != x.type() && out.is_none()) {
    const bool as_array = x.gives_array();
    {
      const without_gil released(2 * x.bytes(), there);
      x.convert(type);
      any_array& own = *x.converted();
      if (as_array && there.is_gpu() != own.where().is_gpu()) own = own.on(there);
      const any_view view(own.data(), type, plan.whole(), own.where());
      scan_into(there, view, view);
      own = std::move(own).reshaped(plan.result);
    }
    return result_of(std::move(*x.converted()), as_array);
  }
  output to(out, x.gives_array(), type, plan.result, there, x, true);
  {
    const without_gil released(2 * x.bytes(), there);
    x.convert(type);
    scan_into(there, to.view(plan.whole()), x.view(plan.whole()));
  }
  return to.finish();
}

/// What a function of x that makes a new array returns: the array, or `out` with its elements.
nb::object delivered(any_array&& result, std::optional<dtype> as, nb::handle out, const operand& x) {
  if (out.is_none()) return result_of(std::move(result), x.gives_array(), as);
  const dtype type = as ? *as : result.dtype();
  output to(out, x.gives_array(), type, result.shape(), target(), x);
  to.view(result.shape()).copy_from(any_const_view(result.data(), type, result.shape(), result.where()));
  return to.finish();
}

/// A result of a function that makes a new array, from the flat form or from that along an axis.
template <class F>
nb::object new_result(nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                      nb::handle target_wanted, std::optional<dtype> as, const F& f) {
  operand x(a, operand::order::any);
  const target where = x.place_for(target_from(target_wanted));
  const axes_plan plan = plan_axes(x, axis, is_true(keepdims), out.is_none());
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(f(place_of_result(where, x, plan.all.count()), x.view(plan.whole()), plan));
    *result = std::move(*result).reshaped(plan.result);
  }
  return turned(delivered(std::move(*result), as, out, x), plan);
}

nb::object any_or_all(bool is_all, nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                      nb::handle target_wanted) {
  return new_result(a, axis, out, keepdims, target_wanted, {},
                    [&](const target& where, const any_const_view& x, const axes_plan&) {
                      return any_array(is_all ? all(where, x, middle) : any(where, x, middle));
                    });
}

nb::object arg_extremum(bool is_max, nb::handle a, nb::handle axis, nb::handle out, nb::handle keepdims,
                        nb::handle target_wanted) {
  return new_result(a, axis, out, keepdims, target_wanted, dtype::int64,
                    [&](const target& where, const any_const_view& x, const axes_plan&) {
                      return any_array(is_max ? argmax(where, x, middle) : argmin(where, x, middle));
                    });
}

/// The mean, or the variance: of no elements NaN, with a warning, as NumPy's.
nb::object moment(bool is_mean, nb::handle a, nb::handle axis, nb::handle type_wanted, nb::handle out,
                  nb::handle keepdims, std::size_t ddof, nb::handle target_wanted) {
  operand x(a, operand::order::any);
  const target where = x.place_for(target_from(target_wanted));
  const axes_plan plan = plan_axes(x, axis, is_true(keepdims), out.is_none());
  if (!type_wanted.is_none()) convert(x, dtype_from(type_wanted));
  if (plan.all.length == 0 || (!is_mean && plan.all.length <= ddof)) {
    const char* const warning = is_mean ? "Mean of empty slice" : "Degrees of freedom <= 0 for slice";
    if (PyErr_WarnEx(PyExc_RuntimeWarning, warning, 2) != 0) throw nb::python_error();
  }
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    const target there = place_of_result(where, x, plan.all.count());
    if (plan.all.length == 0) {
      const dtype type = x.type() < dtype::float32                ? dtype::float64
                         : is_mean || x.type() < dtype::complex64 ? x.type()
                         : x.type() == dtype::complex64           ? dtype::float32
                                                                  : dtype::float64;
      result.emplace(type, plan.without(), there);
      if (type >= dtype::complex64) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        result->fill(std::complex<double>(nan, nan));
      } else {
        result->fill(std::numeric_limits<double>::quiet_NaN());
      }
    } else {
      const any_const_view seen = x.view(plan.whole());
      result.emplace(is_mean ? mean(there, seen, middle) : variance(there, seen, middle, ddof));
    }
    *result = std::move(*result).reshaped(plan.result);
  }
  return turned(delivered(std::move(*result), {}, out, x), plan);
}

nb::object sort(nb::handle a, nb::handle axis, bool is_descending, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("sort", x.type());
  const axes_plan plan = plan_one_axis(x, axis);
  const target there = place_of_output(where, x, x.bytes());
  output to(nb::none(), x.gives_array(), x.type(), plan.result, there, x);
  {
    const without_gil released(x.bytes(), there);
    sort_into(there, to.view(plan.whole()), x.view(plan.whole()), middle,
              is_descending ? sort_order::descending : sort_order::ascending);
  }
  return to.finish();
}

nb::object argsort(nb::handle a, nb::handle axis, bool is_descending, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("argsort", x.type());
  const axes_plan plan = plan_one_axis(x, axis);
  std::optional<any_array> places;
  {
    const without_gil released(x.bytes(), where);
    places.emplace(argsort(where, x.view(plan.whole()), middle,
                           is_descending ? sort_order::descending : sort_order::ascending));
    *places = std::move(*places).reshaped(plan.result);
  }
  return result_of(std::move(*places), x.gives_array(), dtype::int64);
}

nb::object unique(nb::handle a, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("unique", x.type());
  std::optional<any_array> values;
  {
    const without_gil released(x.bytes(), where);
    values.emplace(heddle::unique(where, x.view()));
  }
  return result_of(std::move(*values), x.gives_array());
}

/// The arguments of a function of two arrays, in the type that holds both.
void convert_to_common(operand& a, operand& b) {
  if (a.type() == b.type()) return;
  const dtype common = dtype_from(python().promote_types(numpy_dtype(a.type()), numpy_dtype(b.type())));
  convert(a, common);
  convert(b, common);
}

nb::object searchsorted(nb::handle a, nb::handle v, bool is_right, nb::handle target_wanted) {
  operand sorted(a), values(v);
  const target where = sorted.place_for(target_from(target_wanted));
  if (sorted.lengths().axes() != 1)
    raise(PyExc_ValueError, "searchsorted: a has one axis, not the shape " + sorted.lengths().text());
  const bool as_array = sorted.gives_array() || values.gives_array();
  convert_to_common(sorted, values);
  require_ordered("searchsorted", sorted.type());
  std::optional<any_array> places;
  {
    const without_gil released(sorted.bytes() + values.bytes(), where);
    places.emplace(is_right ? upper_bound(where, sorted.view(), values.view())
                            : lower_bound(where, sorted.view(), values.view()));
  }
  return result_of(std::move(*places), as_array, dtype::int64);
}

nb::tuple minmax(nb::handle a, nb::handle axis, nb::handle keepdims, nb::handle target_wanted) {
  operand x(a, operand::order::any);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("minmax", x.type());
  const axes_plan plan = plan_axes(x, axis, is_true(keepdims), true);
  require_elements(plan);
  std::optional<minmax_result<any_array>> both;
  {
    const without_gil released(x.bytes(), where);
    both.emplace(heddle::minmax(place_of_result(where, x, plan.all.count()), x.view(plan.whole()), middle));
    both->min = std::move(both->min).reshaped(plan.result);
    both->max = std::move(both->max).reshaped(plan.result);
  }
  return nb::make_tuple(turned(result_of(std::move(both->min), x.gives_array()), plan),
                        turned(result_of(std::move(both->max), x.gives_array()), plan));
}

nb::tuple top_k(nb::handle a, std::size_t k, nb::handle axis, bool is_largest, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("top_k", x.type());
  const axes_plan plan = plan_one_axis(x, axis);
  const shape lengths = axis.is_none() ? shape{k} : plan.result.with_length(plan.axis, k);
  std::optional<any_array> values, places;
  {
    const without_gil released(x.bytes(), where);
    any_top_elements top = heddle::top_k(where, x.view(plan.whole()), k, middle,
                                         is_largest ? sort_order::descending : sort_order::ascending);
    values.emplace(std::move(top.values).reshaped(lengths));
    any_array indices(std::move(top.indices));
    places.emplace(std::move(indices).reshaped(lengths));
  }
  return nb::make_tuple(result_of(std::move(*values), x.gives_array()),
                        result_of(std::move(*places), x.gives_array(), dtype::int64));
}

nb::object histogram(nb::handle a, nb::handle bins, nb::handle weights, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  require_ordered("histogram", x.type());
  std::vector<double> edges;
  std::optional<even_bins> even;
  if (PyTuple_Check(bins.ptr())) {
    even.emplace(
        even_bins{nb::cast<std::size_t>(bins[0]), nb::cast<double>(bins[1]), nb::cast<double>(bins[2])});
  } else {
    operand given(bins);
    convert(given, dtype::float64);
    const any_array on_cpu = given.view().on(target());
    const auto* const first = static_cast<const double*>(on_cpu.data());
    edges.assign(first, first + on_cpu.size());
  }
  std::optional<operand> weighed;
  if (!weights.is_none()) {
    weighed.emplace(weights);
    if (!(weighed->lengths() == x.lengths()))
      raise(PyExc_ValueError, "histogram: the weights have shape " + weighed->lengths().text() +
                                  ", where the elements have " + x.lengths().text());
  }
  const bool as_array = x.gives_array() || (weighed && weighed->gives_array());
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    if (weighed) {
      result.emplace(even ? heddle::histogram(where, x.view(), *even, weighed->view())
                          : heddle::histogram(where, x.view(), edges, weighed->view()));
    } else {
      result.emplace(even ? any_array(heddle::histogram(where, x.view(), *even))
                          : any_array(heddle::histogram(where, x.view(), edges)));
    }
  }
  return result_of(std::move(*result), as_array, weighed ? std::nullopt : std::optional(dtype::int64));
}

nb::object matmul(nb::handle first, nb::handle second, nb::handle out, nb::handle type_wanted,
                  nb::handle target_wanted) {
  operand a(first), b(second);
  const target where = a.place_for(target_from(target_wanted));
  const bool as_array = a.gives_array() || b.gives_array();
  if (!type_wanted.is_none()) {
    convert(a, dtype_from(type_wanted));
    convert(b, a.type());
  }
  convert_to_common(a, b);
  const shape product = matmul_shape(a.lengths(), b.lengths());
  const target there =
      as_array
          ? resolve(b.place_for(where), {a.bytes() + b.bytes(), product.elements() * size_of(a.type()), a.where(), true})
          : where;
  output to(out, as_array, a.type(), product, there, a);
  {
    const without_gil released(a.bytes() + b.bytes(), there);
    matmul_into(there, to.view(product), a.view(), b.view());
  }
  return to.finish();
}

/// A Fourier transform along axes, whose results are multiplied by `scale`.
nb::object fft(std::string_view kind, nb::handle a, const std::vector<std::ptrdiff_t>& axes,
               std::size_t length, double scale, nb::handle out, nb::handle target_wanted) {
  operand x(a);
  const target where = x.place_for(target_from(target_wanted));
  const bool is_complex = x.type() >= dtype::complex64;
  if (kind == "rfft" && is_complex)
    raise(PyExc_TypeError, "rfft: the elements are real, not " + std::string(name(x.type())));
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    if (kind == "irfft" && !is_complex) {
      x.convert(x.type() == dtype::float32 ? dtype::complex64 : dtype::complex128);
    } else if (x.type() < dtype::float32) {
      x.convert(dtype::float64);
    }
    const any_const_view seen = x.view();
    result.emplace(kind == "fft"    ? heddle::fft(where, seen, axes)
                   : kind == "ifft" ? heddle::ifft(where, seen, axes)
                   : kind == "rfft" ? heddle::rfft(where, seen, axes)
                                    : heddle::irfft(where, seen, axes, length));
    if (scale != 1) transform_into(result->where(), *result, *result, scale, runtime_op::multiplies);
  }
  return delivered(std::move(*result), {}, out, x);
}

shape shape_from(nb::handle lengths) {
  std::vector<std::size_t> all;
  for (const nb::handle length : nb::borrow(lengths)) all.push_back(nb::cast<std::size_t>(length));
  return shape(all);
}

/// Random numbers, whose bounds or parameters are a and b: NumPy's array, or a heddle.Array on a GPU.
nb::object random(std::string_view kind, nb::handle type_wanted, std::uint64_t seed, std::uint64_t offset,
                  nb::handle lengths, nb::handle a, nb::handle b, nb::handle target_wanted) {
  const target where = target_from(target_wanted);
  const dtype type = dtype_from(type_wanted);
  const shape whole = shape_from(lengths);
  const heddle::random::stream from{seed, offset};
  const auto real = [](nb::handle x) { return nb::cast<double>(x); };
  // In 64 bits with the sign of the type.
  const auto whole_number = [&](nb::handle x) {
    return type <= dtype::int64 ? static_cast<std::uint64_t>(nb::cast<std::int64_t>(x))
                                : nb::cast<std::uint64_t>(x);
  };
  using heddle::random::sequence;
  const sequence numbers = kind == "uniform"  ? sequence::uniform(type, from, real(a), real(b))
                           : kind == "normal" ? sequence::normal(type, from, real(a), real(b))
                           : kind == "exponential"
                               ? sequence::exponential(type, from, real(a))
                               : sequence::integers(type, from, whole_number(a), whole_number(b));
  std::optional<any_array> result;
  {
    const std::size_t bytes = whole.elements() * size_of(type);
    const without_gil released(bytes, where);
    const target there = resolve(where, {0, bytes, target(), true});
    result.emplace(type, whole, there);
    numbers.fill(there, 0, whole.elements(), result->data());
  }
  return result_of(std::move(*result), where.is_gpu());
}

nb::object permutation(std::size_t n, std::uint64_t seed, std::uint64_t offset, nb::handle target_wanted) {
  const target where = target_from(target_wanted);
  std::optional<any_array> result;
  {
    const without_gil released(n * sizeof(std::size_t), where);
    result.emplace(heddle::random::permutation(where, n, {seed, offset}));
  }
  return result_of(std::move(*result), where.is_gpu(), dtype::int64);
}

/// An array of bool, or of offsets, as the pattern takes it.
template <class T>
array_view<const T> elements_of(operand& x, const char* what) {
  if constexpr (std::is_same_v<T, bool>) {
    if (x.type() != dtype::boolean)
      raise(PyExc_TypeError, std::string(what) + " are bool, not " + name(x.type()));
    return x.view().template as<bool>();
  } else {
    if (x.type() > dtype::uint64)
      raise(PyExc_TypeError, std::string(what) + " are integers, not " + name(x.type()));
    convert(x, dtype::uint64);
    // std::size_t may be a type of another name.
    return {static_cast<const T*>(x.view().data()), x.lengths(), x.where()};
  }
}

nb::object copy_if(nb::handle a, nb::handle mask, nb::handle target_wanted) {
  operand x(a), flags(mask);
  const target where = x.place_for(target_from(target_wanted));
  const array_view<const bool> chosen = elements_of<bool>(flags, "copy_if: the flags");
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(heddle::copy_if(where, x.view(), chosen));
  }
  return result_of(std::move(*result), x.gives_array());
}

nb::tuple partition(nb::handle a, nb::handle mask, nb::handle target_wanted) {
  operand x(a), flags(mask);
  const target where = x.place_for(target_from(target_wanted));
  const array_view<const bool> chosen = elements_of<bool>(flags, "partition: the flags");
  std::optional<any_partitioned> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(heddle::partition(where, x.view(), chosen));
  }
  return nb::make_tuple(result_of(std::move(result->elements), x.gives_array()), result->chosen);
}

nb::object segmented_reduce(nb::handle a, nb::handle offsets, std::string_view op_name,
                            nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  operand x(a), places(offsets);
  const target where = x.place_for(target_from(target_wanted));
  const array_view<const std::size_t> bounds =
      elements_of<std::size_t>(places, "segmented_reduce: the offsets");
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(heddle::segmented_reduce(where, x.view(), bounds, op));
  }
  return result_of(std::move(*result), x.gives_array());
}

nb::tuple reduce_by_key(nb::handle keys, nb::handle values, std::string_view op_name,
                        nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  operand k(keys), v(values);
  const target where = k.place_for(target_from(target_wanted));
  const bool as_array = k.gives_array() || v.gives_array();
  std::optional<std::pair<any_array, any_array>> result;
  {
    const without_gil released(k.bytes() + v.bytes(), where);
    result.emplace(heddle::reduce_by_key(where, k.view(), v.view(), op));
  }
  return nb::make_tuple(result_of(std::move(result->first), as_array),
                        result_of(std::move(result->second), as_array));
}

/// Puts elements into `out`, converted to its type.
nb::object store(nb::handle a, nb::handle out) {
  const operand x(a);
  output to(out, true, x.type(), x.lengths(), target(), x);
  to.view(x.lengths()).copy_from(x.view());
  return to.finish();
}

}  // namespace

void bind_patterns(nb::module_& m) {
  // None is an argument like others: what each function takes is said by its form in Python.
  const auto none = nb::arg().none();
  m.def("reduce", &reduce, nb::arg(), nb::arg(), none, none, none, none, none, none, none);
  m.def("scan", &scan, nb::arg(), nb::arg(), nb::arg(), none, none, none, none, none, none);
  m.def("any_or_all", &any_or_all, nb::arg(), none, none, none, none, none);
  m.def("arg_extremum", &arg_extremum, nb::arg(), none, none, none, none, none);
  m.def("moment", &moment, nb::arg(), none, none, none, none, none, nb::arg(), none);
  m.def("sort", &sort, none, none, nb::arg(), none);
  m.def("argsort", &argsort, none, none, nb::arg(), none);
  m.def("unique", &unique, none, none);
  m.def("searchsorted", &searchsorted, none, none, nb::arg(), none);
  m.def("minmax", &minmax, none, none, none, none);
  m.def("top_k", &top_k, none, nb::arg(), none, nb::arg(), none);
  m.def("histogram", &histogram, none, none, none, none);
  m.def("fft", &fft, nb::arg(), none, nb::arg(), nb::arg(), nb::arg(), none, none);
  m.def("random", &random, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), none, none, none);
  m.def("permutation", &permutation, nb::arg(), nb::arg(), nb::arg(), none);
  m.def("matmul", &matmul, none, none, none, none, none);
  m.def("copy_if", &copy_if, none, none, none);
  m.def("partition", &partition, none, none, none);
  m.def("segmented_reduce", &segmented_reduce, none, none, nb::arg(), none);
  m.def("store", &store);
  m.def("reduce_by_key", &reduce_by_key, none, none, nb::arg(), none);
}

}  // namespace heddle::python
