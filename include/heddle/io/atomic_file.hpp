#pragma once

// Moved to <heddle/support/atomic_file.hpp>.
#include <heddle/support/atomic_file.hpp>
