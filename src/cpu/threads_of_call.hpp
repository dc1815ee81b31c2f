#pragma once

#include <heddle/support/function_ref.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle::cpu {

/// Bytes of a thread's stack, also of oneTBB's workers.
constexpr std::size_t stack_bytes = std::size_t{4} << 20;

/// When the threads of a call start: all before its first slice, or one after another as the call lasts.
enum class threads_start : std::uint8_t { at_once, as_it_lasts };

/// Calls work(0), …, work(slices − 1) in a process that has no thread pool: on the calling thread, and on up
/// to threads − 1 others, which end with the call. Fewer threads work if the system refuses some. A call
/// inside work runs on its own thread. Rethrows the first exception of work.
void share_out_to_new_threads(int threads, std::size_t slices, threads_start start,
                              function_ref<void(std::size_t)> work);

}  // namespace heddle::cpu
