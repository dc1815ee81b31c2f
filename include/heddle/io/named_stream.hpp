#pragma once

// Moved to <heddle/support/named_stream.hpp>.
#include <heddle/support/named_stream.hpp>
