#pragma once

namespace heddle::jit {

/// Where the headers of the device language are in Heddle's own sources.
extern const char* const device_source_folder;

}  // namespace heddle::jit
