#pragma once

#include <heddle/any_array.hpp>
#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>
#include <heddle/support/atomic_file.hpp>

#include <cstddef>
#include <string>

namespace heddle::cli {

/// The .npy file that a result goes to. It is opened before the work begins, so that a place that cannot be
/// written to is known at once, and is there once it is complete.
class npy_output {
 public:
  explicit npy_output(const std::string& path) : file_(path) {}

  /// Writes the header. Throws where there is no room for them.
  void begin(dtype type, const shape& lengths);

  /// Writes the next elements, and stops at a signal.
  void append(const void* elements, std::size_t bytes);

  /// Puts the complete file in its place.
  void commit();

  /// All of it but the commit, with progress.
  void fill(dtype type, const shape& lengths, const void* data, bool quiet);

  /// The same with the commit.
  void write(dtype type, const shape& lengths, const void* data, bool quiet);

 private:
  atomic_file file_;
};

/// The bytes of a result where a file can be written from: themselves, or a copy of what is on a GPU. Stops
/// at a signal.
any_array brought_to_cpu(any_array result);

}  // namespace heddle::cli
