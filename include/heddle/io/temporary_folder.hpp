#pragma once

// Moved to <heddle/support/temporary_folder.hpp>.
#include <heddle/support/temporary_folder.hpp>
