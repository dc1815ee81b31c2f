#pragma once

// Moved to <heddle/support/simd.hpp>.
#include <heddle/support/simd.hpp>
