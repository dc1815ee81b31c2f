#include "core/type_op_dispatch.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/ranks_along.hpp>
#include <heddle/impl/patterns/scan/ranks.hpp>
#include <heddle/memory.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace heddle::impl {
namespace {

/// Elements of this rank, which begin at number `first` of the array, and where their scan goes.
struct part_of_scan {
  const void* x;
  std::size_t size, first;
  void* out;
};

const void* at(const void* x, std::size_t bytes) {
  return static_cast<const std::byte*>(x) + bytes;
}
void* at(void* x, std::size_t bytes) {
  return static_cast<std::byte*>(x) + bytes;
}

std::span<const std::byte> bytes_of(const memory& x) {
  return {static_cast<const std::byte*>(x.data()), x.bytes()};
}

/// Any order gives the same bits: each rank's total is enough.
void scan_by_totals_of_ranks(const ranks& all, const scan_of_elements& by, const part_of_scan& part,
                             const void* start) {
  const memory total(part.size > 0 ? by.element_bytes : 0, target());
  if (part.size > 0) by.reduce(all.where(), part.x, part.size, total.data());
  const array<std::size_t> sizes = all.all_gather(total.bytes());
  const array<std::byte> totals = all.all_gather(bytes_of(total));
  const auto before = by.prefix(start);
  const std::byte* next = totals.data();
  for (int r = 0; r < all.rank(); ++r) {
    if (sizes.data()[r] == 0) continue;
    before->append(next, 0);
    next += by.element_bytes;
  }
  if (part.size > 0) by.scan(all.where(), part.x, shape{part.size}, nullptr, before->value(), part.out);
}

/// In the order of scan_order.hpp; the part begins a row. Ranks gather the totals of the largest blocks of
/// rows of each; then each rank scans its elements with the prefix of the rows before them.
void scan_by_totals_of_rows(const ranks& all, const scan_of_elements& by, const part_of_scan& part,
                            const void* start) {
  const target& where = all.where();
  const std::size_t row = by.row, bytes = by.element_bytes;
  // Blocks that keep all threads, or all multiprocessors, busy.
  const std::size_t block_bytes = where.is_gpu() ? std::size_t{1} << 22 : std::size_t{1} << 18;
  unsigned most = 0;
  while ((row * bytes) << (most + 1) <= block_bytes) ++most;
  const std::size_t first_row = part.first / row, end_row = first_row + part.size / row;
  const std::vector<scan_block> parts = scan_blocks(first_row, end_row, 60),
                                blocks = scan_blocks(first_row, end_row, most);
  const memory block_totals(blocks.size() * bytes, target());
  by.block_totals(where, part.x, first_row, blocks, block_totals.data());
  const memory totals(parts.size() * bytes, target());
  by.part_totals(parts, most, block_totals.data(), totals.data());
  const array<scan_block> all_parts = all.all_gather(std::span<const scan_block>(parts));
  const array<std::byte> all_totals = all.all_gather(bytes_of(totals));
  const auto before = by.prefix(start);
  std::size_t p = 0;
  const auto append = [&] {
    before->append(all_totals.data() + p * bytes, all_parts.data()[p].level);
    ++p;
  };
  while (p < all_parts.size() && all_parts.data()[p].first < first_row) append();
  const auto scan_elements = [&](std::size_t begin, std::size_t end) {
    if (begin < end)
      by.scan(where, at(part.x, begin * bytes), shape{end - begin}, nullptr, before->value(),
              at(part.out, begin * bytes));
  };
  for (const scan_block& block : parts) {
    const std::size_t begin = (block.first - first_row) * row;
    scan_elements(begin, begin + (row << block.level));
    append();
  }
  scan_elements((end_row - first_row) * row, part.size);
}

/// Scans all elements in C order.
void scan_flat(const ranks& all, const scan_of_elements& by, const block_to_read& x, const void* start,
               void* out) {
  const target& where = all.where();
  const std::size_t n = x.shape.elements(), in_row = row_elements(x.shape), row = by.row;
  const auto me = static_cast<std::size_t>(all.rank());
  std::vector<std::size_t> begins;
  for (const std::size_t b : x.begins) begins.push_back(b * in_row);
  std::vector<std::size_t> on_rows = begins;
  for (std::size_t r = 1; r < begins.size() - 1; ++r)
    on_rows[r] = std::min(n, (begins[r] + row / 2) / row * row);
  const auto scan = [&](const void* from, void* to) {
    const part_of_scan part{from, on_rows[me + 1] - on_rows[me], on_rows[me], to};
    if (all.size() == 1) return by.scan(where, from, shape{part.size}, nullptr, start, to);
    if (by.is_any_order) return scan_by_totals_of_ranks(all, by, part, start);
    scan_by_totals_of_rows(all, by, part, start);
  };
  if (on_rows == begins) return scan(x.data, out);
  memory moved((on_rows[me + 1] - on_rows[me]) * by.element_bytes, where);
  move_blocks(all, x.data, by.element_bytes, begins, on_rows, moved.data());
  scan(moved.data(), moved.data());
  move_blocks(all, moved.data(), by.element_bytes, on_rows, begins, out);
}

using binary_function = void (*)(const void* a, const void* b, void* result);

/// The function of two elements of that type; a bool is a byte.
binary_function function_on_elements(runtime_op op, dtype type) {
  binary_function found = nullptr;
  dispatch_type_op<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op) {
    found = [](const void* a, const void* b, void* result) {
      order::uninitialized<T, 2> given;
      std::memcpy(&given[0], a, sizeof(T));
      std::memcpy(&given[1], b, sizeof(T));
      const T value = Op()(given[0], given[1]);
      std::memcpy(result, &value, sizeof(T));
    };
  });
  return found;
}

/// A built-in operator on elements of one type.
struct operator_on_values {
  dtype type;
  binary_function combine;
  any_value operator()(const any_value& a, const any_value& b) const {
    alignas(largest_element_bytes) std::byte result[largest_element_bytes];
    combine(a.data(), b.data(), result);
    return {type, result};
  }
};
struct elements_of_type {
  dtype type;
  any_value load(const void* from, std::size_t i) const { return {type, at(from, i * size_of(type))}; }
  void store(void* to, std::size_t i, const any_value& value) const {
    std::memcpy(at(to, i * size_of(type)), value.data(), size_of(type));
  }
  const void* address(const any_value& value) const { return value.data(); }
};

/// Whether every order of combination gives the same bits.
bool is_any_order(runtime_op op, dtype type) {
  bool found = false;
  dispatch_type_op<family::all>(
      type, op, [&]<class T, class Op>(type_tag<T>, Op) { found = order::any_scan_order<T, Op>; });
  return found;
}

/// A scan by a built-in operator, one piece of code for all of them.
class scan_by_library final : public scan_by_operator<any_value, operator_on_values, elements_of_type> {
 public:
  scan_by_library(scan_kind kind, runtime_op op, dtype type)
      : scan_by_operator({type}, {type, function_on_elements(op, type)}, size_of(type),
                         order::scan_row_vectors * order::scan_vector_of(size_of(type)),
                         impl::is_any_order(op, type)),
        is_exclusive_(kind == scan_kind::exclusive),
        op_(op),
        type_(type) {}

  void scan(const target& where, const void* x, const shape& lengths, const axis* along, const void* before,
            void* out) const override {
    const any_const_view from(x, type_, lengths, where);
    const any_view to(out, type_, lengths, where);
    const std::optional<any_value> init =
        before != nullptr ? std::optional<any_value>(any_value(type_, before)) : std::nullopt;
    if (along == nullptr) {
      is_exclusive_ ? exclusive_scan_into(where, to, from, op_, init)
                    : inclusive_scan_into(where, to, from, op_, init);
    } else {
      is_exclusive_ ? exclusive_scan_into(where, to, from, *along, op_, init)
                    : inclusive_scan_into(where, to, from, *along, op_, init);
    }
  }
  void reduce(const target& where, const void* x, std::size_t size, void* total) const override {
    const any_value value = heddle::reduce(where, any_const_view(x, type_, shape{size}, where), op_);
    std::memcpy(total, value.data(), element_bytes);
  }
  void block_totals(const target& where, const void* x, std::size_t first, std::span<const scan_block> blocks,
                    void* totals) const override {
    library_block_totals(op_, type_, x, first, blocks, totals, where);
  }

 private:
  bool is_exclusive_;
  runtime_op op_;
  dtype type_;
};

}  // namespace

void scan_over_ranks(const ranks& all, const scan_of_elements& by, const block_to_read& x, const axis* along,
                     const void* start, const block_to_fill& out) {
  if (along == nullptr) return scan_flat(all, by, x, start, out.data);
  const std::size_t a = x.shape.resolve_axis(along->index);
  const shape column{x.shape[0]};
  lines_along(
      all, x, a, out,
      [&](const void* lines, const shape& lengths, axis of, void* to) {
        by.scan(all.where(), lines, lengths, &of, start, to);
      },
      [&](const void* own_rows, void* to) {
        scan_flat(all, by, {column, x.begins, x.element_bytes, own_rows}, start, to);
      });
}

void library_scan_over_ranks(const ranks& all, scan_kind kind, runtime_op op, dtype type,
                             const block_to_read& x, const axis* along, const void* start,
                             const block_to_fill& out) {
  scan_over_ranks(all, scan_by_library(kind, op, type), x, along, start, out);
}

}  // namespace heddle::impl
