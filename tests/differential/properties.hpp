#pragma once

#include "choices.hpp"

#include <vector>

/// What holds for every case, by the patterns that it is about.
namespace heddle::tests::differential {

std::vector<property> reductions();
std::vector<property> scans();
std::vector<property> orders();
std::vector<property> selections();
std::vector<property> statistics();
std::vector<property> elementwise();
std::vector<property> numerics();
std::vector<property> files();
std::vector<property> user_types();
std::vector<property> patterns_over_ranks();
std::vector<property> simulations();
std::vector<property> flows();
std::vector<property> pictures();
std::vector<property> random_numbers();

}  // namespace heddle::tests::differential
