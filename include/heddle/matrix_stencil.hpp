#pragma once

// Moved to <heddle/support/matrix_stencil.hpp>.
#include <heddle/support/matrix_stencil.hpp>
