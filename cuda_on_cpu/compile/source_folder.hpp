#pragma once

namespace heddle::cuda_on_cpu {

/// Where the headers of the device language are in Heddle's own sources.
extern const char* const device_source_folder;

}  // namespace heddle::cuda_on_cpu
