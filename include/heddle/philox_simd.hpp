#pragma once

// Moved to <heddle/support/philox_simd.hpp>.
#include <heddle/support/philox_simd.hpp>
