#pragma once

#include "checker/engine/module.hpp"
#include "checker/program/program.hpp"
#include "checker/report/finding.hpp"
#include "checker/report/profile.hpp"
#include "cuda_on_cpu/compile/compilation.hpp"

#include <string>
#include <vector>

namespace heddle::checker {

/// Gives each place of findings that only an instruction is known of its file, line and function: those of
/// the source itself, where the instruction belongs to what a header of the device language, or of the C++
/// library, was inlined for. Then findings that are the same by their lines become one.
///
/// What was compiled lies at `base`. Places of the host are in the program's own files, as far as what called
/// what is known.
void find_lines(const cuda_on_cpu::compilation& compiled, std::uintptr_t base,
                std::vector<finding>& findings);

/// What was profiled, by lines, in their order.
std::vector<line_profile> profile_lines(const module& compiled,
                                        const std::vector<instruction_profile>& instructions);

/// The same of a program's launches, and where each of them was called.
void find_lines(const std::string& path, std::uintptr_t base, std::vector<launch_profile>& profiles);

}  // namespace heddle::checker
