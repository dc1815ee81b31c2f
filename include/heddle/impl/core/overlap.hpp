#pragma once

#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::impl {

/// Throws when bytes of an output are bytes of an input too: what a pattern that cannot work in place checks.
void check_apart(const void* x, std::size_t x_bytes, const target& x_where, const void* out,
                 std::size_t out_bytes, const target& out_where);

}  // namespace heddle::impl
