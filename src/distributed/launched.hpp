#pragma once

namespace heddle::impl {

/// How many processes a launcher of MPI started with this one; 1 where none did.
int launched_processes() noexcept;

}  // namespace heddle::impl
