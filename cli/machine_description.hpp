#pragma once

#include <nlohmann/json.hpp>

namespace heddle::cli {

/// The output of `heddle info --json`: the targets of this machine, its processor and GPUs with the
/// bandwidths of their memory, and the versions of the libraries.
nlohmann::ordered_json machine_description();

}  // namespace heddle::cli
