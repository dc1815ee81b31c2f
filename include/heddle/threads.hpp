#pragma once

#include <heddle/function_ref.hpp>

#include <cstddef>

/// The threads that the patterns of `target::parallel` share, for loops of your own.
namespace heddle::cpu {

/// Calls f(first, last) on slices that together cover 0 … count−1, each once, on up to `threads` threads, and
/// returns when all have returned. A slice holds at least `grain` indices, so less than two grains run on the
/// calling thread. An exception from f is thrown again here.
void for_slices(int threads, std::size_t count, std::size_t grain,
                function_ref<void(std::size_t first, std::size_t last)> f);

/// Calls f() `calls` times on up to `threads` threads, some of them perhaps one after another, and returns
/// when all have returned. Threads may wait for each other inside f: a thread that waits for parallel work
/// which f starts takes no other call of f meanwhile. An exception from f is thrown again here.
void on_threads(int threads, std::size_t calls, function_ref<void()> f);

/// How many threads the system gives at once, of `wanted` with this one; fewer by some where it refuses one,
/// which other code may end the process for.
std::size_t threads_given(std::size_t wanted);

}  // namespace heddle::cpu
