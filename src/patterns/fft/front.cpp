#include "patterns/fft/cpu.hpp"
#include "patterns/fft/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/fft.hpp>

#include <algorithm>

#include <fmt/core.h>

namespace heddle::impl {

shape fft_task::result() const {
  switch (kind) {
    case fft_kind::real_forward:
      return lengths.with_length(axes.back(), real_length / 2 + 1);
    case fft_kind::real_inverse:
      return lengths.with_length(axes.back(), real_length);
    default:
      return lengths;
  }
}

fft_task task_of(fft_kind kind, bool is_double, const shape& lengths, const fft_axes& axes,
                 std::size_t real_length) {
  if (axes.empty()) fail("fft: no axis is given");
  fft_task task{kind, is_double, lengths, {}};
  for (const std::ptrdiff_t axis : axes) {
    const std::size_t resolved = lengths.resolve_axis(axis);
    if (std::find(task.axes.begin(), task.axes.end(), resolved) != task.axes.end())
      fail(fmt::format("fft: axis {} is given twice", axis));
    if (lengths[resolved] == 0)
      fail(fmt::format("fft: axis {} of shape {} has no elements", axis, lengths.text()));
    task.axes.push_back(resolved);
  }
  const std::size_t last = lengths[task.axes.back()];
  if (kind == fft_kind::real_forward) task.real_length = last;
  if (kind == fft_kind::real_inverse) {
    task.real_length = real_length == 0 ? 2 * (last - 1) : real_length;
    if (task.real_length == 0 || task.real_length / 2 + 1 != last) {
      fail(fmt::format(
          "fft: {} complex elements along axis {} are no transform of {} real ones: they are that of {}{}",
          last, axes.back(), task.real_length, last == 1 ? "" : fmt::format("{} or ", 2 * (last - 1)),
          2 * last - 1));
    }
  }
  return task;
}

void fail_fft_output(const shape& have, const shape& result) {
  fail(fmt::format("the output has shape {}, where the result has {}", have.text(), result.text()));
}

void library_fft(const fft_task& task, const void* x, void* out, const target& where) {
  if (task.result().elements() == 0) return;
  if (where.is_gpu()) return gpu::fft(task, x, out, where);
  cpu::fft(where.threads(), task, x, out);
}

}  // namespace heddle::impl
