#pragma once

// Moved to <heddle/support/process.hpp>.
#include <heddle/support/process.hpp>
