#pragma once
#pragma GCC system_header

/// Replacements of CUB's calls of warps, blocks and the device. What they access is watched.

#include "../cccl.hpp"
#include "../host/in_host_source.hpp"
#include "../names_begin.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>
// Not before the macros are put away.
#include "../names_end.hpp"
#include "device_select.hpp"

#define CUB_MAJOR_VERSION 3
#define CUB_MINOR_VERSION 0
#define CUB_SUBMINOR_VERSION 1
#define CUB_PATCH_NUMBER 0
#define CUB_VERSION 300001
