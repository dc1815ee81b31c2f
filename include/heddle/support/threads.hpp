#pragma once

#include <heddle/support/function_ref.hpp>

#include <cstddef>

/// The thread pool of `target::parallel`, for your own loops.
namespace heddle::cpu {

/// Calls f(first, last) on slices that cover each of 0 … count−1 once, on up to `threads` threads, and
/// returns when all calls have returned. A slice holds at least `grain` indices, so fewer than 2·grain run on
/// the calling thread. Rethrows an exception of f.
void for_slices(int threads, std::size_t count, std::size_t grain,
                function_ref<void(std::size_t first, std::size_t last)> f);

/// Calls f() `calls` times on up to `threads` threads, perhaps some calls one after another, and returns when
/// all have returned. Threads may wait for each other inside f: a thread that waits for parallel work that f
/// starts takes no other call of f meanwhile. Rethrows an exception of f.
void on_threads(int threads, std::size_t calls, function_ref<void()> f);

/// How many of `wanted` threads, the calling one included, the system allows at once. Where it refuses one, a
/// few fewer: other code may end the process when a thread is refused.
std::size_t threads_given(std::size_t wanted);

}  // namespace heddle::cpu
