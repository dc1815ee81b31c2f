#pragma once
#pragma GCC system_header

/// Replacements of Thrust's containers, iterators and algorithms. What runs on the device is watched there.

#include "../cccl.hpp"
#include "../host/in_host_source.hpp"
#include "../names_begin.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>
// Not before the macros are put away.
#include "../names_end.hpp"
#include "shuffles.hpp"

#define THRUST_VERSION 300001
#define THRUST_MAJOR_VERSION 3
#define THRUST_MINOR_VERSION 0
#define THRUST_SUBMINOR_VERSION 1
#define THRUST_PATCH_NUMBER 0
