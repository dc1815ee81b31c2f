#include "checker/engine/engine.hpp"
#include "checker/program/unfinished_work.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

/// What a program copies and fills.
namespace heddle::checker {

namespace errors = heddle_device::cuda_error;

namespace {

// cudaMemcpyKind.
enum direction : int { host_to_host, host_to_device, device_to_host, device_to_device, by_addresses };

}  // namespace

std::uint64_t program_runtime::box::span() const {
  return width == 0 || height == 0 || depth == 0 ? 0 : (depth - 1) * slice + (height - 1) * pitch + width;
}

program_runtime::side program_runtime::side_of(std::uintptr_t address) {
  side s;
  s.of = memory_->find(address);
  s.is_device_only =
      memory_->is_in_device_half(address) || (s.of != nullptr && s.of->kind == memory_kind::device);
  s.is_host_only = s.of == nullptr && !s.is_device_only;
  return s;
}

void program_runtime::copy_of_heap(const char* function, const box& b, bool writes) {
  if (!heap_.has(b.begin)) return;
  bool is_unset = !writes;
  bool is_outside = false;
  b.for_each_row([&](std::uint64_t offset) {
    const std::uintptr_t row = b.begin + offset;
    if (is_outside) return;
    is_outside = !heap_.is_inside(row, b.width);
    if (is_outside) return;
    if (writes) heap_.note_written(row, b.width);
    is_unset = is_unset && heap_.is_unset(row, b.width);
  });
  const auto near = heap_.nearest(b.begin);
  if (!near || (!is_outside && !is_unset)) return;
  finding f{};
  f.kind = !is_outside      ? finding_kind::uninitialised_read
           : near->is_freed ? finding_kind::use_after_free
                            : finding_kind::invalid_copy;
  f.places.push_back(host_place(fmt::format("calls {}", function)));
  f.places.push_back(host_place("allocates it", {near->made_at}));
  if (near->is_freed) f.places.push_back(host_place("frees it", {near->freed_at}));
  f.detail = fmt::format("{} bytes {} byte {} on of an allocation of the host's of {} bytes{}", b.span(),
                         writes ? "to it from" : "from", static_cast<std::int64_t>(b.begin - near->begin),
                         near->bytes, is_outside ? "" : ", of which nothing was ever written");
  report(std::move(f));
}

bool program_runtime::is_beyond(const char* function, int device, const side& s, const box& b,
                                const char* direction) {
  const std::uint64_t bytes = b.span();
  const auto fails = [&](finding_kind kind, std::string detail) {
    report_api(kind, s.of, fmt::format("calls {}", function), std::move(detail));
    return true;
  };
  if (b.begin < 4096)
    return fails(finding_kind::invalid_copy, fmt::format("it copies {} a null pointer", direction));
  if (s.of == nullptr) {
    return s.is_device_only && fails(finding_kind::invalid_copy,
                                     fmt::format("address {:#x} is of no allocation of the device", b.begin));
  }
  if (s.of->is_freed)
    return fails(finding_kind::use_after_free,
                 fmt::format("{} bytes {} {}, which is freed", bytes, direction, text_of(*s.of)));
  if (s.of->is_mapped && !devices_.reaches(device, *s.of))
    return fails(finding_kind::invalid_copy,
                 fmt::format("{} bytes {} {}, which cuMemSetAccess has not opened to device {}", bytes,
                             direction, text_of(*s.of), device));
  const region& r = s.of->memory;
  if (r.has(b.begin, bytes)) return false;
  const auto from_begin = static_cast<std::int64_t>(b.begin - r.begin);
  const std::string place = from_begin == 0  ? fmt::format("which has {}", r.bytes)
                            : from_begin < 0 ? fmt::format("from {} before its first on", -from_begin)
                                             : fmt::format("from {} on, which has {}", from_begin, r.bytes);
  return fails(finding_kind::invalid_copy,
               fmt::format("{} bytes {} {}, {}", bytes, direction, text_of(*s.of), place));
}

void program_runtime::note_filled(const box& b) {
  for (unwritten_read& r : unwritten_reads_)
    r.is_filled_since |= r.address >= b.begin && r.address - b.begin < b.span();
}

int program_runtime::refuse_copy(const char* function, const void* memory) {
  const auto lock = lock_unless_in_kernel();
  const allocation* const a = memory_->find(address_of(memory));
  report_api(finding_kind::invalid_copy, a, fmt::format("calls {}", function),
             a == nullptr ? "an array is copied that was never made, or both ends of the copy are given twice"
                          : fmt::format("{} does not have all of the rows, columns and slices", text_of(*a)));
  return fail(errors::invalid_value);
}

template <class ByKernel, class ByHost>
int program_runtime::put(void* stream, const heddle_device::node_request& node, ByKernel by_kernel,
                         ByHost by_host) {
  const auto lock = lock_unless_in_kernel();
  if (now.thread != nullptr) return by_kernel();
  if (lasting_error_ != 0) return lasting_error_;
  if (!order_.is_stream(stream)) return fail(errors::invalid_resource_handle);
  if (const auto taken = graphs_.take(stream, node)) return *taken;
  return by_host();
}

void program_runtime::let_host_wait_for(void* stream) {
  let_host_wait([&] { order_.wait_for_stream(stream); });
}

int program_runtime::copy(const heddle_device::copy_request& q) {
  heddle_device::node_request node{};
  node.kind = heddle_device::node_kind::copy;
  node.copy = q;
  return put(q.stream, node, [&] { return copy_by_kernel(q); }, [&] { return copy_now(q, true); });
}

int program_runtime::copy_now(const heddle_device::copy_request& q, bool host_may_wait) {
  ++operations_;
  if ((q.height > 1 || q.depth > 1) && (q.width > q.to_pitch || q.width > q.from_pitch)) {
    report_api(finding_kind::invalid_copy, nullptr, fmt::format("calls {}", q.function),
               fmt::format("rows of {} bytes, with {} and {} from one to the next", q.width, q.to_pitch,
                           q.from_pitch));
    return fail(errors::invalid_pitch);
  }
  const auto begin = [&](const void* p) {
    return memory_->instances().between_launches(address_of(p), present_device());
  };
  const box to{begin(q.to), q.width, q.height, q.depth, q.to_pitch, q.to_slice};
  const box from{begin(q.from), q.width, q.height, q.depth, q.from_pitch, q.from_slice};
  const side target = side_of(to.begin), source = side_of(from.begin);
  const bool waits = host_may_wait && is_waited_for(q, target, source);
  note_filled(to);
  if (waits && !unfinished_.empty()) let_host_wait_for(q.stream);
  if (lasting_error_ != 0) return lasting_error_;
  go_on_with_all();
  if (to.span() != 0) {
    if (const int error = check_copy(q, {target, to}, {source, from}); error != 0) return fail(error);
  }
  const auto when = enqueue(q.stream, {{target, to}, {source, from}});
  std::vector<std::uint64_t> before = work_before(q.stream);
  std::vector<std::byte> staged;
  if (source.is_host_only && host_may_wait && !before.empty()) staged = stage(q.function, from);
  do_after(std::move(before), when,
           [this, function = q.function, device = order_.device_of(q.stream), to, from,
            staged = std::move(staged)] {
             if (to.span() != 0) move_bytes(function, device, to, from, staged);
           });
  use_memory(q.function, when, q.stream, target, to, true);
  use_memory(q.function, when, q.stream, source, from, false);
  if (waits) let_host_wait_for(q.stream);
  return fail(0);
}

/// Whether the call returns when the copy is done: where it says so, and to memory that the host has by
/// itself.
bool program_runtime::is_waited_for(const heddle_device::copy_request& q, const side& target,
                                    const side& source) {
  const auto is_of_host = [](const side& s) {
    return s.is_host_only || (s.of != nullptr && s.of->kind >= memory_kind::pinned);
  };
  const bool is_between_devices = target.is_device_only && source.is_device_only;
  return (!q.is_async && !is_between_devices) || target.is_host_only ||
         (is_of_host(target) && is_of_host(source));
}

/// What is wrong with a copy: an error; 0 for nothing.
int program_runtime::check_copy(const heddle_device::copy_request& q, const used_part& target,
                                const used_part& source) {
  const int device = order_.device_of(q.stream);
  const auto is_wrong = [&](const used_part& p, const char* direction) {
    // Of a pool it may come and go before the copy is made, which looks once more.
    const bool is_decided = p.of.of == nullptr || pools_.is_decided(*p.of.of);
    return is_decided && is_beyond(q.function, device, p.of, p.where, direction);
  };
  if (is_wrong(target, "to") || is_wrong(source, "from")) return errors::invalid_value;
  if (const int error = check_devices(q, target, source); error != 0) return error;
  constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                   "cudaMemcpyDeviceToDevice"};
  if (q.direction < host_to_host || q.direction > by_addresses) return errors::invalid_value;
  for (const used_part* const p : {&target, &source}) {
    if (std::string shadow = explain_shadow(p->where.begin); !shadow.empty())
      report_api(finding_kind::invalid_copy, nullptr, fmt::format("calls {}", q.function), std::move(shadow));
  }
  const bool to_device = q.direction == host_to_device || q.direction == device_to_device;
  const bool from_device = q.direction == device_to_host || q.direction == device_to_device;
  const bool wrong_target = to_device ? target.of.is_host_only : target.of.is_device_only;
  const bool wrong_source = from_device ? source.of.is_host_only : source.of.is_device_only;
  if (q.direction == by_addresses || (!wrong_target && !wrong_source)) return 0;
  if (shadows_.has((wrong_target ? target : source).where.begin)) return errors::invalid_value;
  const side& wrong = wrong_target ? target.of : source.of;
  report_api(finding_kind::invalid_copy, wrong.of, fmt::format("calls {}", q.function),
             fmt::format("it says {}, and what it copies {} is memory of the {}{}", names[q.direction],
                         wrong_target ? "to" : "from", wrong.is_host_only ? "host" : "device",
                         wrong.of == nullptr ? "" : ": " + text_of(*wrong.of)));
  return errors::invalid_value;
}

/// Pageable memory is read before the call returns: its rows, one behind the other.
std::vector<std::byte> program_runtime::stage(const char* function, const box& from) {
  copy_of_heap(function, from, false);
  std::vector<std::byte> result;
  from.for_each_row([&](std::uint64_t offset) {
    const auto* const row = reinterpret_cast<const std::byte*>(from.begin + offset);
    result.insert(result.end(), row, row + from.width);
  });
  return result;
}

/// Makes a copy: from `staged`, unless that is empty.
void program_runtime::move_bytes(const char* function, int device, const box& to, const box& from,
                                 const std::vector<std::byte>& staged) {
  const side target = side_of(to.begin), source = side_of(from.begin);
  if (is_beyond(function, device, target, to, "to") ||
      (staged.empty() && is_beyond(function, device, source, from, "from")))
    return;
  // What nothing was written to is told when it leaves the device.
  if (source.is_device_only && !target.is_device_only && source.of != nullptr &&
      !source.of->memory.is_any_written(from.begin - source.of->memory.begin, from.span())) {
    finding f{};
    f.kind = finding_kind::uninitialised_read;
    f.places.push_back(host_place(fmt::format("calls {}", function)));
    name_element(f, source.of->memory, from.begin);
    add_place_of_graph(f);
    add_places_of_memory(f);
    report(std::move(f));
  }
  if (source.is_host_only && staged.empty()) copy_of_heap(function, from, false);
  if (target.is_host_only) copy_of_heap(function, to, true);
  const allocations::opening opened(*memory_);
  std::uint64_t row = 0;
  std::vector<std::uint64_t> sources;
  from.for_each_row([&](std::uint64_t offset) { sources.push_back(offset); });
  to.for_each_row([&](std::uint64_t offset) {
    const std::uint64_t other = sources[row++];
    const void* const bytes = staged.empty() ? reinterpret_cast<const void*>(from.begin + other)
                                             : staged.data() + (row - 1) * to.width;
    std::memmove(reinterpret_cast<void*>(to.begin + offset), bytes, to.width);
    if (target.of == nullptr) return;
    region& r = target.of->memory;
    const std::uint64_t first = to.begin + offset - r.begin;
    if (source.is_device_only && source.of != nullptr) {
      r.copy_written(first, source.of->memory, from.begin + other - source.of->memory.begin, to.width);
    } else {
      r.set_written(first, to.width, true);
      if (target.is_device_only && source.is_host_only) note_objects_of_host(r, first, to.width);
    }
  });
  if (!target.is_device_only && source.is_device_only && source.of != nullptr)
    note_unwritten_copy(function, to, from, source.of->memory);
}

/// A table of virtual functions that the host has put into an object is nothing to a kernel.
void program_runtime::note_objects_of_host(region& r, std::uint64_t first, std::uint64_t size) const {
  constexpr std::uint64_t word = sizeof(std::uintptr_t);
  const auto* const memory = reinterpret_cast<const std::byte*>(r.begin);
  for (std::uint64_t at = (first + word - 1) / word * word; at + word <= first + size; at += word) {
    std::uintptr_t value = 0;
    std::memcpy(&value, memory + at, word);
    if (value >= module_->base() && value < module_->end() && module_->is_virtual_table(value))
      r.forget_written(at, word);
  }
}

std::set<int> program_runtime::used_part::devices() const {
  if (of.of == nullptr || of.of->kind != memory_kind::device) return {};
  return of.of->devices_of(where.begin, where.span());
}

int program_runtime::check_devices(const heddle_device::copy_request& q, const used_part& target,
                                   const used_part& source) {
  if (!q.names_devices) return 0;
  if (!devices_.has(q.to_device) || !devices_.has(q.from_device)) return errors::invalid_device;
  // One that it is of and that is not named.
  const auto elsewhere = [](const used_part& part, int device) -> std::optional<int> {
    for (const int of : part.devices()) {
      if (of != device) return of;
    }
    return std::nullopt;
  };
  const std::optional<int> wrong_target = elsewhere(target, q.to_device);
  const std::optional<int> wrong = wrong_target ? wrong_target : elsewhere(source, q.from_device);
  if (!wrong) return 0;
  const allocation& about = *(wrong_target ? target : source).of.of;
  report_api(finding_kind::invalid_copy, &about, fmt::format("calls {}", q.function),
             fmt::format("it says that it copies {} device {}: {} is memory of device {}",
                         wrong_target ? "to" : "from", wrong_target ? q.to_device : q.from_device,
                         text_of(about), *wrong));
  return errors::invalid_value;
}

/// On the default stream a copy waits for all devices whose memory it uses, and they wait for it.
stream_order::operation program_runtime::enqueue(void* stream, std::initializer_list<used_part> used) {
  std::set<int> devices{order_.device_of(stream)};
  for (const used_part& part : used) devices.merge(part.devices());
  return devices.size() > 1 && stream_order::is_default(stream) ? order_.enqueue_between(stream, devices)
                                                                : order_.enqueue(stream);
}

void program_runtime::use_memory(const char* function, const stream_order::operation& when, void* stream,
                                 const side& s, const box& b, bool writes) {
  if (s.of == nullptr || b.span() == 0) return;
  const place by = host_place(fmt::format("calls {}", function));
  for (const pending_operation& pending : work_beside(stream)) {
    const concurrent_work& other = pending.work;
    std::uintptr_t first = 0;
    b.for_each_row([&](std::uint64_t offset) {
      const std::uintptr_t row = b.begin + offset;
      if (first == 0 && meets(other, s.of->memory, row, b.width, writes ? record::write : 0) != meeting::none)
        first = row;
    });
    if (first == 0) continue;
    finding f{};
    f.kind = finding_kind::data_race;
    f.places = {by, other.by};
    name_element(f, s.of->memory, std::max(first, other.first));
    f.detail = other.why;
    program_graphs::tell_nodes(f, other.by);
    add_place_of_graph(f);
    add_places_of_memory(f);
    report(std::move(f));
    break;
  }
  pending_operation made{when, {by, 0, 0, b.begin, b.begin + b.span(), writes, {}, {}}};
  for (const auto& other : unfinished_) {
    // What a launch does that has begun may follow from what the host does when the copy is done.
    const bool has_begun = other->launch == nullptr || other->launch->runs != nullptr;
    if (!has_begun && !order_.comes_before(other->when, stream))
      other->launch->add_beside(seen_from(other->device, made));
  }
  pending_.push_back(std::move(made));
}

int program_runtime::fill(const heddle_device::fill_request& q) {
  heddle_device::node_request node{};
  node.kind = heddle_device::node_kind::fill;
  node.fill = q;
  return put(q.stream, node, [&] { return fill_by_kernel(q); }, [&] { return fill_now(q, true); });
}

int program_runtime::fill_now(const heddle_device::fill_request& q, bool host_may_wait) {
  ++operations_;
  const box to{memory_->instances().between_launches(address_of(q.to), present_device()),
               q.width,
               q.height,
               q.depth,
               q.pitch,
               q.slice};
  const side target = side_of(to.begin);
  // Of what the host can reach, cudaMemset waits for it.
  const bool waits = host_may_wait && !q.is_async && target.of != nullptr && target.of->host_can_reach();
  note_filled(to);
  if (waits && !unfinished_.empty()) let_host_wait_for(q.stream);
  if (lasting_error_ != 0) return lasting_error_;
  go_on_with_all();
  if (to.span() != 0) {
    if ((q.height > 1 || q.depth > 1) && q.width > q.pitch) return fail(errors::invalid_pitch);
    if (target.is_host_only) {
      report_api(finding_kind::invalid_copy, nullptr, fmt::format("calls {}", q.function),
                 shadows_.has(to.begin) ? explain_shadow(to.begin) : "what it fills is memory of the host");
      return fail(errors::invalid_value);
    }
    const bool is_decided = target.of == nullptr || pools_.is_decided(*target.of);
    if (is_decided && is_beyond(q.function, order_.device_of(q.stream), target, to, "to"))
      return fail(errors::invalid_value);
  }
  const auto when = enqueue(q.stream, {{target, to}});
  do_after(work_before(q.stream), when, [this, q, device = order_.device_of(q.stream), to] {
    if (to.span() != 0) fill_bytes(q, device, to);
  });
  use_memory(q.function, when, q.stream, target, to, true);
  if (waits) let_host_wait_for(q.stream);
  return fail(0);
}

void program_runtime::fill_bytes(const heddle_device::fill_request& q, int device, const box& to) {
  const side target = side_of(to.begin);
  if (is_beyond(q.function, device, target, to, "to")) return;
  const allocations::opening opened(*memory_);
  to.for_each_row([&](std::uint64_t offset) {
    auto* const row = reinterpret_cast<std::byte*>(to.begin + offset);
    if (q.value_bytes > 1) {
      for (std::uint64_t i = 0; i + q.value_bytes <= q.width; i += q.value_bytes)
        std::memcpy(row + i, &q.value, q.value_bytes);
    } else {
      std::memset(row, q.value, q.width);
    }
    target.of->memory.set_written(to.begin + offset - target.of->memory.begin, q.width, true);
  });
}

}  // namespace heddle::checker
