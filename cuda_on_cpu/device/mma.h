#pragma once

#include <heddle_device/wmma.hpp>
