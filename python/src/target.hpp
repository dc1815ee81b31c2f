#pragma once

#include "interpreter.hpp"
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::python {

/// The target that an argument names: a Target, its text, or for None that of `with heddle.target(…)`, of
/// HEDDLE_TARGET, or auto.
target target_from(nb::handle named);

/// The default stream of the GPU, where results of "auto" are: the stream of an array that came in may end
/// before they do.
inline target on_default_stream(const target& where) {
  return where.is_gpu() && where.stream() != nullptr ? target::gpu(where.device()) : where;
}

/// Where an expression runs: of "auto" on the GPU where arrays are, which stay there, and else what `resolve`
/// picks.
target place_of_expression(const target& requested, const target& data_on, std::size_t bytes_read,
                           std::size_t bytes_written);

void bind_target(nb::module_& m);

}  // namespace heddle::python
