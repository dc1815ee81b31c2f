#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace heddle {

class target;

/// What every Heddle function throws: one line naming the operation, the sizes, the place and the remedy.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws heddle::error with the message, which inside an `operation` follows the operation's name, size and
/// place.
[[noreturn]] void fail(const std::string& message);

/// Names what the calling thread does while it lives, so that an error raised far below, such as a refused
/// allocation, reads `reduce: 4294967296 float64 on gpu:0: out of memory …`. Of operations that nest, the
/// outermost begins the message.
///
///     hd::operation running("life", cells, "cells");
///     running.runs_on(where);
class operation {
 public:
  /// `pattern` works on so many elements of a type. The strings are kept by reference: pass literals or names
  /// that outlive the operation.
  operation(const char* pattern, std::size_t elements, const char* type) noexcept;
  ~operation();
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  /// Names the place; `where` is kept by reference.
  void runs_on(const target& where) noexcept { where_ = &where; }

  /// What the calling thread is in; null for nothing.
  static const operation* current() noexcept;

  [[noreturn]] void fail(const std::string& message) const;

 private:
  const char* pattern_;
  std::size_t elements_;
  const char* type_;
  const target* where_ = nullptr;
  const operation* around_;
};

namespace impl {

/// While this lives, the calling thread works for the thread that is in `caller`.
class on_behalf_of {
 public:
  explicit on_behalf_of(const operation* caller) noexcept;
  ~on_behalf_of();
  on_behalf_of(const on_behalf_of&) = delete;
  on_behalf_of& operator=(const on_behalf_of&) = delete;

 private:
  const operation* before_;
};

}  // namespace impl
}  // namespace heddle
