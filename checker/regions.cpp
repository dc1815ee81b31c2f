#include "regions.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>

namespace heddle::checker {

mapping::mapping(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
  void* const data =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    throw error(fmt::format("no {} bytes of memory for a kernel: {}", bytes, std::strerror(errno)));
  data_ = static_cast<std::byte*>(data);
}

mapping::mapping(mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

mapping& mapping::operator=(mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

mapping::~mapping() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

unsigned word_shift(std::size_t element_bytes) {
  return element_bytes % 8 == 0 ? 3 : element_bytes % 4 == 0 ? 2 : element_bytes % 2 == 0 ? 1 : 0;
}

void region::watch(bool starts_written) {
  if (cells == nullptr) {
    history = mapping((((bytes + 7) >> shift) + 1) * sizeof(cell));
    cells = reinterpret_cast<cell*>(history.data());
  }
  written.clear();
  if (!starts_written) written.assign(bytes / 64 + 1, 0);
}

bool shared_layout::add(heddle_device::shared_variable& v, std::uint64_t size) {
  const std::size_t gap = std::clamp<std::size_t>(size, 4096, 65536) / page * page;
  const std::size_t alignment = std::max<std::size_t>(page, v.alignment);
  const std::size_t offset = (next + alignment - 1) / alignment * alignment;
  const std::size_t end = offset + (size + page - 1) / page * page;
  if (end + gap > bytes || variables.size() >= 254) return false;
  // What lies before the first variable, and around each, is told as an index of the nearest.
  const std::size_t from =
      variables.empty() ? 0 : (offset - std::min<std::size_t>(gap, offset - next) / 2) / page;
  std::fill(of_page.begin() + static_cast<std::ptrdiff_t>(from), of_page.end(),
            static_cast<std::uint8_t>(variables.size()));
  variables.push_back({&v, offset, size});
  next = end + gap;
  return true;
}

shared_memory::shared_memory(bool watched) : memory(shared_layout::bytes), is_watched(watched) {}

region* shared_memory::find(const shared_layout& layout, std::uintptr_t address) {
  const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(memory.data());
  if (offset >= shared_layout::bytes) return nullptr;
  const std::size_t i = layout.of_page[offset / shared_layout::page];
  if (i >= layout.variables.size()) return nullptr;
  if (i >= regions.size()) regions.resize(i + 1);
  if (!regions[i]) {
    const shared_layout::variable& v = layout.variables[i];
    auto made = std::make_unique<region>();
    made->begin = reinterpret_cast<std::uintptr_t>(memory.data()) + v.offset;
    made->bytes = v.bytes;
    made->shift = word_shift(v.what->element_size);
    // A dynamic one is often declared as bytes and used as something else.
    if (v.what->size == 0 && made->shift < 2) made->shift = 0;
    made->name = v.what->name;
    made->space = "shared";
    made->type = v.what->type;
    made->element_bytes = std::max(v.what->element_size, 1u);
    made->is_shared = true;
    if (is_watched) made->watch(false);
    regions[i] = std::move(made);
  }
  return regions[i].get();
}

void shared_memory::clear() {
  for (const auto& r : regions) {
    if (r) std::fill(r->written.begin(), r->written.end(), 0);
  }
}

}  // namespace heddle::checker
