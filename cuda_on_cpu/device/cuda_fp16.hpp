#pragma once

// All of it is there without being included, but in files of C and C++.
#include "heddle_device/host/in_host_source.hpp"
