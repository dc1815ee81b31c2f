#include "strided.hpp"

#include "array.hpp"
#include "target.hpp"
#include "transform.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/kernel.hpp>
#include <heddle/support/fork.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

/// Elements that are moved from places to places. Bytes are moved as integers of up to eight.
struct move {
  std::size_t bytes;
  std::vector<std::int64_t> lengths;
  strides from, to;
  std::vector<index_array> indices;
  bool indexes_target = false;  ///< or the source

  std::size_t count() const {
    std::size_t all = 1;
    for (const std::int64_t n : lengths) all *= static_cast<std::size_t>(n);
    return all;
  }
};

/// Takes 16 bytes for two times eight, and axes that go on from one another for one.
void simplify(move& m) {
  if (m.bytes == 16) {
    for (strides* const all : {&m.from, &m.to})
      for (std::int64_t& stride : *all) stride *= 2;
    for (index_array& index : m.indices) {
      index.stride *= 2;
      index.along.push_back(0);
    }
    m.from.push_back(1);
    m.to.push_back(1);
    m.lengths.push_back(2);
    m.bytes = 8;
  }
  std::vector<strides*> all{&m.from, &m.to};
  for (index_array& index : m.indices) all.push_back(&index.along);
  const auto drop = [&](std::size_t axis) {
    const auto place = static_cast<std::ptrdiff_t>(axis);
    m.lengths.erase(m.lengths.begin() + place);
    for (strides* const each : all) each->erase(each->begin() + place);
  };
  for (std::size_t k = m.lengths.size(); k-- > 0;)
    if (m.lengths[k] == 1) drop(k);
  for (std::size_t k = m.lengths.size(); k-- > 1;) {
    const bool goes_on = std::all_of(all.begin(), all.end(), [&](const strides* each) {
      return (*each)[k - 1] == (*each)[k] * m.lengths[k];
    });
    if (!goes_on) continue;
    m.lengths[k] *= m.lengths[k - 1];
    drop(k - 1);
  }
}

/// Of which source the kernel is made.
struct form {
  std::size_t axes, bytes, indices;
  bool indexes_target, is_small;

  auto operator<=>(const form&) const = default;
};

elementwise_kernel kernel_from(const form& f) {
  constexpr const char* elements[] = {"", "unsigned char",     "unsigned short", "", "unsigned int", "", "",
                                      "", "unsigned long long"};
  expression_options options;
  options.name = "indexing";
  const std::string element = elements[f.bytes];
  std::string members = fmt::format("const {0}* source; {0}* target; ", element);
  for (std::size_t k = 0; k < f.axes; ++k)
    members += fmt::format("long long length_{0}, from_{0}, to_{0}; ", k);
  for (std::size_t j = 0; j < f.indices; ++j) {
    members += fmt::format("const long long* places_{0}; long long end_{0}, stride_{0}; ", j);
    for (std::size_t k = 0; k < f.axes; ++k) members += fmt::format("long long along_{}_{}; ", j, k);
  }
  options.preamble = fmt::format("struct heddle_move {{ {}}};\n", members);
  const char* const number = f.is_small ? "unsigned int" : "unsigned long long";
  std::string code = fmt::format(
      "{0} left = ({0})i; long long from_at = 0; long long to_at = 0; {1}* const target = move.target; ",
      number, element);
  for (std::size_t j = 0; j < f.indices; ++j) code += fmt::format("long long at_{} = 0; ", j);
  for (std::size_t k = f.axes; k-- > 0;) {
    if (k > 0) {
      code += fmt::format(
          "const {0} next_{1} = left / ({0})move.length_{1}; const long long c_{1} = (long long)(left - "
          "next_{1} * "
          "({0})move.length_{1}); left = next_{1}; ",
          number, k);
    } else {
      code += "const long long c_0 = (long long)left; ";
    }
    code += fmt::format("from_at += c_{0} * move.from_{0}; to_at += c_{0} * move.to_{0}; ", k);
    for (std::size_t j = 0; j < f.indices; ++j)
      code += fmt::format("at_{0} += c_{1} * move.along_{0}_{1}; ", j, k);
  }
  for (std::size_t j = 0; j < f.indices; ++j) {
    code += fmt::format(
        "const long long place_{0} = move.places_{0}[at_{0}]; {1}_at += (place_{0} < 0 ? place_{0} + "
        "move.end_{0} "
        ": place_{0}) * move.stride_{0}; ",
        j, f.indexes_target ? "to" : "from");
  }
  code += "target[to_at] = move.source[from_at];";
  return {"heddle_move move", code, options};
}

elementwise_kernel kernel_of(const form& f) {
  constinit static fork_aware<std::map<form, elementwise_kernel>> all_kept;
  const auto kept = all_kept.lock();
  const auto found = kept->find(f);
  return found != kept->end() ? found->second : kept->emplace(f, kernel_from(f)).first->second;
}

/// Throws IndexError's text where a place is not there.
void require_places(const index_array& index) {
  if (index.places.size() == 0) return;
  const auto [least, greatest] = minmax(index.places.where(), index.places);
  const auto low = least.as<std::int64_t>(), high = greatest.as<std::int64_t>();
  if (low >= -index.length && high < index.length) return;
  throw nb::index_error(fmt::format("index {} is out of bounds for an axis with size {}",
                                    low < -index.length ? low : high, index.length)
                            .c_str());
}

void run(const target& where, move m, const void* from, void* to) {
  for (const index_array& index : m.indices) {
    require_places(index);
    if (!(index.places.where() == where)) index.places.wait();
  }
  const std::size_t count = m.count();
  if (count == 0) return;
  simplify(m);
  std::vector<std::int64_t> words;
  const auto put = [&](const void* address) {
    words.push_back(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address)));
  };
  put(from);
  put(to);
  for (std::size_t k = 0; k < m.lengths.size(); ++k)
    words.insert(words.end(), {m.lengths[k], m.from[k], m.to[k]});
  for (const index_array& index : m.indices) {
    put(index.places.data());
    words.insert(words.end(), {index.length, index.stride});
    words.insert(words.end(), index.along.begin(), index.along.end());
  }
  const std::size_t elements = m.count();
  const form f{m.lengths.size(), m.bytes, m.indices.size(), m.indexes_target, elements < (1u << 31)};
  kernel_of(f).on_piece(where, {{words.data(), words.size() * sizeof(std::int64_t), false}}, elements, 0,
                        elements);
  const auto is_elsewhere = [&](const index_array& index) { return !(index.places.where() == where); };
  if (std::any_of(m.indices.begin(), m.indices.end(), is_elsewhere)) where.wait();
}

std::vector<std::int64_t> numbers(const shape& lengths) {
  return {lengths.begin(), lengths.end()};
}

shape shape_from(const std::vector<std::size_t>& lengths) {
  return shape(lengths);
}

/// The places, the length and the stride of the axis, and strides of the places.
using given_index = std::tuple<nb::object, std::int64_t, std::int64_t, strides>;

std::vector<index_array> indices_from(const std::vector<given_index>& given) {
  std::vector<index_array> result;
  for (const auto& [places, length, stride, along] : given)
    result.push_back({nb::inst_ptr<device_array>(places)->view(), length, stride, along});
  return result;
}

const std::byte* advanced(const void* data, std::int64_t elements, dtype type) {
  return static_cast<const std::byte*>(data) + elements * static_cast<std::int64_t>(size_of(type));
}

nb::object gather(const device_array& x, const std::vector<std::size_t>& lengths, std::int64_t first,
                  const strides& apart, const std::vector<given_index>& given) {
  const std::vector<index_array> indices = indices_from(given);
  std::optional<any_array> result;
  {
    const without_gil released;
    result.emplace(
        gathered(advanced(x.data, first, x.type), x.type, x.where, shape_from(lengths), apart, indices));
  }
  return new_array(device_array(std::move(*result)));
}

/// Elements of `values`, which lie `values_apart`, go to those of x that a gather would give.
void scatter(const device_array& x, const std::vector<std::size_t>& lengths, std::int64_t first,
             const strides& apart, const std::vector<given_index>& given, const device_array& values,
             const strides& values_apart) {
  if (x.read_only) raise(PyExc_ValueError, "assignment destination is read-only");
  move m{size_of(x.type), {lengths.begin(), lengths.end()}, values_apart, apart, indices_from(given), true};
  const without_gil released;
  const auto* const begin = static_cast<const std::byte*>(x.data);
  const auto* const source = static_cast<const std::byte*>(values.data);
  const bool is_apart = source + values.view().bytes() <= begin || begin + x.view().bytes() <= source;
  std::optional<any_array> copy;
  if (!is_apart || !(values.where == x.where)) copy.emplace(values.view().on(x.where));
  run(x.where, std::move(m), copy ? copy->data() : values.data,
      const_cast<std::byte*>(advanced(x.data, first, x.type)));
}

/// 0, 1, … n - 1.
any_array counted(std::size_t n, const target& where) {
  constinit static made_once<elementwise_kernel> made;
  const elementwise_kernel& kernel =
      made.get([] { return elementwise_kernel("long long& place", "place = (long long)i;"); });
  any_array places(dtype::int64, {n}, where);
  if (n > 0) kernel.on_piece(where, {{places.data(), sizeof(std::int64_t), true, true, where}}, n, 0, n);
  return places;
}

nb::object iota(std::size_t n, const device_array& beside) {
  std::optional<any_array> result;
  {
    const without_gil released;
    result.emplace(counted(n, beside.where));
  }
  return new_array(device_array(std::move(*result)));
}

/// A new array of one number, or of whatever is in its memory.
nb::object filled(const std::vector<std::size_t>& lengths, nb::handle type, nb::handle number,
                  nb::handle where_wanted) {
  const target where = target_from(where_wanted);
  const dtype of = dtype_from(type);
  const std::optional<any_value> value =
      number.is_none() ? std::nullopt : std::optional(value_from(number, of));
  std::optional<any_array> result;
  {
    const without_gil released;
    result.emplace(of, shape_from(lengths), where);
    if (value) result->fill(*value);
  }
  return new_array(device_array(std::move(*result)));
}

/// Where the elements of x, which are bool, are true, in C order.
nb::object true_places(const device_array& x) {
  std::optional<any_array> result;
  {
    const without_gil released;
    result.emplace(
        heddle::copy_if(x.where, counted(x.size(), x.where), x.view().as<bool>().reshaped({x.size()})));
  }
  return new_array(device_array(std::move(*result)));
}

}  // namespace

strides contiguous_strides(const shape& lengths) {
  strides result(lengths.axes());
  std::int64_t stride = 1;
  for (std::size_t k = lengths.axes(); k-- > 0;) {
    result[k] = stride;
    stride *= static_cast<std::int64_t>(lengths[k]);
  }
  return result;
}

any_array gathered(const void* first, dtype type, const target& where, const shape& lengths,
                   const strides& apart, const std::vector<index_array>& indices) {
  any_array result(type, lengths, where);
  run(where, {size_of(type), numbers(lengths), apart, contiguous_strides(lengths), indices}, first,
      result.data());
  return result;
}

any_array converted_in_place(const any_const_view& x, dtype type) {
  if (!x.where().is_gpu() || type == x.dtype() || x.size() == 0 || !can_compile_for_gpu())
    return x.converted(type);
  return converted_by_kernel(x, type);
}

void bind_strided(nb::module_& m) {
  m.def("gather", &gather);
  m.def("scatter", &scatter);
  m.def("iota", &iota);
  m.def("filled", &filled, nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("true_places", &true_places);
}

}  // namespace heddle::python
