#pragma once

#include "viewed_simulation.hpp"
#include <heddle/support/function_ref.hpp>

#include <string>

namespace heddle::viewer {

/// The file that write(path) writes, in memory. `name` is what the browser saves it as, and its ending that
/// of the path.
saved_file written(const std::string& name, function_ref<void(const std::string& path)> write);

}  // namespace heddle::viewer
