#include "checker/program/program_runtime.hpp"
#include "checker/program/unfinished_work.hpp"

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

/// Streams and events: what orders a program's work.
namespace heddle::checker {
namespace {

thread_local int callbacks = 0;  // of streams, that the present thread of the host is in

}  // namespace

int program_runtime::make_stream(void** stream, bool is_blocking) {
  const auto lock = lock_unless_in_kernel();
  *stream = order_.make_stream(is_blocking, present_device());
  return fail(0);
}

int program_runtime::end_stream(void* stream) {
  const auto lock = lock_unless_in_kernel();
  if (const auto refused = graphs_.refuse_end_of_stream(stream)) return *refused;
  return fail(order_.end_stream(stream) ? 0 : heddle_device::cuda_error::invalid_resource_handle);
}

int program_runtime::wait_for_stream(void* stream) {
  const auto lock = lock_unless_in_kernel();
  if (!order_.is_stream(stream)) return fail(heddle_device::cuda_error::invalid_resource_handle);
  if (const auto refused = graphs_.refuse_wait_for_stream(stream, "the host waits for")) return *refused;
  let_host_wait_for(stream);
  return fail(0);
}

int program_runtime::make_stream_wait(void* stream, void* event, bool is_external) {
  const auto lock = lock_unless_in_kernel();
  if (!order_.is_stream(stream) || !order_.is_event(event))
    return fail(heddle_device::cuda_error::invalid_resource_handle);
  if (const auto taken = graphs_.take_wait(stream, event, is_external)) return *taken;
  order_.make_wait(stream, event);
  return fail(0);
}

int program_runtime::make_event(void** event, bool is_timed) {
  const auto lock = lock_unless_in_kernel();
  *event = order_.make_event(is_timed, present_device());
  return fail(0);
}

int program_runtime::end_event(void* event) {
  const auto lock = lock_unless_in_kernel();
  graphs_.forget_event(event);
  return fail(order_.end_event(event) ? 0 : heddle_device::cuda_error::invalid_resource_handle);
}

int program_runtime::record(void* event, void* stream, bool is_external) {
  const auto lock = lock_unless_in_kernel();
  if (!order_.is_stream(stream) || !order_.is_event(event) ||
      order_.device_of(stream) != order_.device_of_event(event))
    return fail(heddle_device::cuda_error::invalid_resource_handle);
  if (const auto taken = graphs_.take_record(event, stream, is_external)) return *taken;
  order_.record(event, stream);
  return fail(0);
}

int program_runtime::wait_for_event(void* event) {
  const auto lock = lock_unless_in_kernel();
  if (!order_.is_event(event)) return fail(heddle_device::cuda_error::invalid_resource_handle);
  if (const auto refused = graphs_.refuse_wait_for_event(event)) return *refused;
  let_host_wait([&] { order_.wait_for_event(event); });
  return fail(0);
}

int program_runtime::elapsed(float* milliseconds, void* from, void* to) {
  const auto lock = lock_unless_in_kernel();
  const bool is_known = order_.is_event(from) && order_.is_event(to);
  return fail(is_known && order_.elapsed(from, to, *milliseconds)
                  ? 0
                  : heddle_device::cuda_error::invalid_resource_handle);
}

int program_runtime::wait_for_device() {
  const auto lock = lock_unless_in_kernel();
  if (const auto refused = graphs_.refuse_wait_for_device()) return *refused;
  let_host_wait([&] { order_.wait_for_device(present_device()); });
  return lasting_error_;
}

int program_runtime::reset_device() {
  const auto lock = lock_unless_in_kernel();
  const int device = present_device();
  let_host_wait([&] { order_.wait_for_device(device); });
  const std::vector<std::uintptr_t> at = call_stack();
  devices_.close_peers_of(device);
  for (allocation* const a : memory_->live()) {
    if (a->device != device) continue;
    a->freed_at = at;
    pools_.forget(*a);
    memory_->free(*a);
  }
  return fail(0);
}

int program_runtime::call_host(void* stream, void (*function)(void*), void* data) {
  {
    const auto lock = lock_unless_in_kernel();
    if (!order_.is_stream(stream)) return fail(heddle_device::cuda_error::invalid_resource_handle);
    heddle_device::node_request what{};
    what.kind = heddle_device::node_kind::host;
    what.function = function;
    what.data = data;
    if (const auto taken = graphs_.take(stream, what)) return *taken;
  }
  return call_host_now(stream, function, data);
}

int program_runtime::call_host_now(void* stream, void (*function)(void*), void* data) {
  const auto call = [function, data] {
    ++callbacks;
    function(data);
    --callbacks;
  };
  {
    const auto lock = lock_unless_in_kernel();
    go_on_with_all();
    const auto when = order_.enqueue(stream);
    const stream_order::times known = order_.known(stream);
    std::vector<std::uint64_t> before = work_before(stream);
    if (!before.empty()) {
      do_after(std::move(before), when, [this, call, known] {
        const origin_scope own_code(nullptr);
        order_.begin_callback(known);
        // It may wait for threads that call the runtime.
        mutex_.unlock();
        call();
        mutex_.lock();
      });
      return fail(0);
    }
    order_.begin_callback(known);
  }
  call();
  return fail(0);
}

/// Whether the present thread of the host knows that it is done: a function that a stream calls does, and so
/// may what it starts or tells.
bool program_runtime::is_done(const pending_operation& p) const {
  if (order_.is_done(p.when)) return true;
  const bool may_be_called = callbacks > 0 || std::this_thread::get_id() != main_thread_;
  return may_be_called && order_.is_before_callback(p.when);
}

void program_runtime::note_pending(const stream_order::operation& when, concurrent_work work) {
  pending_.push_back({when, std::move(work)});
}

std::vector<program_runtime::pending_operation> program_runtime::work_beside(void* stream) const {
  std::vector<pending_operation> result;
  for (const pending_operation& p : pending_) {
    if (!order_.is_done(p.when) && !order_.comes_before(p.when, stream))
      result.push_back(seen_from(order_.device_of(stream), p));
  }
  return result;
}

program_runtime::pending_operation program_runtime::seen_from(int device, pending_operation p) const {
  if (order_.device_of(p.when) != device) {
    p.work.is_on_other_device = true;
    p.work.why = different_devices;
  }
  return p;
}

}  // namespace heddle::checker
