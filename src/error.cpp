#include <heddle/error.hpp>
#include <heddle/target.hpp>

#include <algorithm>

#include <fmt/core.h>

namespace heddle::detail {
namespace {

struct frame {
  const char* pattern;
  std::size_t elements;
  const char* type;
  const target* where;
};

// Patterns call patterns a few deep; what is nested deeper than this is counted and not named.
constexpr int most_frames = 8;
thread_local frame frames[most_frames];
thread_local int depth = 0;

}  // namespace

void fail(const std::string& message) {
  if (depth == 0) throw error(message);
  // The outermost pattern is the one that the user called; the innermost place is where it went wrong.
  const target* where = nullptr;
  for (int i = 0; i < std::min(depth, most_frames); ++i) {
    if (frames[i].where != nullptr) where = frames[i].where;
  }
  const frame& called = frames[0];
  throw error(fmt::format("{}: {} {}{}{}: {}", called.pattern, called.elements, called.type,
                          where == nullptr ? "" : " on ", where == nullptr ? "" : where->text(), message));
}

operation::operation(const char* pattern, std::size_t elements, const char* type) noexcept {
  if (depth < most_frames) frames[depth] = {pattern, elements, type, nullptr};
  ++depth;
}

operation::~operation() {
  --depth;
}

void operation::runs_on(const target& where) noexcept {
  if (depth <= most_frames) frames[depth - 1].where = &where;
}

}  // namespace heddle::detail
