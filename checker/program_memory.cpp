#include "engine.hpp"
#include "program_runtime.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

/// What a program does with memory: allocations, copies, and what its host code reads and writes.
namespace heddle::checker {

namespace errors = heddle_device::cuda_error;

namespace {

// cudaMemcpyKind.
enum direction : int { host_to_host, host_to_device, device_to_host, device_to_device, by_addresses };

std::uintptr_t address_of(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

/// "x (float[256])", "1024 bytes".
std::string text_of(const allocation& a) {
  finding f{};
  name_element(f, a.memory, a.memory.begin);
  return fmt::format("{} ({})", f.variable, array_text(f));
}

/// Where the program's own code is, of calls from the innermost on: in a header of CUDA's is what it called.
std::uintptr_t outermost(const std::vector<std::uintptr_t>& frames) {
  return frames.empty() ? 0 : frames.front();
}

const char* made_by(memory_kind kind) {
  return kind == memory_kind::pinned ? "cudaFreeHost" : "cudaFree";
}

}  // namespace

std::uint64_t program_runtime::box::span() const {
  return width == 0 || height == 0 || depth == 0 ? 0 : (depth - 1) * slice + (height - 1) * pitch + width;
}

template <class F>
void program_runtime::box::for_each_row(F f) const {
  for (std::uint64_t z = 0; z < depth; ++z) {
    for (std::uint64_t y = 0; y < height; ++y) f(z * slice + y * pitch);
  }
}

int program_runtime::allocate(memory_kind kind, void** where, heddle_device::u64 bytes,
                              allocation_name name) {
  const auto lock = lock_unless_in_kernel();
  if (where != nullptr && now.thread != nullptr) {
    const std::vector<std::uintptr_t> at = call_stack();
    *where = bytes == 0 ? nullptr : now.by->allocate(*now.thread, bytes, outermost(at));
    return fail(*where == nullptr && bytes != 0 ? errors::memory_allocation : 0);
  }
  if (where == nullptr) return fail(errors::invalid_value);
  if (lasting_error_ != 0) return lasting_error_;
  *where = nullptr;
  const bool is_of_library =
      name.name != nullptr && std::string_view(name.name) == heddle_device::memory_of_libraries;
  if (const auto refused = is_of_library ? std::nullopt : graphs_.refuse_unsafe("an allocation"))
    return *refused;
  if (bytes == 0) return fail(0);
  allocation* const a = memory_->make(kind, bytes, name);
  if (a == nullptr) return fail(errors::memory_allocation);
  a->made_at = call_stack();
  *where = reinterpret_cast<void*>(a->memory.begin);
  return fail(0);
}

allocation* program_runtime::to_release(const char* function, memory_kind kind, void* what) {
  const std::uintptr_t address = address_of(what);
  allocation* const a = memory_->find(address);
  const bool is_managed_or_device =
      a != nullptr && (a->kind == memory_kind::device || a->kind == memory_kind::managed);
  std::string wrong;
  if (a == nullptr) {
    wrong = fmt::format("address {:#x} is of no allocation: {}", address, explain_address(address));
  } else if (a->memory.is_variable) {
    wrong = fmt::format("{} is a variable", a->memory.name);
  } else if (a->is_freed) {
    wrong = fmt::format("{} is freed already", text_of(*a));
  } else if (a->memory.begin != address) {
    wrong = fmt::format("the pointer is {} bytes past the beginning of {}", address - a->memory.begin,
                        text_of(*a));
  } else if (is_managed_or_device != (kind == memory_kind::device)) {
    wrong = fmt::format("{} is freed by {}", text_of(*a), made_by(a->kind));
  }
  if (!wrong.empty()) {
    // After a fault allocations fail, and what the program frees may never have been set.
    if (lasting_error_ == 0)
      report_api(finding_kind::invalid_free, a, fmt::format("calls {}", function), std::move(wrong));
    return nullptr;
  }
  return a;
}

int program_runtime::release(const char* function, memory_kind kind, void* what) {
  const auto lock = lock_unless_in_kernel();
  if (now.thread != nullptr) {
    now.by->release(*now.thread, what, outermost(call_stack()));
    return fail(0);
  }
  if (what == nullptr) return fail(0);
  allocation* const a = to_release(function, kind, what);
  if (a == nullptr) return fail(lasting_error_ != 0 ? lasting_error_ : int{errors::invalid_value});
  // A graph that is captured may use it.
  if (graphs_.is_any_captured() && a->memory.name == heddle_device::memory_of_libraries) return fail(0);
  if (const auto refused = graphs_.refuse_unsafe(function)) return *refused;
  if (function == std::string_view("cudaFree")) {
    order_.wait_for_all();
    forget_done();
  }
  a->freed_at = call_stack();
  pools_.forget(*a);
  memory_->free(*a);
  return fail(0);
}

void* program_runtime::allocate_host(heddle_device::u64 bytes, bool is_written, const void* at) {
  return heap_.allocate(bytes, is_written, address_of(at));
}

bool program_runtime::is_watched_host(const void* what) {
  return heap_.has(address_of(what));
}

void* program_runtime::reallocate_host(void* what, heddle_device::u64 bytes, const void* at) {
  if (bytes == 0) {
    heap_.free(what, address_of(at));
    return nullptr;
  }
  return heap_.reallocate(what, bytes, address_of(at));
}

void program_runtime::report_outside_heap(std::uintptr_t address, std::uint64_t bytes, const char* what,
                                          std::uintptr_t pc) {
  const auto near = heap_.nearest(address);
  if (!near || !has_begun_) return;
  const auto lock = lock_unless_in_kernel();
  finding f{};
  const auto from_begin = static_cast<std::int64_t>(address - near->begin);
  const bool is_freed =
      near->is_freed && from_begin >= 0 && static_cast<std::uint64_t>(from_begin) < near->bytes;
  f.kind = is_freed ? finding_kind::use_after_free : finding_kind::out_of_bounds;
  std::vector<std::uintptr_t> frames = call_stack();
  while (!frames.empty() && frames.front() != pc) frames.erase(frames.begin());
  if (frames.empty()) frames.push_back(pc);
  f.places.push_back(host_place(what, frames));
  f.places.push_back(host_place("allocates it", {near->made_at}));
  if (near->is_freed) f.places.push_back(host_place("frees it", {near->freed_at}));
  f.detail = fmt::format("{} bytes from byte {} on of an allocation of the host's of {} bytes", bytes,
                         from_begin, near->bytes);
  report(std::move(f));
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

bool program_runtime::is_not_the_hosts(const char* function, void* what, const void* at) {
  const std::uintptr_t address = address_of(what);
  if (heap_.has(address)) {
    const auto near = heap_.free(what, address_of(at)) ? std::nullopt : heap_.nearest(address);
    if (!near) return true;
    const auto lock = lock_unless_in_kernel();
    finding f{};
    f.kind = finding_kind::invalid_free;
    f.places.push_back(host_place(fmt::format("calls {}", function)));
    f.places.push_back(host_place("allocates it", {near->made_at}));
    if (near->is_freed) f.places.push_back(host_place("frees it", {near->freed_at}));
    f.detail = near->is_freed && near->begin == address
                   ? fmt::format("an allocation of {} bytes is freed already", near->bytes)
                   : fmt::format("the pointer is {} bytes past the beginning of an allocation of {} bytes",
                                 static_cast<std::int64_t>(address - near->begin), near->bytes);
    report(std::move(f));
    return true;
  }
  if (!memory_ || !(memory_->is_in_device_half(address) || memory_->is_in_host_half(address))) return false;
  const auto lock = lock_unless_in_kernel();
  const allocation* const a = memory_->find(address);
  report_api(finding_kind::invalid_free, a, fmt::format("calls {}", function),
             a == nullptr  ? explain_address(address)
             : a->is_freed ? fmt::format("{} is freed already, by {}", text_of(*a), made_by(a->kind))
                           : fmt::format("{} is freed by {}", text_of(*a), made_by(a->kind)));
  return true;
}

int program_runtime::register_host(void* what, heddle_device::u64 bytes, allocation_name name) {
  const auto lock = lock_unless_in_kernel();
  if (what == nullptr || bytes == 0) return fail(errors::invalid_value);
  if (memory_->find(address_of(what)) != nullptr) return fail(errors::host_memory_already_registered);
  memory_->add_registered(what, bytes, name).made_at = call_stack();
  return fail(0);
}

int program_runtime::unregister_host(void* what) {
  const auto lock = lock_unless_in_kernel();
  allocation* const a = memory_->find(address_of(what));
  if (a == nullptr || a->kind != memory_kind::registered || a->memory.begin != address_of(what))
    return fail(errors::host_memory_not_registered);
  memory_->free(*a);
  return fail(0);
}

int program_runtime::describe(const void* pointer, heddle_device::pointer_facts* facts) {
  const auto lock = lock_unless_in_kernel();
  const allocation* const a = memory_->find(address_of(pointer));
  *facts = {};
  if (a != nullptr && !a->is_freed && a->memory.has(address_of(pointer), 1)) {
    void* const p = const_cast<void*>(pointer);
    *facts = {a->kind, true, p, a->host_can_reach() ? p : nullptr};
  }
  return fail(0);
}

void program_runtime::memory_left(heddle_device::u64* free, heddle_device::u64* total) {
  const auto lock = lock_unless_in_kernel();
  *free = memory_->device_bytes_left();
  *total = heddle_device::device_facts::memory;
}

int program_runtime::limit_heap(heddle_device::u64 bytes) {
  const auto lock = lock_unless_in_kernel();
  device_heap_.limit(bytes);
  return fail(0);
}

int program_runtime::describe_heap(heddle_device::u64* bytes) {
  const auto lock = lock_unless_in_kernel();
  *bytes = device_heap_.limit();
  return fail(0);
}

int program_runtime::find_variable(const void* variable, void** where, heddle_device::u64* bytes) {
  const auto lock = lock_unless_in_kernel();
  const allocation* const a = memory_->find_variable(address_of(variable));
  if (a == nullptr) {
    report_api(finding_kind::invalid_copy, nullptr, "names a symbol",
               "what is named is no __device__, __constant__ or __managed__ variable");
    return fail(errors::invalid_symbol);
  }
  *where = reinterpret_cast<void*>(a->memory.begin);
  *bytes = a->memory.bytes;
  return fail(0);
}

// ------------------------------------------------------------------------------------------------- copies

program_runtime::side program_runtime::side_of(std::uintptr_t address) {
  side s;
  s.of = memory_->find(address);
  s.is_device_only =
      memory_->is_in_device_half(address) || (s.of != nullptr && s.of->kind == memory_kind::device);
  s.is_host_only = s.of == nullptr && !s.is_device_only;
  return s;
}

bool program_runtime::is_beyond(const char* function, const side& s, const box& b, const char* direction) {
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

int program_runtime::copy(const heddle_device::copy_request& q) {
  const auto lock = lock_unless_in_kernel();
  if (now.thread != nullptr) return copy_by_kernel(q);
  if (lasting_error_ != 0) return lasting_error_;
  if (!order_.is_stream(q.stream)) return fail(errors::invalid_resource_handle);
  heddle_device::node_request node{};
  node.kind = heddle_device::node_kind::copy;
  node.copy = q;
  if (const auto taken = graphs_.take(q.stream, node)) return *taken;
  return copy_now(q, true);
}

int program_runtime::copy_now(const heddle_device::copy_request& q, bool host_may_wait) {
  if ((q.height > 1 || q.depth > 1) && (q.width > q.to_pitch || q.width > q.from_pitch)) {
    report_api(finding_kind::invalid_copy, nullptr, fmt::format("calls {}", q.function),
               fmt::format("rows of {} bytes, with {} and {} from one to the next", q.width, q.to_pitch,
                           q.from_pitch));
    return fail(errors::invalid_pitch);
  }
  const box to{address_of(q.to), q.width, q.height, q.depth, q.to_pitch, q.to_slice};
  const box from{address_of(q.from), q.width, q.height, q.depth, q.from_pitch, q.from_slice};
  const side target = side_of(to.begin), source = side_of(from.begin);
  note_filled(to);
  if (to.span() != 0) {
    if (is_beyond(q.function, target, to, "to") || is_beyond(q.function, source, from, "from"))
      return fail(errors::invalid_value);
    constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                     "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
    if (q.direction < host_to_host || q.direction > by_addresses) return fail(errors::invalid_value);
    const bool to_device = q.direction == host_to_device || q.direction == device_to_device;
    const bool from_device = q.direction == device_to_host || q.direction == device_to_device;
    const bool wrong_target = to_device ? target.is_host_only : target.is_device_only;
    const bool wrong_source = from_device ? source.is_host_only : source.is_device_only;
    if (q.direction != by_addresses && (wrong_target || wrong_source)) {
      const allocation* const about = wrong_target ? target.of : source.of;
      report_api(finding_kind::invalid_copy, about, fmt::format("calls {}", q.function),
                 fmt::format("it says {}, and what it copies {} is memory of the {}{}", names[q.direction],
                             wrong_target ? "to" : "from",
                             (wrong_target ? target : source).is_host_only ? "host" : "device",
                             about == nullptr ? "" : ": " + text_of(*about)));
      return fail(errors::invalid_value);
    }
    // What nothing was written to is told when it leaves the device.
    if (source.is_device_only && !target.is_device_only && source.of != nullptr &&
        !source.of->memory.is_any_written(from.begin - source.of->memory.begin, from.span())) {
      finding f{};
      f.kind = finding_kind::uninitialised_read;
      f.places.push_back(host_place(fmt::format("calls {}", q.function)));
      name_element(f, source.of->memory, from.begin);
      add_place_of_graph(f);
      add_places_of_memory(f);
      report(std::move(f));
    }
    if (source.is_host_only) copy_of_heap(q.function, from, false);
    if (target.is_host_only) copy_of_heap(q.function, to, true);
    const allocations::opening opened(*memory_);
    std::uint64_t row = 0;
    std::vector<std::uint64_t> sources;
    from.for_each_row([&](std::uint64_t offset) { sources.push_back(offset); });
    to.for_each_row([&](std::uint64_t offset) {
      const std::uint64_t other = sources[row++];
      std::memmove(reinterpret_cast<void*>(to.begin + offset),
                   reinterpret_cast<const void*>(from.begin + other), q.width);
      if (target.of == nullptr || target.of->memory.written.empty()) return;
      region& r = target.of->memory;
      const std::uint64_t first = to.begin + offset - r.begin;
      if (source.is_device_only && source.of != nullptr) {
        r.copy_written(first, source.of->memory, from.begin + other - source.of->memory.begin, q.width);
      } else {
        r.set_written(first, q.width, true);
      }
    });
  }
  const bool is_between_devices = target.is_device_only && source.is_device_only;
  const auto is_of_host = [](const side& s) {
    return s.is_host_only || (s.of != nullptr && s.of->kind >= memory_kind::pinned);
  };
  const auto when = order_.enqueue(q.stream);
  use_memory(q.function, when, q.stream, target, to, true);
  use_memory(q.function, when, q.stream, source, from, false);
  // A copy to memory that the host has by itself returns when it is done.
  const bool waits = (!q.is_async && !is_between_devices) || target.is_host_only ||
                     (is_of_host(target) && is_of_host(source));
  if (host_may_wait && waits) {
    order_.wait_for_stream(q.stream);
    forget_done();
  }
  return fail(0);
}

void program_runtime::use_memory(const char* function, const stream_order::operation& when, void* stream,
                                 const side& s, const box& b, bool writes) {
  if (s.of == nullptr || b.span() == 0) return;
  const place by = host_place(fmt::format("calls {}", function));
  for (const concurrent_work& other : work_beside(stream)) {
    std::uintptr_t first = 0;
    b.for_each_row([&](std::uint64_t offset) {
      const std::uintptr_t row = b.begin + offset;
      if (first == 0 && conflicts(other, s.of->memory, row, b.width, writes)) first = row;
    });
    if (first == 0) continue;
    finding f{};
    f.kind = finding_kind::data_race;
    f.places = {by, other.by};
    name_element(f, s.of->memory, std::max(first, other.first));
    f.detail = different_streams;
    program_graphs::tell_nodes(f, other.by);
    add_place_of_graph(f);
    add_places_of_memory(f);
    report(std::move(f));
    break;
  }
  note_pending(when, {by, 0, 0, b.begin, b.begin + b.span(), writes, {}, {}});
}

int program_runtime::fill(const heddle_device::fill_request& q) {
  const auto lock = lock_unless_in_kernel();
  if (now.thread != nullptr) return fill_by_kernel(q);
  if (lasting_error_ != 0) return lasting_error_;
  if (!order_.is_stream(q.stream)) return fail(errors::invalid_resource_handle);
  heddle_device::node_request node{};
  node.kind = heddle_device::node_kind::fill;
  node.fill = q;
  if (const auto taken = graphs_.take(q.stream, node)) return *taken;
  return fill_now(q, true);
}

int program_runtime::fill_now(const heddle_device::fill_request& q, bool host_may_wait) {
  const box to{address_of(q.to), q.width, q.height, q.depth, q.pitch, q.slice};
  const side target = side_of(to.begin);
  note_filled(to);
  if (to.span() != 0) {
    if ((q.height > 1 || q.depth > 1) && q.width > q.pitch) return fail(errors::invalid_pitch);
    if (target.is_host_only) {
      report_api(finding_kind::invalid_copy, nullptr, fmt::format("calls {}", q.function),
                 "what it fills is memory of the host");
      return fail(errors::invalid_value);
    }
    if (is_beyond(q.function, target, to, "to")) return fail(errors::invalid_value);
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
  const auto when = order_.enqueue(q.stream);
  use_memory(q.function, when, q.stream, target, to, true);
  if (host_may_wait && !q.is_async && target.of != nullptr && target.of->host_can_reach()) {
    // Of what the host can reach, cudaMemset waits for it.
    order_.wait_for_stream(q.stream);
    forget_done();
  }
  return fail(0);
}

// ------------------------------------------------------------------------------------------ the host's code

std::string program_runtime::explain_address(std::uintptr_t address) const {
  unsigned char ignored = 0;
  void* const page = reinterpret_cast<void*>(address / 4096 * 4096);
  if (memory_->is_in_device_half(address) || memory_->is_in_host_half(address))
    return fmt::format("address {:#x} is of no allocation", address);
  // Only what is mapped has a state.
  if (mincore(page, 1, &ignored) == 0) {
    return fmt::format(
        "address {:#x} is the host's own: kernels reach what cudaMalloc, cudaMallocManaged or "
        "cudaMallocHost has allocated",
        address);
  }
  return fmt::format("address {:#x} belongs to nothing", address);
}

bool program_runtime::conflicts(const concurrent_work& p, const region& r, std::uintptr_t address,
                                std::size_t bytes, bool writes) {
  if (p.first_serial == 0) return address < p.last && address + bytes > p.first && (p.writes || writes);
  if (r.last == nullptr) return false;
  const std::uint64_t offset = address - r.begin;
  for (std::uint64_t i = offset >> r.shift; i <= (offset + bytes - 1) >> r.shift; ++i) {
    bool is_met = false;
    r.for_each_record(i, p.first_serial, [&](const checker::record& one) {
      if (one.block < p.first_serial || one.block >= p.last_serial) return;
      for (std::size_t byte = 0; byte < (std::size_t{1} << r.shift); ++byte) {
        const std::uint64_t at = (i << r.shift) + byte;
        is_met |= (one.mask >> byte & 1) != 0 && at >= offset && at < offset + bytes &&
                  (writes || (one.kind() & checker::record::write) != 0);
      }
    });
    if (is_met) return true;
  }
  return false;
}

void program_runtime::host_access(std::uintptr_t address, std::size_t bytes, bool writes, std::uintptr_t pc) {
  if (bytes == 0) return;
  const auto lock = lock_unless_in_kernel();
  allocation* const a = memory_->find(address);
  if (a == nullptr) return;
  region& r = a->memory;
  const auto report_access = [&](finding_kind kind, std::string detail,
                                 const pending_operation* other = nullptr) {
    finding f{};
    f.kind = kind;
    std::vector<std::uintptr_t> frames = call_stack();
    // What was called to say so is not of the program's.
    while (!frames.empty() && frames.front() != pc) frames.erase(frames.begin());
    if (frames.empty()) frames.push_back(pc);
    f.places.push_back(host_place(writes ? "writes" : "reads", frames));
    if (other != nullptr) f.places.push_back(other->work.by);
    name_element(f, r, address);
    if (kind == finding_kind::out_of_bounds) f.member.clear();
    f.detail = std::move(detail);
    add_places_of_memory(f);
    report(std::move(f));
  };
  if (a->memory.is_variable && a->kind == memory_kind::device) {
    return report_access(
        finding_kind::host_access,
        "it is a variable of the device: cudaMemcpyToSymbol and cudaMemcpyFromSymbol copy it");
  }
  if (a->is_freed) return report_access(finding_kind::use_after_free, "");
  if (!r.has(address, bytes)) return report_access(finding_kind::out_of_bounds, "");
  const std::uint64_t offset = address - r.begin;
  if (writes) {
    r.set_written(offset, bytes, true);
  } else if (r.reads_unwritten(offset, bytes)) {
    report_access(finding_kind::uninitialised_read, "");
  }
  for (const pending_operation& p : pending_) {
    if (is_done(p) || !conflicts(p.work, r, address, bytes, writes)) continue;
    report_access(
        finding_kind::missing_synchronisation,
        "the host has not waited for that: cudaDeviceSynchronize, or a wait for its stream or for an "
        "event after it, comes before",
        &p);
    break;
  }
}

}  // namespace heddle::checker
