#pragma once

#include "buffers.hpp"
#include <heddle/dtype.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace heddle::cli::bench {

/// The patterns that are measured: a reduction of x, its inclusive scan, and x + 1.
enum class pattern { reduce, scan, transform };

/// The work of every contender of one row group: which pattern, where, and on which elements.
struct workload {
  enum pattern pattern;
  runtime_op combine;  ///< plus or maximum, by which a reduction and a scan go; plus for a transform
  target where;
  dtype type;
  std::size_t n;
  const buffers* elements;

  std::size_t input_bytes() const noexcept { return n * size_of(type); }
  /// The bytes that the pattern reads and writes.
  std::size_t bytes() const noexcept { return (pattern == pattern::reduce ? 1 : 2) * input_bytes(); }
};

/// One way to do the work, which is timed.
struct contender {
  enum class kind { algorithm, peer, ceiling };

  std::string name;
  enum kind kind;
  std::size_t bytes;  ///< read and written by a call

  /// Makes calls number first, first+1, …, first+count−1, each on the buffers of its number. On a GPU their
  /// work is put on the target's stream.
  std::function<void(std::size_t first, std::size_t count)> calls;

  /// A call as a program makes it that waits for what it gives, for a GPU where `calls` does not do that;
  /// null where one of `calls` and a wait for the stream is all.
  std::function<void(std::size_t call)> whole_call = nullptr;
};

/// `contender::calls` of a function that makes one call.
template <class Call>
std::function<void(std::size_t, std::size_t)> repeated(Call call) {
  return [call](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) call(i);
  };
}

using contenders = std::vector<contender>;

}  // namespace heddle::cli::bench
