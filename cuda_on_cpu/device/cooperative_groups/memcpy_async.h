#pragma once

#include <heddle_device/copies_of_groups.hpp>
