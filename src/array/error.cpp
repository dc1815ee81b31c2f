#include "array/on_behalf_of.hpp"
#include <heddle/error.hpp>
#include <heddle/target.hpp>

#include <string_view>

#include <fmt/core.h>

namespace heddle {
namespace {

thread_local const operation* innermost = nullptr;

}  // namespace

void fail(const std::string& message) {
  if (innermost == nullptr) throw error(message);
  innermost->fail(message);
}

operation::operation(const char* pattern, std::size_t elements, const char* type) noexcept
    : pattern_(pattern), elements_(elements), type_(type), around_(innermost) {
  innermost = this;
}

operation::~operation() {
  innermost = around_;
}

void operation::fail(const std::string& message) const {
  // The outermost pattern is the one that the user called; this one, and the innermost place, are where it
  // went wrong.
  const operation* called = this;
  const target* where = where_;
  for (; called->around_ != nullptr; called = called->around_) {
    if (where == nullptr) where = called->around_->where_;
  }
  const std::string place = where == nullptr ? "" : " on " + where->text();
  const bool is_within = std::string_view(pattern_) != called->pattern_;
  const std::string within =
      is_within ? fmt::format(" in {} of {} {}:", pattern_, elements_, type_) : std::string();
  throw error(fmt::format("{}: {} {}{}:{} {}", called->pattern_, called->elements_, called->type_, place,
                          within, message));
}

const operation* operation::current() noexcept {
  return innermost;
}

impl::on_behalf_of::on_behalf_of(const operation* caller) noexcept : before_(innermost) {
  innermost = caller;
}

impl::on_behalf_of::~on_behalf_of() {
  innermost = before_;
}

}  // namespace heddle
