#pragma once

#include "checker/engine/launch_memory.hpp"
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>

#include <string>
#include <vector>

namespace heddle::checker {

/// Reads an argument of a kernel: a number, `i32:7`; a vector or a structure, `f32:1,2,3` or `i32:7,f32:0.5`,
/// whose members lie as C++ lays them out; or an array, `f32[1024]` that nothing was written to, or
/// one with values, `=zeros`, `=arange`, `=random:SEED` (numbers in [0, 1), or all values of an integer type)
/// or `=FILE.npy`; `:out=FILE.npy` at the end of an array names where it goes afterwards. Types are bool, i8,
/// i16, i32, i64, u8, u16, u32, u64, f16, f32 and f64. Throws argument_error, and heddle::error for a file
/// that cannot be read.
argument parse_argument(const std::string& text);

/// As for a compiled kernel, where its parameters are known.
void check_arguments(const kernel_function& kernel, const std::vector<argument>& arguments);

/// Writes each array to the .npy file that its argument names, where it names one.
void write_outputs(const std::vector<argument>& arguments);

}  // namespace heddle::checker
