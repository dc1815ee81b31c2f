#include "checker/program/program_runtime.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

/// Elements that a program copies to the host before anything has written them.
namespace heddle::checker {
namespace {

using heddle_device::index3;

/// The elements of an array that a copy has and that nothing has written: where they are.
struct unwritten_elements {
  std::uint64_t extent = 0, copied = 0;  ///< of the array, and of the copy
  std::uint64_t first = 0, end = 0;      ///< from the first of them to behind the last
  std::uint64_t count = 0;
  std::uint64_t run = 0, distance = 0;  ///< in the first run of them; to the next run, 0 for none
};

class counter {
 public:
  explicit counter(unwritten_elements& of) : of_(of) {}
  void add(std::uint64_t element, bool is_unwritten) {
    ++of_.copied;
    if (!is_unwritten) return;
    if (of_.count == 0) of_.first = element;
    if (of_.count == element - of_.first) {
      ++of_.run;
    } else if (of_.distance == 0) {
      of_.distance = element - of_.first;
    }
    ++of_.count;
    of_.end = element + 1;
  }

 private:
  unwritten_elements& of_;
};

std::string blocks_text(std::uint64_t n) {
  return n == 1 ? "1 block" : fmt::format("{} blocks", n);
}

/// Why a launch has left them; empty where its shape does not say.
std::string why_left(const unwritten_elements& e, const std::string& kernel, index3 grid, index3 block) {
  const std::uint64_t blocks = cuda_on_cpu::volume(grid), of_a_block = cuda_on_cpu::volume(block);
  const std::uint64_t threads = blocks * of_a_block, along_x = std::uint64_t{grid.x} * block.x;
  const bool is_rest = e.distance == 0 && e.end == e.extent && e.first != 0;
  if (is_rest && threads < e.extent && e.first % blocks == 0 && e.first % threads == 0) {
    const std::uint64_t a_block = e.first / blocks;
    return fmt::format(
        "{} has too few threads: {} of {} elements leave {}, and {} are needed, as (n + {}) / {} counts them "
        "for n "
        "elements",
        kernel, blocks_text(blocks), a_block, e.extent - e.first,
        blocks_text((e.extent + a_block - 1) / a_block), a_block - 1, a_block);
  }
  if (is_rest && threads > along_x && e.first == along_x)
    return fmt::format(
        "{} wrote as many elements as its grid has threads along x, {}: threadIdx.y and blockIdx.y may "
        "be missing in its index",
        kernel, along_x);
  if (is_rest && blocks > 1 && e.first == of_a_block)
    return fmt::format(
        "{} wrote as many elements as a block has threads, {}: blockIdx may be missing in its index", kernel,
        of_a_block);
  if (e.distance != 0 && e.distance > e.run && e.first == e.distance - e.run && e.first == along_x)
    return fmt::format(
        "of each row of {} elements {} wrote the first {}, for which its grid has threads along x: (width + "
        "{}) / {} "
        "blocks have enough",
        e.distance, kernel, along_x, block.x - 1, block.x);
  return fmt::format("{} may have too few threads, or its index may leave elements out", kernel);
}

}  // namespace

void program_runtime::note_writer(noted_launch l) {
  constexpr std::size_t most = 256;
  // Numbers may have begun anew.
  std::erase_if(noted_launches_,
                [&](const noted_launch& other) { return other.first_serial >= l.first_serial; });
  noted_launches_.push_back(std::move(l));
  if (noted_launches_.size() > most) noted_launches_.pop_front();
}

/// A copy to the host of bytes of which some were never written.
void program_runtime::note_unwritten_copy(const char* function, const box& to, const box& from,
                                          const region& r) {
  bool is_any = false;
  std::vector<std::uint64_t> rows;
  from.for_each_row([&](std::uint64_t offset) {
    rows.push_back(from.begin + offset - r.begin);
    is_any |= !r.are_all_written(rows.back(), from.width);
  });
  copies_.forget(to.begin, to.span());
  if (!is_any || !r.is_any_written(from.begin - r.begin, from.span())) return;
  const std::uint64_t number = bytes_of(r.type);
  unwritten_copy c{to.begin, to.span(), {}, number, frame_of(to.begin), {}};
  c.unwritten.assign(c.bytes / 64 + 1, 0);
  unwritten_elements e;
  e.extent = r.bytes / r.element_bytes;
  counter count(e);
  std::size_t row = 0;
  to.for_each_row([&](std::uint64_t offset) {
    const std::uint64_t first = rows[row++];
    std::uint64_t of_element = 0;  // bytes that are unwritten
    for (std::uint64_t i = 0; i < to.width; ++i) {
      const std::uint64_t at = first + i;
      if (at % r.element_bytes == 0) of_element = 0;
      // Code that is not watched wrote the elements that are not zero.
      if (!r.is_any_written(at, 1) &&
          *reinterpret_cast<const std::byte*>(to.begin + offset + i) == std::byte{0}) {
        c.unwritten[(offset + i) / 64] |= std::uint64_t{1} << (offset + i) % 64;
        ++of_element;
      }
      if ((at + 1) % r.element_bytes == 0)
        count.add(at / r.element_bytes, number != 0 ? of_element != 0 : of_element == r.element_bytes);
    }
  });
  finding& f = c.told;
  f.kind = finding_kind::uninitialised_read;
  f.places.push_back(host_place(fmt::format("calls {}", function)));
  const auto writer = std::find_if(noted_launches_.rbegin(), noted_launches_.rend(),
                                   [&](const noted_launch& l) { return l.first_serial <= r.writer; });
  const bool has_writer = r.writer != 0 && writer != noted_launches_.rend();
  if (has_writer) f.places.push_back(writer->by);
  name_element(f, r, r.begin + e.first * r.element_bytes);
  add_place_of_graph(f);
  add_places_of_memory(f);
  f.detail =
      e.count == 0
          ? "a part of each element was written before it was copied"
          : fmt::format("{} of {} elements that were copied, from {} on, were never written{}", e.count,
                        e.copied, element_text(f),
                        has_writer ? ": " + why_left(e, writer->kernel, writer->grid, writer->block) : "");
  if (options_.tells_unwritten_copies && e.count != 0) {
    report(std::move(f));
  } else {
    copies_.add(std::move(c));
  }
}

void program_runtime::access_copy(std::uintptr_t address, std::size_t bytes, bool writes, std::uintptr_t pc) {
  if (writes) return copies_.forget(address, bytes);
  std::optional<unwritten_copy> read = copies_.read(address, bytes);
  if (!read || !has_begun_) return;
  const auto lock = lock_unless_in_kernel();
  // For memory that kernels reach, too, nothing else is reported.
  if (allocation* const a = memory_->find(read->begin);
      a != nullptr && a->memory.has(read->begin, read->bytes))
    a->memory.set_written(read->begin - a->memory.begin, read->bytes, true);
  finding& f = read->told;
  if (!told_copies_.emplace(f.places.front().pc, f.variable).second) return;
  std::vector<std::uintptr_t> frames = call_stack();
  while (!frames.empty() && frames.front() != pc) frames.erase(frames.begin());
  if (frames.empty()) frames.push_back(pc);
  f.places.insert(f.places.begin(), host_place("reads", frames));
  report(std::move(f));
}

}  // namespace heddle::checker
