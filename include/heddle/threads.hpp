#pragma once

// Moved to <heddle/support/threads.hpp>.
#include <heddle/support/threads.hpp>
