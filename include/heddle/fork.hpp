#pragma once

// Moved to <heddle/support/fork.hpp>.
#include <heddle/support/fork.hpp>
