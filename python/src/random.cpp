#include "operand.hpp"
#include "patterns.hpp"
#include "results.hpp"
#include "target.hpp"
#include <heddle/random.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string_view.h>

namespace heddle::python {
namespace {

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

}  // namespace

void bind_random(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("random", &random, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), none, none, none);
  m.def("permutation", &permutation, nb::arg(), nb::arg(), nb::arg(), none);
}

}  // namespace heddle::python
