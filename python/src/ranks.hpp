#pragma once

#include "interpreter.hpp"
#include <heddle/ranks.hpp>

#include <cstdint>
#include <optional>

namespace heddle::python {

/// The ranks of the MPI_Comm at this address. Of the module without MPI: throws.
ranks ranks_of_communicator(std::uintptr_t address, const std::optional<target>& where);

void bind_ranks(nb::module_& m);

}  // namespace heddle::python
