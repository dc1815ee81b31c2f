#pragma once

// Moved to <heddle/support/launch.cuh>.
#include <heddle/support/launch.cuh>
