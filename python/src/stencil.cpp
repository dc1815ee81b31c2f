#include "stencil.hpp"

#include "expressions/numpy_expression.hpp"
#include "operand.hpp"
#include "target.hpp"
#include <heddle/any_array.hpp>
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

/// A stencil whose function is an expression: a kernel from source with the boundaries of hd::stencil.
namespace heddle::python {
namespace {

using offset = std::array<std::ptrdiff_t, 3>;  ///< plane, row, column

/// Columns of a row that one call of the kernel computes on a CPU.
constexpr std::size_t columns_in_piece = 4096;

struct boundary_source {
  const char* name;
  const char* cell;  ///< the cell of an axis of n cells for cell i beyond its ends; −1 for a fixed value
};
constexpr boundary_source boundaries[] = {
    {"periodic", "i %= n; return i < 0 ? i + n : i;"},
    {"fixed", "return -1;"},
    {"clamp", "return i < 0 ? 0 : n - 1;"},
    {"reflect",
     "if (n == 1) return 0; const long long m = 2 * (n - 1); i %= m; if (i < 0) i += m; return i < n ? i : m "
     "- i;"},
    {"symmetric", "const long long m = 2 * n; i %= m; if (i < 0) i += m; return i < n ? i : m - 1 - i;"},
    {"dirichlet", "return i;"},
};

const boundary_source& boundary_named(const std::string& name) {
  std::string names;
  for (const boundary_source& one : boundaries) {
    if (name == one.name) return one;
    names += std::string(names.empty() ? "" : ", ") + one.name;
  }
  raise(PyExc_ValueError, "stencil: the boundary is one of " + names + ", not \"" + name + "\"");
}

// The kernel's argument, as the kernel declares it.
struct place {
  const void* in;
  void* out;
};
struct sizes {
  long long planes, rows, columns;
};
struct others_elements {
  const void* elements;
  long long stride;  ///< 0 for one number that goes with every cell
};

struct stencil_source {
  std::string parameters, preamble, arguments;
  bool operator==(const stencil_source&) const = default;
};

/// An array that is read at the cell itself.
struct other_input {
  std::string name;
  dtype type;
};

/// How far neighbours are along planes, rows and columns. Edges that are kept are as wide along every axis.
std::array<std::ptrdiff_t, 3> reach_of(const std::vector<offset>& offsets, std::size_t axes,
                                       bool keeps_edges) {
  std::array<std::ptrdiff_t, 3> reach{};
  for (const offset& o : offsets)
    for (std::size_t k = 0; k < 3; ++k) reach[k] = std::max(reach[k], std::abs(o[k]));
  const std::ptrdiff_t largest = *std::max_element(reach.begin(), reach.end());
  for (std::size_t k = 3 - axes; keeps_edges && k < 3; ++k) reach[k] = largest;
  return reach;
}

/// The source that reads the neighbours of a cell.
std::string neighbours_read(const std::vector<offset>& offsets) {
  std::string text;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const auto [p, r, c] = offsets[k];
    const std::string plane = std::to_string(p), row = std::to_string(r), column = std::to_string(c);
    text += "  const heddle_cell in_u_" + std::to_string(k) + " = Inside ? x.in[i + (" + plane +
            " * s.rows + " + row + ") * s.columns + " + column + "] : heddle_beyond(x, s, o, in_plane + " +
            plane + ", in_row + " + row + ", in_column + " + column + ");\n";
  }
  return text;
}

/// Arrays beside the cells in the source of a kernel.
struct other_inputs_source {
  std::string structures, declared, passed, read;

  explicit other_inputs_source(const std::vector<other_input>& others) {
    for (const other_input& other : others) {
      const std::string name = other.name, structure = "heddle_of_" + name, all = "all_" + name;
      structures += "struct " + structure + " { const " + expressions::code_name(other.type) +
                    "* elements; long long stride; };\n";
      declared += ", const " + structure + " " + all;
      passed += ", " + all;
      read += "  const " + std::string(expressions::code_name(other.type)) + " in_" + name + " = " + all +
              ".elements[i * " + all + ".stride];\n";
    }
  }
};

std::string number(std::ptrdiff_t n) {
  return std::to_string(n) + "ll";
}

/// The functions that a kernel calls for a cell, or for a piece of a row.
std::string loops_over_cells(const other_inputs_source& others, const std::array<std::ptrdiff_t, 3>& reach) {
  return R"(HEDDLE_APART void heddle_at_edge(const heddle_place x, const heddle_sizes s, const heddle_outside o)" +
         others.declared + R"(, long long plane, long long row, long long column) {
  heddle_compute<false>(x, s, o)" +
         others.passed + R"(, plane, row, column);
}
HEDDLE_BOTH bool heddle_is_inside(long long at, long long reach, long long n) { return reach <= at && at < n - reach; }
HEDDLE_BOTH bool heddle_row_is_inside(const heddle_sizes s, long long plane, long long row) {
  return heddle_is_inside(plane, )" +
         number(reach[0]) + ", s.planes) && heddle_is_inside(row, " + number(reach[1]) + R"(, s.rows);
}
HEDDLE_BOTH void heddle_one(const heddle_place x, const heddle_sizes s, const heddle_outside o)" +
         others.declared + R"(, heddle_size cell) {
  const long long column = cell % s.columns, line = cell / s.columns, row = line % s.rows, plane = line / s.rows;
  if (heddle_row_is_inside(s, plane, row) && heddle_is_inside(column, )" +
         number(reach[2]) + R"(, s.columns)) {
    heddle_compute<true>(x, s, o)" +
         others.passed + R"(, plane, row, column);
  } else {
    heddle_at_edge(x, s, o)" +
         others.passed + R"(, plane, row, column);
  }
}
HEDDLE_BOTH void heddle_piece(const heddle_place x, const heddle_sizes s, const heddle_outside o)" +
         others.declared + R"(, heddle_size piece) {
  const long long most = )" +
         std::to_string(columns_in_piece) + R"(;
  const long long pieces = (s.columns + most - 1) / most, line = piece / pieces;
  const long long row = line % s.rows, plane = line / s.rows;
  const long long first = piece % pieces * most, last = first + most < s.columns ? first + most : s.columns;
  long long from = last, to = last;
  if (heddle_row_is_inside(s, plane, row)) {
    const long long low = )" +
         number(reach[2]) + R"(, high = s.columns - low;
    from = first < low ? (low < last ? low : last) : first;
    to = high < last ? high : last;
    if (to < from) to = from;
  }
  for (long long c = first; c < from; ++c) heddle_at_edge(x, s, o)" +
         others.passed + R"(, plane, row, c);
  for (long long c = from; c < to; ++c) heddle_compute<true>(x, s, o)" +
         others.passed + R"(, plane, row, c);
  for (long long c = to; c < last; ++c) heddle_at_edge(x, s, o)" +
         others.passed + R"(, plane, row, c);
}
)";
}

/// The kernels' source: heddle_one computes a cell, heddle_piece several of a row.
stencil_source source_of(const std::string& expression, const std::vector<offset>& offsets, std::size_t axes,
                         dtype type, const std::vector<other_input>& others, const boundary_source& around) {
  std::vector<expressions::expression_input> inputs;
  for (std::size_t k = 0; k < offsets.size(); ++k) inputs.push_back({"u_" + std::to_string(k), type});
  constexpr const char* indices[] = {"plane", "row", "column"};
  for (std::size_t k = 3 - axes; k < 3; ++k) inputs.push_back({indices[k], dtype::int64});
  for (const other_input& other : others) inputs.push_back({other.name, other.type});
  const expressions::translated_expression translated = expressions::translate_expression(expression, inputs);

  const other_inputs_source beside(others);
  const bool keeps_edges = std::string(around.name) == "dirichlet";
  const std::string computed = expressions::converted(translated.code, translated.type, type);
  stencil_source source;
  source.preamble =
      std::string(expressions::expression_functions) + expressions::complex_functions + "typedef " +
      expressions::code_name(type) + R"( heddle_cell;
// Code for few cells is compiled once, because a function of many neighbours takes long to compile.
#if defined(__CUDACC_RTC__)
#define HEDDLE_APART static __device__ __noinline__
#else
#define HEDDLE_APART static __attribute__((noinline))
#endif
struct heddle_place { const heddle_cell* __restrict__ in; heddle_cell* __restrict__ out; };
struct heddle_sizes { long long planes, rows, columns; };
struct heddle_outside { heddle_cell value; };
)" + beside.structures +
      "HEDDLE_BOTH long long heddle_along(long long i, long long n) {\n  if (0 <= i && i < n) return i;\n  " +
      around.cell + R"(
}
HEDDLE_APART heddle_cell heddle_beyond(const heddle_place x, const heddle_sizes s, const heddle_outside o, long long p,
                                       long long r, long long c) {
  p = heddle_along(p, s.planes);
  r = heddle_along(r, s.rows);
  c = heddle_along(c, s.columns);
  if (p < 0 || r < 0 || c < 0) return o.value;
  return x.in[(p * s.rows + r) * s.columns + c];
}
template <bool Inside>
HEDDLE_BOTH void heddle_compute(const heddle_place x, const heddle_sizes s, const heddle_outside o)" +
      beside.declared + R"(, long long in_plane, long long in_row, long long in_column) {
  const long long i = (in_plane * s.rows + in_row) * s.columns + in_column;
)" + (keeps_edges ? "  if (!Inside) {\n    x.out[i] = x.in[i];\n    return;\n  }\n" : "") +
      neighbours_read(offsets) + beside.read + "  x.out[i] = " + computed + R"(;
}
)" + loops_over_cells(beside, reach_of(offsets, axes, keeps_edges));
  source.parameters = "heddle_place heddle_x, heddle_sizes heddle_s, heddle_outside heddle_o";
  source.arguments = "heddle_x, heddle_s, heddle_o";
  for (const other_input& other : others) {
    source.parameters += ", heddle_of_" + other.name + " all_" + other.name;
    source.arguments += ", all_" + other.name;
  }
  return source;
}

/// A kernel that was asked for before is not compiled again.
elementwise_kernel kernel_of(const stencil_source& source, bool on_gpu) {
  constexpr std::size_t most = 256;
  constinit static fork_aware<std::unordered_map<std::string, elementwise_kernel>> all_kept;
  const std::string operation =
      std::string(on_gpu ? "heddle_one(" : "heddle_piece(") + source.arguments + ", i);";
  const std::string key = source.preamble + source.parameters + '\n' + operation;
  const auto kept = all_kept.lock();
  const auto found = kept->find(key);
  if (found != kept->end()) return found->second;
  if (kept->size() >= most) kept->clear();
  expression_options options;
  options.name = "stencil";
  options.preamble = source.preamble;
  return kept->emplace(key, elementwise_kernel(source.parameters, operation, options)).first->second;
}

/// Arrays where code on a target can read them: as they are, or a copy.
const void* readable(const any_const_view& x, const target& where, std::deque<any_array>& copies) {
  const bool is_there =
      x.where().is_gpu() == where.is_gpu() && (!where.is_gpu() || x.where().device() == where.device());
  if (is_there) {
    if (!(x.where() == where)) x.wait();
    return x.data();
  }
  return copies.emplace_back(x.on(where)).data();
}

/// `steps` generations, each of which reads the one before.
any_array computed(const stencil_source& source, const target& where, const any_const_view& x,
                   const sizes& lengths, const std::vector<any_const_view>& others, const any_value& outside,
                   std::size_t steps) {
  any_array result(x.dtype(), x.shape(), where), spare;
  const std::size_t cells = x.shape().elements();
  std::deque<any_array> copies;
  const void* in = readable(x, where, copies);
  if (steps == 0) result.copy_from(x);
  if (cells == 0 || steps == 0) return result;
  if (steps > 1) spare = any_array(x.dtype(), x.shape(), where);
  std::vector<others_elements> elements;
  for (const any_const_view& other : others)
    elements.push_back({readable(other, where, copies), other.shape().elements() == 1 ? 0 : 1});

  const elementwise_kernel kernel = kernel_of(source, where.is_gpu());
  place at{};
  std::vector<untyped_argument> arguments{{&at, sizeof at, false},
                                          {&lengths, sizeof lengths, false},
                                          {outside.data(), size_of(x.dtype()), false}};
  for (const others_elements& other : elements) arguments.push_back({&other, sizeof other, false});
  const std::size_t columns = static_cast<std::size_t>(lengths.columns);
  const std::size_t pieces = cells / columns * ((columns + columns_in_piece - 1) / columns_in_piece);
  const std::size_t grain = std::max<std::size_t>(1, pieces * (std::size_t{1} << 15) / cells);
  // The last generation is the result's.
  any_array* const turns[] = {&result, &spare};
  for (std::size_t step = 0; step < steps; ++step) {
    any_array& out = *turns[(steps - 1 - step) % 2];
    at = {in, out.data()};
    in = out.data();
    if (where.is_gpu()) {
      kernel.on_piece(where, arguments, cells, 0, cells);
      // Few are on the stream at once, so that Ctrl-C ends it soon.
      constexpr std::size_t at_once = 64;
      if (step % at_once == at_once - 1) {
        where.wait();
        check_signals();
      }
    } else {
      cpu::for_slices(where.threads(), pieces, grain, [&](std::size_t first, std::size_t last) {
        kernel.on_piece(target::serial(), arguments, last - first, first, pieces);
      });
    }
  }
  // The copies are freed now.
  where.wait();
  return result;
}

/// The text with what the user wrote: the whole expression, and u(0, -1) for u_0.
std::string as_written(std::string text, const std::string& expression, const std::string& written,
                       const std::vector<std::string>& neighbours) {
  const std::size_t quoted = text.find("'" + expression + "'");
  if (quoted != std::string::npos) text.replace(quoted + 1, expression.size(), written);
  // Of two of which one begins the other the longer comes first.
  for (std::size_t k = neighbours.size(); k-- > 0;) {
    const std::string name = "u_" + std::to_string(k);
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, name.size(), neighbours[k]);
  }
  return text;
}

/// `offsets` are those of u_0, u_1, … in the expression, which stand for `neighbours` in the one that is
/// `written`.
nb::object stencil(const std::string& expression, const std::string& written,
                   const std::vector<std::string>& neighbours,
                   const std::vector<std::vector<std::ptrdiff_t>>& offsets, nb::handle x,
                   const std::vector<std::string>& names, const nb::sequence& given,
                   const std::string& boundary, nb::handle outside, std::size_t steps, nb::handle type_wanted,
                   nb::handle out, nb::handle target_wanted) {
  const target requested = target_from(target_wanted);
  const boundary_source& around = boundary_named(boundary);
  operand cells(x);
  const dtype type = type_wanted.is_none() ? cells.type() : dtype_from(type_wanted);
  const shape& whole = cells.lengths();
  const std::size_t axes = whole.axes();
  if (axes < 1 || axes > 3)
    raise(PyExc_ValueError,
          "stencil: the array has " + std::to_string(axes) + " axes, where 1, 2 or 3 are possible");
  std::vector<offset> all;
  for (const std::vector<std::ptrdiff_t>& one : offsets) {
    if (one.size() != axes)
      raise(PyExc_ValueError, "stencil: " + neighbours.at(all.size()) + " has " + std::to_string(one.size()) +
                                  " offsets, where the array has " + std::to_string(axes) + " axes");
    std::copy(one.begin(), one.end(),
              all.emplace_back(offset{}).begin() + static_cast<std::ptrdiff_t>(3 - axes));
  }
  const auto length = [&](std::size_t k) {
    return k < 3 - axes ? 1 : static_cast<long long>(whole[k - (3 - axes)]);
  };
  const sizes lengths{length(0), length(1), length(2)};
  const any_value beyond = value_from(outside, type);
  std::deque<operand> inputs;
  std::vector<other_input> typed;
  target data_on = cells.where();
  for (const nb::handle other : given) {
    const operand& input = inputs.emplace_back(other);
    typed.push_back({names.at(inputs.size() - 1), input.type()});
    if (!(input.lengths() == whole) && input.size() != 1)
      raise(PyExc_ValueError, "stencil: " + typed.back().name + " has shape " + input.lengths().text() +
                                  ", where x has " + whole.text());
    if (input.where().is_gpu()) data_on = input.where();
  }
  stencil_source source;
  try {
    source = source_of(expression, all, axes, type, typed, around);
  } catch (const error& e) {
    throw error(as_written(e.what(), expression, written, neighbours));
  }
  std::optional<any_array> result;
  {
    // The first call compiles.
    const without_gil released;
    cells.convert(type);
    std::vector<any_const_view> others;
    for (const operand& input : inputs) others.push_back(input.view());
    const target where = place_of_expression(requested, data_on, cells.bytes(), cells.bytes());
    result.emplace(computed(source, where, cells.view(), lengths, others, beyond, steps));
  }
  if (out.is_none()) return result_of(std::move(*result), cells.gives_array());
  output to(out, cells.gives_array(), type, whole, target(), cells);
  to.view(whole).copy_from(*result);
  return to.finish();
}

}  // namespace

void bind_stencil(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("stencil", &stencil, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none, nb::arg(), nb::arg(),
        nb::arg(), none, nb::arg(), none, none, none);
}

}  // namespace heddle::python
