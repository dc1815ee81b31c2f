#pragma once

// Moved to <heddle/support/number_text.hpp>.
#include <heddle/support/number_text.hpp>
