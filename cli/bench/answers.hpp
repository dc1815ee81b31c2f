#pragma once

#include "contender.hpp"

namespace heddle::cli::bench {

/// Whether there is a loop for elements of the type: for all but bool.
bool has_answer(dtype type) noexcept;

/// Makes one call of `what`, which is one of Heddle's own, and compares what it computes with a plain loop
/// over the same elements. Integers have to be the same, as they wrap; floating-point numbers may differ by
/// what the order of additions leaves. Throws heddle::error with the first element that is wrong.
void check_against_loop(const workload& work, const contender& what);

}  // namespace heddle::cli::bench
