#pragma once

// Moved to <heddle/support/halo_exchange.hpp>.
#include <heddle/support/halo_exchange.hpp>
