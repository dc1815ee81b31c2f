#include "ranks.hpp"

#include "array.hpp"
#include "operand.hpp"
#include "target.hpp"
#include <heddle/any_distributed.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

using distributed = any_distributed_array;

/// Calls f without the GIL: other ranks may take long.
template <class F>
auto released(const F& f) {
  const without_gil now;
  return f();
}

std::optional<target> target_or_none(nb::handle named) {
  if (named.is_none()) return {};
  return target_from(named);
}

/// The type that elements are combined in, as NumPy's sums widen them.
dtype combined_in(dtype type, bool widens, nb::handle wanted) {
  if (!wanted.is_none()) return dtype_from(wanted);
  if (!widens || type > dtype::uint64) return type;
  return type <= dtype::int64 ? dtype::int64 : dtype::uint64;
}

std::optional<any_value> initial_value(nb::handle initial, dtype type) {
  if (initial.is_none()) return {};
  return value_from(initial, type);
}

std::optional<axis> axis_or_none(nb::handle along) {
  if (along.is_none()) return {};
  return axis{nb::cast<std::ptrdiff_t>(along)};
}

/// Calls f with x in another type, which it has already or is converted to.
template <class F>
auto in_type(const distributed& x, dtype type, const F& f) {
  return released([&] { return x.dtype() == type ? f(x) : f(converted(x, type)); });
}

/// The array flat, with the same blocks.
distributed flat(const distributed& x) {
  const std::size_t row = x.shape().without_axis(0).elements();
  std::vector<std::size_t> begins = x.begins();
  for (std::size_t& b : begins) b *= row;
  return {x.all(), shape{x.size()}, begins, x.local().reshaped({x.local().size()}).on(x.all().where())};
}

nb::object reduce_over(std::string_view op_name, bool widens, const distributed& x, nb::handle along,
                       nb::handle type_wanted, nb::handle initial) {
  const runtime_op op = parse_runtime_op(op_name);
  const dtype type = combined_in(x.dtype(), widens, type_wanted);
  if (along.is_none() || x.shape().axes() == 1) {
    if (!along.is_none()) x.shape().resolve_axis(nb::cast<std::ptrdiff_t>(along));
    const std::optional<any_value> first = initial_value(initial, type);
    return numpy_scalar(
        in_type(x, type, [&](const distributed& y) { return reduce(y.all(), y, op, first); }));
  }
  if (!initial.is_none())
    raise(PyExc_TypeError, "over ranks a reduction along an axis takes no initial value");
  const axis a{nb::cast<std::ptrdiff_t>(along)};
  return nb::cast(in_type(x, type, [&](const distributed& y) { return reduce(y.all(), y, a, op); }));
}

distributed scan_over(std::string_view op_name, bool widens, bool is_exclusive, const distributed& x,
                      nb::handle along, nb::handle type_wanted, nb::handle initial) {
  const runtime_op op = parse_runtime_op(op_name);
  const dtype type = combined_in(x.dtype(), widens, type_wanted);
  const std::optional<any_value> first = initial_value(initial, type);
  const std::optional<axis> a = axis_or_none(along);
  return in_type(x, type, [&](const distributed& y) {
    const auto scan = [&](const distributed& z, const auto&... axes) {
      return is_exclusive ? exclusive_scan(z.all(), z, axes..., op, first)
                          : inclusive_scan(z.all(), z, axes..., op, first);
    };
    if (a) return scan(y, *a);
    return y.shape().axes() == 1 ? scan(y) : scan(flat(y));
  });
}

distributed difference_over(const distributed& x, nb::handle along) {
  const std::optional<axis> a = axis_or_none(along);
  return released([&] {
    if (a) return adjacent_difference(x.all(), x, *a);
    if (x.shape().axes() == 1) return adjacent_difference(x.all(), x);
    return adjacent_difference(x.all(), flat(x));
  });
}

sort_order order_of(bool descending) {
  return descending ? sort_order::descending : sort_order::ascending;
}

/// Indices with a sign, as NumPy has them.
distributed with_sign(const distributed_array<std::size_t>& indices) {
  const array<std::size_t> own = indices.local().on(target());
  any_array signed_indices(dtype::int64, own.shape());
  if (own.size() > 0) std::memcpy(signed_indices.data(), own.data(), signed_indices.bytes());
  return {indices.all(), indices.shape(), indices.begins(), signed_indices.on(indices.all().where())};
}

nb::object new_array_of(any_array&& x) {
  return result_of(std::move(x), false);
}

/// All elements give an array of NumPy on every rank, and an axis a list of distributed arrays.
nb::object quantile_over(const distributed& x, const std::vector<double>& fractions, nb::handle along) {
  if (along.is_none())
    return new_array_of(released([&] { return any_array(quantile(x.all(), x, fractions)); }));
  const axis a{nb::cast<std::ptrdiff_t>(along)};
  std::vector<distributed_array<double>> all = released([&] { return quantile(x.all(), x, fractions, a); });
  nb::list found;
  for (distributed_array<double>& of_fraction : all)
    found.append(nb::cast(distributed(std::move(of_fraction))));
  return found;
}

nb::object median_over(const distributed& x, nb::handle along) {
  if (along.is_none()) return numpy_scalar(released([&] { return median(x.all(), x); }));
  const axis a{nb::cast<std::ptrdiff_t>(along)};
  return nb::cast(released([&] { return median(x.all(), x, a); }));
}

/// All elements give a number on every rank, and an axis a distributed array; a mean, or a variance.
nb::object moment_over(bool is_mean, const distributed& x, nb::handle along, std::size_t ddof) {
  const std::optional<axis> a = axis_or_none(along);
  if (!a || x.shape().axes() == 1) {
    if (a) x.shape().resolve_axis(a->index);
    return numpy_scalar(released([&] { return is_mean ? mean(x.all(), x) : variance(x.all(), x, ddof); }));
  }
  return nb::cast(released([&] { return is_mean ? mean(x.all(), x, *a) : variance(x.all(), x, *a, ddof); }));
}

distributed argsort_over(const distributed& x, bool descending) {
  return released([&] { return with_sign(argsort(x.all(), x, order_of(descending))); });
}

/// All elements give two arrays of NumPy on every rank, and an axis two distributed arrays.
nb::tuple top_over(const distributed& x, std::size_t k, nb::handle along, bool is_largest) {
  const sort_order order = order_of(is_largest);
  if (along.is_none()) {
    any_top_elements top = released([&] { return top_k(x.all(), x, k, order); });
    return nb::make_tuple(new_array_of(std::move(top.values)),
                          result_of(any_array(std::move(top.indices)), false, dtype::int64));
  }
  const axis a{nb::cast<std::ptrdiff_t>(along)};
  auto [values, indices] = released([&] {
    any_distributed_top_elements top = top_k(x.all(), x, k, a, order);
    return std::pair(std::move(top.values), with_sign(top.indices));
  });
  return nb::make_tuple(std::move(values), std::move(indices));
}

/// Distributes an array that all ranks have.
distributed spread(const ranks& all, nb::handle x) {
  const operand given(x);
  return released([&] {
    const any_const_view elements = given.view();
    distributed to(all, given.type(), given.lengths());
    if (to.rows() > 0) to.local().copy_from(elements.slice(to.first_row(), to.first_row() + to.rows()));
    return to;
  });
}

distributed of_blocks(const ranks& all, nb::handle block) {
  const operand given(block);
  return released([&] { return distributed(all, given.view().on(all.where())); });
}

void bind_order_over_ranks(nb::module_& m) {
  const auto some = nb::arg();
  const auto none = nb::arg().none();
  m.def("sort_over_ranks", [](const distributed& x, bool descending) {
    return released([&] { return sort(x.all(), x, order_of(descending)); });
  });
  m.def("argsort_over_ranks", &argsort_over);
  m.def("unique_over_ranks",
        [](const distributed& x) { return released([&] { return unique(x.all(), x); }); });
  m.def("top_k_over_ranks", &top_over, some, some, none, some);
  m.def("quantile_over_ranks", &quantile_over, some, some, none);
  m.def("moment_over_ranks", &moment_over, some, some, none, some);
  m.def("median_over_ranks", &median_over, some, none);
}

void bind_processes(nb::module_& m) {
  nb::class_<ranks>(
      m, "Ranks", R"(The processes that compute together, from heddle.ranks(): `rank` of `size`, on `target`.

`array(x)` spreads an array that every rank has, `from_blocks(block)` joins the rows that each has, `read_npy(path)`
reads a file, each rank its own rows, and `empty(shape, dtype)` is not initialised. `barrier()` returns once every rank
has called it, and `abort(cause)` ends all after a line that names this one.

>>> import heddle
>>> all = heddle.ranks()
>>> all.rank, all.size
(0, 1)
>>> all.from_blocks([1.0, 2.0]).gather().tolist()
[1.0, 2.0])")
      .def_prop_ro("rank", &ranks::rank)
      .def_prop_ro("size", &ranks::size)
      .def_prop_ro("target", &ranks::where)
      .def("barrier", [](const ranks& all) { released([&] { return all.barrier(), 0; }); })
      .def(
          "abort", [](const ranks& all, const std::string& cause) { all.abort(cause); }, nb::arg("cause"))
      .def("array", &spread, nb::arg("x"))
      .def("from_blocks", &of_blocks, nb::arg("block"))
      .def(
          "empty",
          [](const ranks& all, const std::vector<std::size_t>& lengths, nb::handle type) {
            return distributed(all, dtype_from(type), shape(lengths));
          },
          nb::arg("shape"), nb::arg("dtype"))
      .def(
          "read_npy",
          [](const ranks& all, const std::string& path) {
            return released([&] { return read_npy(all, path); });
          },
          nb::arg("path"));

  m.def(
      "ranks_world",
      [](nb::handle where) {
        const std::optional<target> wanted = target_or_none(where);
        return released([&] {
          const ranks all = ranks::world();
          return wanted ? all.on(*wanted) : all;
        });
      },
      nb::arg("target").none());
  m.def(
      "ranks_of_communicator",
      [](std::uintptr_t address, nb::handle where) {
        const std::optional<target> wanted = target_or_none(where);
        return released([&] { return ranks_of_communicator(address, wanted); });
      },
      nb::arg("address"), nb::arg("target").none());
  m.def("has_mpi", &ranks::has_mpi);
}

void bind_array_over_ranks(nb::module_& m) {
  nb::class_<distributed>(m, "DistributedArray",
                          R"(An array whose rows are spread over ranks; functions of heddle take it.

`local` are the rows of this rank, a heddle.Array without a copy; `begins` says where those of each rank begin, and how
many there are. `gather()` is the whole array, on every rank, `write_npy(path)` one file, `astype(dtype)` another type
and `redistributed(begins)` other blocks. `x + y`, `x - y` and `x * y` take arrays of the same blocks and numbers.

>>> import heddle
>>> x = heddle.ranks().array([[1, 2], [3, 4]])
>>> x.shape, x.begins
((2, 2), [0, 2])
>>> (2 * x).gather().tolist()
[[2, 4], [6, 8]])")
      .def_prop_ro("ranks", [](const distributed& x) { return x.all(); })
      .def_prop_ro("shape", [](const distributed& x) { return tuple_of(x.shape()); })
      .def_prop_ro("ndim", [](const distributed& x) { return x.shape().axes(); })
      .def_prop_ro("size", &distributed::size)
      .def_prop_ro("dtype", [](const distributed& x) { return nb::borrow(numpy_dtype(x.dtype())); })
      .def_prop_ro("begins", &distributed::begins)
      .def_prop_ro("local",
                   [](nb::handle self) {
                     const auto& x = nb::cast<const distributed&>(self);
                     return new_array(device_array(x.local(), nb::borrow(self), false));
                   })
      .def("gather", [](const distributed& x) { return new_array_of(released([&] { return x.gather(); })); })
      .def(
          "write_npy",
          [](const distributed& x, const std::string& path) {
            released([&] { return write_npy(path, x), 0; });
          },
          nb::arg("path"))
      .def(
          "astype",
          [](const distributed& x, nb::handle type) {
            const dtype wanted = dtype_from(type);
            return released([&] { return converted(x, wanted); });
          },
          nb::arg("dtype"))
      .def(
          "redistributed",
          [](const distributed& x, const std::vector<std::size_t>& begins) {
            return released([&] { return x.redistributed(begins); });
          },
          nb::arg("begins"));
}

void bind_patterns_over_ranks(nb::module_& m) {
  m.def("reduce_over_ranks", &reduce_over, nb::arg("op"), nb::arg("widens"), nb::arg("x"),
        nb::arg("axis").none(), nb::arg("dtype").none(), nb::arg("initial").none());
  m.def("scan_over_ranks", &scan_over, nb::arg("op"), nb::arg("widens"), nb::arg("is_exclusive"),
        nb::arg("x"), nb::arg("axis").none(), nb::arg("dtype").none(), nb::arg("initial").none());
  m.def("adjacent_difference_over_ranks", &difference_over, nb::arg(), nb::arg().none());
  m.def("place_over_ranks", [](bool largest, const distributed& x) {
    return released([&] { return largest ? argmax(x.all(), x) : argmin(x.all(), x); });
  });
  bind_order_over_ranks(m);
  const auto in_bins = [](const distributed& x, const auto& bins, const distributed* weights) {
    return new_array_of(released([&] {
      return weights != nullptr ? histogram(x.all(), x, bins, *weights)
                                : any_array(histogram(x.all(), x, bins));
    }));
  };
  const auto some = nb::arg();
  const auto none = nb::arg().none();
  m.def(
      "histogram_over_ranks",
      [=](const distributed& x, const std::vector<double>& edges, const distributed* weights) {
        return in_bins(x, edges, weights);
      },
      some, some, none);
  m.def("transform_over_ranks", [](std::string_view op_name, const distributed& x, const distributed& y) {
    const runtime_op op = parse_runtime_op(op_name);
    return released([&] { return transform(x.all(), x, y, op); });
  });
  m.def("transform_over_ranks_by", [](std::string_view op_name, const distributed& x, nb::handle scalar,
                                      bool is_left) {
    const runtime_op op = parse_runtime_op(op_name);
    const any_value y = value_from(scalar, x.dtype());
    return released([&] { return is_left ? transform(x.all(), y, x, op) : transform(x.all(), x, y, op); });
  });
}

}  // namespace

void bind_ranks(nb::module_& m) {
  bind_processes(m);
  bind_array_over_ranks(m);
  bind_patterns_over_ranks(m);
}

}  // namespace heddle::python
