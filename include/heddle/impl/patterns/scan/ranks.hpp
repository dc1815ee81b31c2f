#pragma once

#include <heddle/array.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/distributed/elements.hpp>
#include <heddle/impl/patterns/scan/cpu.hpp>
#include <heddle/impl/patterns/scan/front.hpp>
#include <heddle/impl/patterns/scan/scan_block.hpp>
#include <heddle/operators.hpp>
#include <heddle/scan.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/scan/gpu/scan_block_totals.cuh>
#endif

namespace heddle::impl {

/// Rows first … last−1 in blocks of at most 2^most rows, as few as there are.
std::vector<scan_block> scan_blocks(std::size_t first, std::size_t last, unsigned most);

/// The totals of blocks of rows in the memory of `where`, by a built-in operator whose order matters; written
/// to the CPU. Row `first` begins at x.
void library_block_totals(runtime_op op, dtype type, const void* x, std::size_t first,
                          std::span<const scan_block> blocks, void* totals, const target& where);
void library_block_totals_on_gpu(runtime_op op, dtype type, const void* x, std::size_t first,
                                 std::span<const scan_block> blocks, void* totals, const target& where);

inline namespace HD_BUILD {

/// The total of 2^level rows.
template <class T, class Op>
T total_of_rows(const T* x, unsigned level, const Op& op) {
  order::uninitialized<T, 60> block;
  for (std::size_t r = 0; r < std::size_t{1} << level; ++r, x += order::scan_row<T>)
    order::append_block(op, r, 0, cpu::reduce_row<T>(element_at<T, Op>{x}, op), &block[0]);
  return block[level];
}

}  // namespace HD_BUILD

/// The prefix of the rows of scan_order.hpp so far.
class rows_before {
 public:
  rows_before() = default;
  rows_before(const rows_before&) = delete;
  virtual ~rows_before() = default;
  /// Adds a block of 2^level rows, whose total is *total.
  virtual void append(const void* total, unsigned level) = 0;
  /// Null before the first row of a scan without an initial value.
  virtual const void* value() const = 0;
};

/// The part of a scan over ranks that depends on the element type and the operator. Its elements are
/// in the memory of `where`; totals and initial values are on the CPU.
class scan_of_elements {
 public:
  /// `of_row` is how many elements a row of scan_order.hpp has.
  scan_of_elements(std::size_t bytes, std::size_t of_row, bool is_any)
      : element_bytes(bytes), row(of_row), is_any_order(is_any) {}
  scan_of_elements(const scan_of_elements&) = delete;
  virtual ~scan_of_elements() = default;

  const std::size_t element_bytes, row;
  const bool is_any_order;

  /// Scans x into `out`, which may be x: flat if `along` is null. `before` may be null.
  virtual void scan(const target& where, const void* x, const shape& lengths, const axis* along,
                    const void* before, void* out) const = 0;
  virtual void reduce(const target& where, const void* x, std::size_t size, void* total) const = 0;
  /// The total of each of the blocks. Row 0 of x is row `first` of the array.
  virtual void block_totals(const target& where, const void* x, std::size_t first,
                            std::span<const scan_block> blocks, void* totals) const = 0;
  /// The totals of `parts` from those of the blocks that they are made of, of 2^most rows or all of a part.
  virtual void part_totals(std::span<const scan_block> parts, unsigned most, const void* totals,
                           void* of_parts) const = 0;
  virtual std::unique_ptr<rows_before> prefix(const void* start) const = 0;
};

/// Scans an array over ranks into one of the same blocks, flat or along an axis. `start` may be null.
void scan_over_ranks(const ranks& all, const scan_of_elements& by, const block_to_read& x, const axis* along,
                     const void* start, const block_to_fill& out);
/// The same by a built-in operator.
void library_scan_over_ranks(const ranks& all, scan_kind kind, runtime_op op, dtype type,
                             const block_to_read& x, const axis* along, const void* start,
                             const block_to_fill& out);

inline namespace HD_BUILD {

/// `Elements` loads and stores element i of a buffer on the CPU.
template <class T, class Op, class Elements>
class scan_by_operator : public scan_of_elements {
 public:
  scan_by_operator(const Elements& elements, const Op& op, std::size_t bytes, std::size_t of_row, bool is_any)
      : scan_of_elements(bytes, of_row, is_any), elements_(elements), op_(op) {}

  void part_totals(std::span<const scan_block> parts, unsigned most, const void* totals,
                   void* of_parts) const final {
    std::size_t next = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const unsigned level = parts[p].level > most ? parts[p].level - most : 0;
      order::uninitialized<T, 60> block;
      for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
        order::append_block(op_, i, 0, elements_.load(totals, next++), &block[0]);
      elements_.store(of_parts, p, block[level]);
    }
  }
  std::unique_ptr<rows_before> prefix(const void* start) const final {
    return std::make_unique<rows>(*this, start);
  }

 protected:
  const Op& op() const { return op_; }

 private:
  class rows final : public rows_before {
   public:
    rows(const scan_by_operator& by, const void* start) : by_(by) {
      order::uninitialized<T, 1> first;
      if (start != nullptr) first[0] = by.elements_.load(start, 0);
      prefix_.start(start != nullptr ? &first[0] : nullptr);
    }
    void append(const void* total, unsigned level) final {
      prefix_.append(by_.op_, by_.elements_.load(total, 0), level);
    }
    const void* value() const final {
      return prefix_.exists() ? by_.elements_.address(prefix_.value()) : nullptr;
    }

   private:
    const scan_by_operator& by_;
    order::row_prefix<T> prefix_;
  };

  Elements elements_;
  Op op_;
};

/// Elements whose type is known where they are scanned.
template <class T>
struct typed_elements {
  T load(const void* from, std::size_t i) const { return static_cast<const T*>(from)[i]; }
  void store(void* to, std::size_t i, const T& value) const { static_cast<T*>(to)[i] = value; }
  const void* address(const T& value) const { return &value; }
};

/// A scan by what this compiler made of a caller's operator.
template <scan_kind Kind, class T, class Op>
class scan_by_own_operator final : public scan_by_operator<T, Op, typed_elements<T>> {
 public:
  explicit scan_by_own_operator(const Op& op)
      : scan_by_operator<T, Op, typed_elements<T>>({}, op, sizeof(T), order::scan_row<T>,
                                                   order::any_scan_order<T, Op>) {}

  void scan(const target& where, const void* x, const shape& lengths, const axis* along, const void* before,
            void* out) const final {
    const array_view<const T> from(static_cast<const T*>(x), lengths, where);
    array_view<T> to(static_cast<T*>(out), lengths, where);
    const auto* const first = static_cast<const T*>(before);
    scan_existing<Kind>(where, to, from, along, this->op(),
                        first != nullptr ? std::optional<T>(*first) : std::optional<T>());
  }
  void reduce(const target& where, const void* x, std::size_t size, void* total) const final {
    *static_cast<T*>(total) =
        heddle::reduce(where, array_view<const T>(static_cast<const T*>(x), shape{size}, where), this->op());
  }
  void block_totals(const target& where, const void* x, std::size_t first, std::span<const scan_block> blocks,
                    void* totals) const final {
    const auto* const from = static_cast<const T*>(x);
    auto* const to = static_cast<T*>(totals);
    if (!where.is_gpu()) {
      cpu::for_slices(where.threads(), blocks.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
          to[b] = total_of_rows(from + (blocks[b].first - first) * order::scan_row<T>, blocks[b].level,
                                this->op());
      });
    } else {
#if defined(__CUDACC__)
      gpu::scan_block_totals(where, from, first, blocks, this->op(), to);
#else
      fail_not_compiled_for_gpu();
#endif
    }
  }
};

/// The scan of x, flat or along an axis, into `out`, or into a new array of the same blocks.
template <scan_kind Kind, class T, class Op>
void scan_existing_over_ranks(const char* pattern, const ranks& all, distributed_array<T>& out,
                              const distributed_array<T>& x, const Op& op, const std::optional<T>& init,
                              const axis* along = nullptr) {
  check_operator<T, Op>();
  check_ranks(pattern, all, x.all());
  check_same_blocks(pattern, out, x);
  const scan_start<Kind, T, Op> start(op, init);
  const block_to_read from = to_read(all, x);
  const block_to_fill to = to_fill(all, out);
  if constexpr (library_combines<T, Op>()) {
    library_scan_over_ranks(all, Kind, function_of<Op>, dtype_of<T>, from, along, start.get(), to);
  } else {
    scan_over_ranks(all, scan_by_own_operator<Kind, T, Op>(op), from, along, start.get(), to);
  }
  order(all.where(), out.local().where());
}
template <scan_kind Kind, class T, class Op>
distributed_array<T> scan_new_over_ranks(const char* pattern, const ranks& all, const distributed_array<T>& x,
                                         const Op& op, const std::optional<T>& init,
                                         const axis* along = nullptr) {
  check_ranks(pattern, all, x.all());
  distributed_array<T> out(all, x.shape(), x.begins());
  scan_existing_over_ranks<Kind>(pattern, all, out, x, op, init, along);
  return out;
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
