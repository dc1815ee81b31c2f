#include "cuda_on_cpu/compile/source_folder.hpp"

// A file of its own, as what names a checkout is compiled anew in each.
namespace heddle::cuda_on_cpu {

const char* const device_source_folder = HEDDLE_DEVICE_SOURCE_FOLDER;

}  // namespace heddle::cuda_on_cpu
