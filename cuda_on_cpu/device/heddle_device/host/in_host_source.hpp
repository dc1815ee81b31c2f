#pragma once

/// Of files that are no CUDA: what its headers declare for the host, where one of them is included.

#ifdef HEDDLE_HOST_SOURCE
#ifndef __cplusplus
#error "heddle: CUDA in a file of C is compiled as C++"
#endif
#include "../language.hpp"
#include "../names_begin.hpp"
#include "../names_end.hpp"
#endif
