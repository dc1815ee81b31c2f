#pragma once

// Moved to <heddle/support/function_ref.hpp>.
#include <heddle/support/function_ref.hpp>
