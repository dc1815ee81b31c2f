#pragma once

#include <heddle_device/pipeline_primitives.hpp>
