#include "large_arrays.hpp"
#include "process_limits.hpp"
#include "target/gpu_devices.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/memory.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle {

void release_cached_memory(const target& where) {
  if (where.is_gpu()) gpu::release_cached_memory(where);
}

namespace {

void* allocate_on_cpu(std::size_t bytes) {
  // As cudaMalloc aligns.
  constexpr std::size_t least = 256, huge_page = std::size_t{1} << 21;
  const std::size_t alignment = bytes < 2 * huge_page ? least : huge_page;
  require_memory(bytes);
  std::unique_ptr<void, void (*)(void*)> data(
      std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment), std::free);
  if (data == nullptr) fail(out_of_memory_text(bytes));
  if (alignment == huge_page) madvise(data.get(), bytes, MADV_HUGEPAGE);
  if (bytes >= impl::large_array_bytes) impl::note_large_array(data.get(), bytes);
  return data.release();
}

}  // namespace

memory::memory(std::size_t bytes, const target& where) : bytes_(bytes), where_(where) {
  if (where.is_automatic()) fail("an array cannot live on `auto`: name a target");
  if (bytes == 0) return;
  data_ = where.is_gpu() ? gpu::allocate(bytes, where) : allocate_on_cpu(bytes);
}

memory::~memory() {
  if (data_ == nullptr) return;
  if (where_.is_gpu()) {
    gpu::release(data_, where_);
  } else {
    if (bytes_ >= impl::large_array_bytes) impl::forget_large_array(data_);
    std::free(data_);
  }
}

void copy(void* to, const target& to_where, const void* from, const target& from_where, std::size_t bytes) {
  if (bytes == 0 || (to == from && impl::same_memory(to_where, from_where))) return;
  if (to_where.is_gpu() || from_where.is_gpu()) {
    gpu::copy(to, to_where, from, from_where, bytes);
  } else {
    std::memmove(to, from, bytes);
  }
}

void fill(void* data, const target& where, std::size_t elements, const void* value,
          std::size_t element_bytes) {
  if (elements == 0) return;
  if (where.is_gpu()) return gpu::fill(data, where, elements, value, element_bytes);
  // Each copy doubles what is filled, up to a block that stays in the cache.
  auto* const bytes = static_cast<unsigned char*>(data);
  const std::size_t all = elements * element_bytes;
  constexpr std::size_t block = std::size_t{1} << 15;
  std::memcpy(bytes, value, element_bytes);
  for (std::size_t done = element_bytes; done < all;) {
    std::size_t next = done < block ? done : block / element_bytes * element_bytes;
    if (next == 0) next = element_bytes;
    if (next > all - done) next = all - done;
    std::memcpy(bytes + done, bytes, next);
    done += next;
  }
}

}  // namespace heddle

namespace heddle::impl {

void order(const target& earlier, const target& later) {
  if (!earlier.is_gpu() || !later.is_gpu() || earlier == later) return;
  gpu::order(earlier, later);
}

void order_or_wait(const target& earlier, const target& later) noexcept {
  try {
    order(earlier, later);
  } catch (const std::exception&) {
    try {
      earlier.wait();
    } catch (const std::exception&) {
      // A device that can do neither is lost, and every later call on it says so.
    }
  }
}

void* value_slot(const target& gpu, std::size_t bytes) {
  return gpu::value_slot(gpu, bytes);
}

void fail_not_on_cpu(const char* what, const target& where) {
  fail(fmt::format("{}: the elements are on {}; copy them with on(target::serial()) first", what,
                   where.text()));
}

void fail_index(const char* what, std::size_t index, std::size_t size) {
  // A negative index came as a very large one.
  fail(fmt::format("{}: index {} is outside an axis of length {}", what, static_cast<std::ptrdiff_t>(index),
                   size));
}

void fail_range(const char* what, std::size_t first, std::size_t last) {
  fail(fmt::format("{}: {} to {} is no range: it ends before it begins", what,
                   static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(last)));
}

void fail_axes(const char* what, std::size_t wanted, const shape& have) {
  fail(fmt::format("{}: {} {} for an array of shape {}", what, wanted, wanted == 1 ? "index" : "indices",
                   have.text()));
}

void fail_sizes(const char* what, std::size_t a, std::size_t b) {
  fail(fmt::format("{}: {} elements do not fit {}", what, a, b));
}

std::size_t distance(const char* what, std::ptrdiff_t between) {
  if (between < 0) {
    fail(fmt::format("{}: the last of two iterators comes {} elements before the first: were they swapped?",
                     what, -between));
  }
  return static_cast<std::size_t>(between);
}

void fail_overlap() {
  fail(
      "the output overlaps an input but does not begin with it: write into the input itself, or into another "
      "array");
}

void check_apart(const void* x, std::size_t x_bytes, const target& x_where, const void* out,
                 std::size_t out_bytes, const target& out_where) {
  if (x_bytes == 0 || out_bytes == 0 || !same_memory(x_where, out_where)) return;
  const auto* const from = static_cast<const std::byte*>(x);
  const auto* const to = static_cast<const std::byte*>(out);
  if (from + x_bytes > to && to + out_bytes > from)
    fail("the output overlaps an input: write into another array");
}

}  // namespace heddle::impl
