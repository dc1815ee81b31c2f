#pragma once

// Moved to <heddle/support/rows_in_order.hpp>.
#include <heddle/support/rows_in_order.hpp>
