#include "checker/engine/engine.hpp"
#include "checker/program/program_runtime.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

/// What a program does with memory: allocations, and what its host code reads and writes.
namespace heddle::checker {

namespace errors = heddle_device::cuda_error;

namespace {

/// Where the program's own code is, of calls from the innermost on: in a header of CUDA's is what it called.
std::uintptr_t outermost(const std::vector<std::uintptr_t>& frames) {
  return frames.empty() ? 0 : frames.front();
}

const char* made_by(memory_kind kind) {
  return kind == memory_kind::pinned ? "cudaFreeHost" : "cudaFree";
}

}  // namespace

/// "x (float[256])", "1024 bytes".
std::string program_runtime::text_of(const allocation& a) {
  finding f{};
  name_element(f, a.memory, a.memory.begin);
  return fmt::format("{} ({})", f.variable, array_text(f));
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
  allocation* const a = memory_->make(kind, bytes, name, present_device());
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
  } else if (a->is_mapped) {
    wrong = fmt::format("{} is mapped: cuMemUnmap and cuMemAddressFree end that", text_of(*a));
  } else if (!pools_.is_held(*a)) {
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
    let_host_wait([&] {
      if (a->kind == memory_kind::device) {
        order_.wait_for_device(a->device);
      } else {
        order_.wait_for_all();
      }
    });
    // What was to allocate it did not come to that.
    if (a->is_freed) return fail(lasting_error_);
  }
  a->freed_at = call_stack();
  pools_.forget(*a);
  memory_->free(*a);
  return fail(0);
}

void* program_runtime::allocate_host(heddle_device::u64 bytes, bool is_written, const void* at) {
  void* const made = heap_.allocate(bytes, is_written, address_of(at));
  if (copies_.may_have(address_of(made))) copies_.forget(address_of(made), bytes);
  return made;
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
  memory_->add_registered(what, bytes, name, present_device()).made_at = call_stack();
  return fail(0);
}

int program_runtime::unregister_host(void* what) {
  const auto lock = lock_unless_in_kernel();
  allocation* const a = memory_->find(address_of(what));
  if (a == nullptr || a->kind != memory_kind::registered || a->memory.begin != address_of(what))
    return fail(errors::host_memory_not_registered);
  complete_all();
  memory_->free(*a);
  return fail(0);
}

int program_runtime::describe(const void* pointer, heddle_device::pointer_facts* facts) {
  const auto lock = lock_unless_in_kernel();
  const allocation* const a =
      memory_->find(memory_->instances().between_launches(address_of(pointer), present_device()));
  *facts = {};
  if (a != nullptr && !a->is_freed && a->memory.has(address_of(pointer), 1)) {
    void* const p = const_cast<void*>(pointer);
    const int device = std::max(a->device_at(address_of(pointer)), 0);
    *facts = {a->kind, true, p, a->host_can_reach() ? p : nullptr, device};
  }
  return fail(0);
}

void program_runtime::memory_left(heddle_device::u64* free, heddle_device::u64* total) {
  const auto lock = lock_unless_in_kernel();
  *free = memory_->device_bytes_left(present_device());
  *total = heddle_device::device_facts::memory;
}

int program_runtime::limit_heap(heddle_device::u64 bytes) {
  const auto lock = lock_unless_in_kernel();
  devices_.present().heap.limit(bytes);
  return fail(0);
}

int program_runtime::describe_heap(heddle_device::u64* bytes) {
  const auto lock = lock_unless_in_kernel();
  *bytes = devices_.present().heap.limit();
  return fail(0);
}

int program_runtime::find_variable(const void* variable, void** where, heddle_device::u64* bytes) {
  const auto lock = lock_unless_in_kernel();
  const std::uintptr_t address = shadows_.in_code(address_of(variable)).value_or(address_of(variable));
  const allocation* const a = memory_->find_variable(address, present_device());
  if (a == nullptr) {
    report_api(finding_kind::invalid_copy, nullptr, "names a symbol",
               "what is named is no __device__, __constant__ or __managed__ variable");
    return fail(errors::invalid_symbol);
  }
  *where = reinterpret_cast<void*>(a->memory.begin);
  *bytes = a->memory.bytes;
  return fail(0);
}

void* program_runtime::host_address(void* variable) {
  const auto lock = lock_unless_in_kernel();
  const allocation* const a = memory_->find(address_of(variable));
  if (a == nullptr || !a->memory.is_variable || a->host_can_reach()) return variable;
  return reinterpret_cast<void*>(shadows_.of(*a, address_of(variable)));
}

// ------------------------------------------------------------------------------------------ the host's code

std::string program_runtime::explain_shadow(std::uintptr_t address) {
  const auto in_code = shadows_.in_code(address);
  if (!in_code) return "";
  const allocation* const variable = memory_->find(*in_code);
  return fmt::format(
      "it is the address that the host has of {}, and the device has another: kernels name the variable, "
      "cudaMemcpyToSymbol and cudaMemcpyFromSymbol copy it, and cudaGetSymbolAddress gives the device's "
      "address",
      variable->memory.name);
}

std::string program_runtime::explain_address(std::uintptr_t address) {
  if (std::string shadow = explain_shadow(address); !shadow.empty()) return shadow;
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

program_runtime::meeting program_runtime::meets(const concurrent_work& p, const region& r,
                                                std::uintptr_t address, std::size_t bytes,
                                                std::uint8_t flags) {
  const bool writes = (flags & record::write) != 0;
  if (p.first_serial == 0) {
    const bool is_met = address < p.last && address + bytes > p.first && (p.writes || writes);
    return is_met ? meeting::with_others : meeting::none;
  }
  if (r.last == nullptr) return meeting::none;
  meeting result = meeting::none;
  const std::uint64_t offset = address - r.begin;
  for (std::uint64_t i = offset >> r.shift; i <= (offset + bytes - 1) >> r.shift; ++i) {
    r.for_each_record(i, p.first_serial, [&](const checker::record& one) {
      if (one.block < p.first_serial || one.block >= p.last_serial) return;
      // Volatile on both sides is how a host and a kernel tell one another something.
      const bool is_strong =
          (one.kind() & record::atomic) != 0 && one.scope() == heddle_device::scope::system;
      if (is_strong && (flags & record::is_volatile) != 0) return;
      bool is_met = false;
      for (std::size_t byte = 0; byte < (std::size_t{1} << r.shift); ++byte) {
        const std::uint64_t at = (i << r.shift) + byte;
        is_met |= (one.mask >> byte & 1) != 0 && at >= offset && at < offset + bytes &&
                  (writes || (one.kind() & checker::record::write) != 0);
      }
      if (is_met) result = std::max(result, is_strong ? meeting::with_atomics : meeting::with_others);
    });
  }
  return result;
}

void program_runtime::host_access(std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
                                  std::uintptr_t pc) {
  const bool writes = (flags & record::write) != 0;
  if (bytes == 0) return;
  const auto lock = lock_unless_in_kernel();
  // It may look whether a kernel has told it something.
  if (!writes && (flags & record::is_volatile) != 0) go_on_with_all();
  const std::optional<std::uintptr_t> of_device = shadows_.in_code(address);
  if (of_device) address = *of_device;
  allocation* const a = memory_->find(address);
  if (a == nullptr) return;
  region& r = a->memory;
  const auto report_access = [&](finding_kind kind, std::string detail,
                                 const pending_operation* other = nullptr) -> std::size_t {
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
    return report(std::move(f)).number;
  };
  if (a->memory.is_variable && a->kind == memory_kind::device) {
    report_access(finding_kind::host_access,
                  "it is a variable of the device: cudaMemcpyToSymbol and cudaMemcpyFromSymbol copy it");
    return;
  }
  if (a->is_freed || !r.has(address, bytes)) {
    report_access(a->is_freed ? finding_kind::use_after_free : finding_kind::out_of_bounds, "");
    return;
  }
  const std::uint64_t offset = address - r.begin;
  if (writes) {
    r.set_written(offset, bytes, true);
  } else if (r.reads_unwritten(offset, bytes)) {
    report_access(finding_kind::uninitialised_read, "");
  }
  for (const pending_operation& p : pending_) {
    if (is_done(p)) continue;
    const meeting met = meets(p.work, r, address, bytes, flags);
    if (met == meeting::none) continue;
    const std::size_t number = report_access(
        finding_kind::missing_synchronisation,
        "the host has not waited for that: cudaDeviceSynchronize, or a wait for its stream or for an "
        "event after it, comes before",
        &p);
    if (met == meeting::with_atomics && !writes) {
      const std::thread::id self = std::this_thread::get_id();
      std::erase_if(reads_beside_atomics_,
                    [&](const read_beside_atomics& known) { return known.by == self; });
      reads_beside_atomics_.push_back({number, address, self});
      has_reads_beside_atomics_ = true;
    }
    break;
  }
}

void program_runtime::exchange_by_host(const volatile void* where) noexcept {
  if (!has_reads_beside_atomics_) return;
  const auto lock = lock_unless_in_kernel();
  const auto known = std::find_if(
      reads_beside_atomics_.begin(), reads_beside_atomics_.end(), [&](const read_beside_atomics& r) {
        return r.by == std::this_thread::get_id() && r.address == reinterpret_cast<std::uintptr_t>(where);
      });
  if (known == reads_beside_atomics_.end()) return;
  lower(
      known->number,
      "it is the first read of a compare-and-swap loop, whose exchange finds out what it missed: a volatile "
      "read says so to the compiler");
  reads_beside_atomics_.erase(known);
  has_reads_beside_atomics_ = !reads_beside_atomics_.empty();
}

}  // namespace heddle::checker
