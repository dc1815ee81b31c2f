#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace heddle {

class target;

/// The exception of every Heddle function: one line naming the operation, the sizes, the place and the
/// remedy.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws heddle::error with the message. Inside an `operation`, its name, size and target come first.
[[noreturn]] void fail(const std::string& message);

/// While it lives, names what the calling thread does, so that an error deep inside, such as a refused
/// allocation, reads `reduce: 4294967296 float64 on gpu:0: out of memory …`. When operations nest, the
/// message begins with the outermost.
///
///     hd::operation running("life", cells, "cells");
///     running.runs_on(where);
class operation {
 public:
  /// `pattern` works on so many elements of a type. The strings are not copied: pass literals or names that
  /// outlive the operation.
  operation(const char* pattern, std::size_t elements, const char* type) noexcept;
  ~operation();
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  /// Names the target, which must outlive the operation.
  void runs_on(const target& where) noexcept { where_ = &where; }

  /// The innermost operation of the calling thread; null for none.
  static const operation* current() noexcept;

  [[noreturn]] void fail(const std::string& message) const;

 private:
  const char* pattern_;
  std::size_t elements_;
  const char* type_;
  const target* where_ = nullptr;
  const operation* around_;
};

}  // namespace heddle
