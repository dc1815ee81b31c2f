#include <heddle/impl/core/array_view.hpp>
#include <heddle/impl/core/call_along_lines.hpp>

#include <utility>

namespace heddle::impl {

call_along_lines::call_along_lines(const char* pattern, untyped_elements x, const axis* along_axis)
    : x_(std::move(x)), running_(pattern, x_.size, x_.type), lines_{1, x_.size, 1} {
  if (along_axis == nullptr) return;
  axis_ = x_.lengths.resolve_axis(along_axis->index);
  lines_ = along(x_.lengths, *axis_);
}

void call_along_lines::choose_target(const target& requested, const passes& work) {
  const std::size_t all = x_.bytes();
  where_ = resolve(requested, {work.read * all, work.written * all + work.bytes_a_line * lines_.count(),
                               x_.where, work.gpu_possible});
  running_.runs_on(where_);
}

void call_along_lines::check_output(const untyped_elements& out) const {
  if (out.size != x_.size) fail_sizes("the output", out.size, x_.size);
  check_in_place(x_.as_bytes(), out.as_bytes());
}

const void* call_along_lines::data() {
  if (!staged_) staged_.emplace(x_.as_bytes(), where_);
  return staged_->data();
}

shape call_along_lines::without_lines() const {
  return axis_ ? x_.lengths.without_axis(*axis_) : shape{};
}

shape call_along_lines::with_lines_of(std::size_t length) const {
  return axis_ ? x_.lengths.with_length(*axis_, length) : shape{length};
}

}  // namespace heddle::impl
