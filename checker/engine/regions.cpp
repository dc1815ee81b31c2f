#include "checker/engine/regions.hpp"

#include "checker/engine/launch.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"
#include "kernels/module_state.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>

namespace heddle::checker {

mapping::mapping(std::size_t bytes, bool is_sparse) : bytes_(std::max<std::size_t>(bytes, 1)) {
  void* const data =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    throw error(fmt::format("no {} bytes of memory for a kernel: {}", bytes, std::strerror(errno)));
  data_ = static_cast<std::byte*>(data);
  // Pages one by one take long; of what is larger still little may be touched.
  constexpr std::size_t least = std::size_t{8} << 20, most = std::size_t{512} << 20;
  if (is_sparse) {
    madvise(data, bytes_, MADV_NOHUGEPAGE);
  } else if (bytes_ >= least && bytes_ <= most) {
    madvise(data, bytes_, MADV_HUGEPAGE);
  }
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

unsigned word_shift(const heddle_device::element_type& element) {
  const std::size_t number = bytes_of(element.type);
  if (number != 0) return word_shift(number);
  return std::min(word_shift(element.size), element.size > 8 ? 2u : 3u);
}

namespace {

std::size_t words_of_history(const region& r) {
  return ((r.bytes + 7) >> r.shift) + 1;
}

}  // namespace

void region::watch() {
  // What was freed has no words until it is there again.
  if (last == nullptr && freed_bytes == 0) {
    const std::size_t words = words_of_history(*this);
    history = mapping(words * sizeof(record));
    earlier_history = mapping(words * sizeof(earlier_records), true);
    last = reinterpret_cast<record*>(history.data());
    earlier = reinterpret_cast<earlier_records*>(earlier_history.data());
  }
  if (!persists) set_written(starts_written);
}

void region::forget_history() {
  history = mapping();
  earlier_history = mapping();
  last = nullptr;
  earlier = nullptr;
}

void region::clear_history() {
  if (last != nullptr) std::fill_n(last, words_of_history(*this), record{});
}

void region::set_written(bool is_written) {
  written.clear();
  if (!is_written) written.assign(bytes / 64 + 1, 0);
}

namespace {

/// Calls f(word, mask) for the words of 64 bits that bits first … last−1 are in, until it returns false.
template <class F>
void for_each_word(std::uint64_t first, std::uint64_t last, F f) {
  while (first < last) {
    const std::uint64_t bit = first % 64, count = std::min(64 - bit, last - first);
    const std::uint64_t mask = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << bit;
    if (!f(first / 64, mask)) return;
    first += count;
  }
}

}  // namespace

void region::set_written(std::uint64_t offset, std::uint64_t size, bool is_written) {
  if (written.empty()) return;
  for_each_word(offset, offset + size, [&](std::uint64_t i, std::uint64_t mask) {
    written[i] = is_written ? written[i] | mask : written[i] & ~mask;
    return true;
  });
}

void region::forget_written(std::uint64_t offset, std::uint64_t size) {
  if (written.empty()) written.assign(bytes / 64 + 1, ~std::uint64_t{0});
  set_written(offset, size, false);
}

bool region::is_any_written(std::uint64_t offset, std::uint64_t size) const {
  bool result = written.empty();
  if (result) return true;
  for_each_word(offset, offset + size, [&](std::uint64_t i, std::uint64_t mask) {
    result = (written[i] & mask) != 0;
    return !result;
  });
  return result;
}

void region::copy_written(std::uint64_t offset, const region& other, std::uint64_t first,
                          std::uint64_t size) {
  if (written.empty()) return;
  if (other.written.empty()) return set_written(offset, size, true);
  // 64 bits of the other's from any bit on.
  const auto bits_from = [&](std::uint64_t bit) {
    const std::uint64_t i = bit / 64, by = bit % 64;
    const std::uint64_t next =
        by != 0 && i + 1 < other.written.size() ? other.written[i + 1] << (64 - by) : 0;
    return other.written[i] >> by | next;
  };
  std::uint64_t at = offset;
  for_each_word(offset, offset + size, [&](std::uint64_t i, std::uint64_t mask) {
    const std::uint64_t bits = bits_from(first + (at - offset)) << (at % 64);
    written[i] = (written[i] & ~mask) | (bits & mask);
    at = (i + 1) * 64;
    return true;
  });
}

namespace {

// What a function that is not watched writes at once.
constexpr std::uint64_t near = 4096;

}  // namespace

bool region::are_all_written(std::uint64_t offset, std::uint64_t size) const {
  bool result = true;
  if (written.empty()) return result;
  for_each_word(offset, offset + size, [&](std::uint64_t i, std::uint64_t mask) {
    result = (written[i] & mask) == mask;
    return result;
  });
  return result;
}

bool region::seems_written(std::uint64_t offset) {
  const std::uint64_t first = offset / near * near, last = std::min(first + near, bytes);
  const auto* const at = reinterpret_cast<const std::byte*>(begin);
  // Most often all of it is zero.
  if (at[first] == std::byte{0} && std::memcmp(at + first, at + first + 1, last - first - 1) == 0)
    return false;
  for (std::uint64_t part = first; part < last; part += 64) {
    const std::uint64_t known = written[part / 64], size = std::min<std::uint64_t>(last - part, 64);
    for (std::uint64_t i = 0; i < size && known != ~std::uint64_t{0}; ++i) {
      if (at[part + i] == std::byte{0} || (known >> i & 1) != 0) continue;
      set_written(first, last - first, true);
      return true;
    }
  }
  return false;
}

bool region::reads_unwritten(std::uint64_t offset, std::uint64_t size) {
  if (written.empty()) return false;
  const bool is_number = size <= bytes_of(type);
  if (is_number ? are_all_written(offset, size) : is_any_written(offset, size)) return false;
  return !host_can_write || !seems_written(offset);
}

void region::consist_of(const heddle_device::element_type& element) {
  spelled = element.spelled;
  type = element.type;
  element_bytes = std::max(element.size, 1u);
  type_name = heddle::impl::type_name(element);
  if (type_name.empty()) type_name = "byte";
  // An array of 0 elements is one of arrays to a compiler.
  if (element.size == 0)
    type_name = std::string(cuda_on_cpu::trimmed(std::string_view(type_name).substr(0, type_name.find('['))));
  lengths.clear();
  for (const std::uint32_t* n = element.lengths; n != nullptr && *n != 0; ++n) lengths.push_back(*n);
}

namespace {

/// The quotient that is rounded down: what lies before an array has indices of -1 and below.
std::int64_t floored(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

}  // namespace

void set_subscripts(finding& f, const std::vector<std::uint32_t>& lengths) {
  f.subscripts.clear();
  f.lengths.clear();
  std::int64_t index = f.index;
  std::size_t extent = f.extent;
  for (auto n = lengths.rbegin(); n != lengths.rend(); ++n) {
    const std::int64_t row = floored(index, *n);
    f.subscripts.insert(f.subscripts.begin(), index - row * *n);
    f.lengths.insert(f.lengths.begin(), *n);
    index = row;
    extent /= *n;
  }
  f.subscripts.insert(f.subscripts.begin(), index);
  f.lengths.insert(f.lengths.begin(), extent);
}

namespace {

std::map<std::string_view, std::vector<heddle_device::member>> members_of;

}  // namespace

void know_members(std::span<const heddle_device::member> members) {
  members_of.clear();
  for (const heddle_device::member& m : members) members_of[m.type].push_back(m);
}

void name_element(finding& f, const region& r, std::uintptr_t address, std::uint64_t bytes) {
  f.member.clear();
  if (r.spelled != nullptr && address >= r.begin) {
    const std::uint64_t within = (address - r.begin) % r.element_bytes;
    const auto known = members_of.find(r.spelled);
    if (known != members_of.end()) {
      for (const heddle_device::member& m : known->second) {
        if (within >= m.offset && within - m.offset < m.size && bytes <= m.size) f.member = m.name;
      }
    }
  }
  f.variable = r.name;
  f.space = r.space;
  f.extent = (r.bytes != 0 ? r.bytes : r.freed_bytes) / r.element_bytes;
  f.index = floored(static_cast<std::int64_t>(address - r.begin), r.element_bytes);
  set_subscripts(f, r.lengths);
  f.type = r.type_name;
  f.about = r.begin;
}

void undo_log::begin(const std::vector<region*>& regions) {
  regions_ = regions;
  parts_.clear();
  for (region* const r : regions_) {
    r->undo = this;
    r->kept.assign(r->bytes / part + 1, 0);
  }
}

void undo_log::end() {
  for (region* const r : regions_) r->undo = nullptr;
}

void undo_log::keep(region& r, std::uint64_t offset, std::uint64_t bytes) {
  for (std::uint64_t i = offset / part; i <= (offset + std::max<std::uint64_t>(bytes, 1) - 1) / part; ++i) {
    if (r.kept[i] != 0) continue;
    r.kept[i] = 1;
    const std::uint64_t first = i * part, last = std::min(first + part, r.bytes);
    const auto* const at = reinterpret_cast<const std::byte*>(r.begin);
    kept_part p{&r, first, {at + first, at + last}, {}};
    if (!r.written.empty()) {
      const auto words = r.written.begin() + static_cast<std::ptrdiff_t>(first / 64);
      p.written.assign(words, words + static_cast<std::ptrdiff_t>((last - first + 63) / 64));
    }
    parts_.push_back(std::move(p));
  }
}

void undo_log::exchange() {
  for (kept_part& p : parts_) {
    std::swap_ranges(p.bytes.begin(), p.bytes.end(), reinterpret_cast<std::byte*>(p.of->begin + p.offset));
    std::swap_ranges(p.written.begin(), p.written.end(),
                     p.of->written.begin() + static_cast<std::ptrdiff_t>(p.offset / 64));
  }
}

bool shared_layout::add(heddle_device::shared_variable& v, std::uint64_t size) {
  // Of what lies between two variables each has a part: it is told as an index of the nearest.
  const std::size_t gap = std::clamp<std::size_t>(size, 4096, 65536) / page * page;
  const std::size_t alignment = std::max<std::size_t>(page, v.alignment);
  const std::size_t before = variables.empty() ? 0 : gap;
  const std::size_t offset = (next + before + alignment - 1) / alignment * alignment;
  const std::size_t end = offset + (size + page - 1) / page * page;
  if (end + gap > bytes || variables.size() >= no_variable) return false;
  const std::size_t from = variables.empty() ? 0 : (offset - before) / page;
  std::fill(of_page.begin() + static_cast<std::ptrdiff_t>(from), of_page.end(),
            static_cast<std::uint8_t>(variables.size()));
  variables.push_back({&v, offset, size});
  next = end + gap;
  return true;
}

shared_memory::shared_memory(bool watched, bool in_cluster)
    : memory(shared_layout::bytes), is_watched(watched), has_cluster(in_cluster) {}

namespace {

void end_region(region& r) {
  r.freed_bytes = std::exchange(r.bytes, 0);
}

}  // namespace

/// The variable of that number, which the block has not used before; null for none.
region* shared_memory::make(const shared_layout& layout, std::size_t i) {
  if (i >= layout.variables.size()) return nullptr;
  if (i >= regions.size()) regions.resize(i + 1);
  const shared_layout::variable& v = layout.variables[i];
  auto made = std::make_unique<region>();
  made->begin = reinterpret_cast<std::uintptr_t>(memory.data()) + v.offset;
  made->bytes = v.bytes;
  made->shift = word_shift(v.what->element);
  // A dynamic one is often declared as bytes and used as something else.
  if (v.what->size == heddle_device::shared_variable::dynamic && made->shift < 2) made->shift = 0;
  made->name = v.what->name;
  made->space = "shared";
  made->consist_of(v.what->element);
  made->is_shared = true;
  made->is_of_one_block = !has_cluster;
  if (has_cluster) made->of_block = serial_;
  made->of_blocks = v.what;
  made->starts_written = false;
  if (is_watched) made->watch();
  if (is_over_) end_region(*made);
  regions[i] = std::move(made);
  return regions[i].get();
}

void shared_memory::begin(std::uint32_t serial) {
  serial_ = serial;
  is_over_ = false;
  for (const auto& r : regions) {
    if (!r) continue;
    std::fill(r->written.begin(), r->written.end(), 0);
    if (!has_cluster) continue;
    r->bytes = std::max(r->bytes, std::exchange(r->freed_bytes, 0));
    r->of_block = serial;
    r->is_reached = false;
    r->clear_history();
  }
}

void shared_memory::end() {
  is_over_ = true;
  for (const auto& r : regions) {
    if (r) end_region(*r);
  }
}

}  // namespace heddle::checker
