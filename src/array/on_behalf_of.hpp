#pragma once

#include <heddle/error.hpp>

namespace heddle::impl {

/// While it lives, the calling thread works for another thread, whose innermost operation is `caller`.
class on_behalf_of {
 public:
  explicit on_behalf_of(const operation* caller) noexcept;
  ~on_behalf_of();
  on_behalf_of(const on_behalf_of&) = delete;
  on_behalf_of& operator=(const on_behalf_of&) = delete;

 private:
  const operation* before_;
};

}  // namespace heddle::impl
