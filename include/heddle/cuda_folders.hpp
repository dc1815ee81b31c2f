#pragma once

// Moved to <heddle/support/cuda_folders.hpp>.
#include <heddle/support/cuda_folders.hpp>
