#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/operators.hpp>
#include <heddle/ranks.hpp>
#include <heddle/reduce.hpp>
#include <heddle/shape.hpp>
#include <heddle/support/function_ref.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::impl {

/// Elements of a row: of all axes but the slowest.
std::size_t row_elements(const shape& whole);
/// The shape with another number of rows.
shape with_rows(const shape& whole, std::size_t rows);

/// Elements that have an order: all built-in types but the complex ones.
template <class T>
concept ordered_element = element<T> && library_has<T, minimum>();

/// The first rows of blocks: see distributed_array.
std::vector<std::size_t> even_blocks(const shape& whole, int ranks);
std::vector<std::size_t> blocks_of(const ranks& all, const shape& local);
void check_blocks(const shape& whole, const std::vector<std::size_t>& begins, int ranks);

std::vector<std::size_t> block_bytes(const shape& whole, const std::vector<std::size_t>& begins,
                                     std::size_t element_bytes);
/// The bytes that block `rank` of `blocks` has in common with each block of others.
std::vector<std::size_t> bytes_in_common(const std::vector<std::size_t>& blocks,
                                         const std::vector<std::size_t>& others, int rank,
                                         std::size_t row_bytes);

/// Throws if an array is distributed over other ranks than those of the call.
void check_ranks(const char* pattern, const ranks& all, const ranks& of_array);

/// Whether every rank gathers on the GPU, and the stream, that its block is on. Every rank calls it.
bool gathers_on_gpus(const ranks& all, const target& where);

/// Throws: arrays of a pattern have different shapes or blocks.
[[noreturn]] void fail_blocks(const char* pattern, const shape& a, const shape& b);

/// The elements of a view where the CPU reads them.
template <class T>
class on_cpu {
 public:
  explicit on_cpu(const array_view<const T>& x) : view_(x) {
    if (!x.where().is_gpu()) return;
    copy_ = x.on(target());
    view_ = copy_.view();
  }
  on_cpu(const on_cpu&) = delete;
  const T* data() const { return view_.data(); }

 private:
  array<T> copy_;
  array_view<const T> view_;
};

/// A buffer on the CPU for the elements of a view, which `deliver` copies to it.
template <class T>
class filled_on_cpu {
 public:
  explicit filled_on_cpu(const array_view<T>& to) : to_(to) {
    if (to.where().is_gpu()) staged_ = array<T>(to.shape());
  }
  filled_on_cpu(const filled_on_cpu&) = delete;
  T* data() { return to_.where().is_gpu() ? staged_.data() : to_.data(); }
  void deliver() {
    if (to_.where().is_gpu()) to_.copy_from(staged_.view());
  }

 private:
  array_view<T> to_;
  array<T> staged_;
};

/// Copies `rows` rows of `row_bytes` bytes, which begin `from_pitch` and `to_pitch` bytes apart, in the
/// memory of `where`.
void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t row_bytes, std::size_t rows, const target& where);
void copy_rows_on_gpu(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t row_bytes, std::size_t rows, const target& where);

/// The block of one rank of a distributed array, as bytes in the memory of the rank's target.
template <class Void>
struct block_bytes_of {
  const heddle::shape& shape;  ///< of the whole array
  const std::vector<std::size_t>& begins;
  std::size_t element_bytes;
  Void* data;

  std::size_t rows(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return begins[r + 1] - begins[r];
  }
};
using block_to_read = block_bytes_of<const void>;
using block_to_fill = block_bytes_of<void>;
template <class X>
constexpr std::size_t element_bytes_of(const X& x) {
  if constexpr (requires { typename X::value_type; }) {
    return sizeof(typename X::value_type);
  } else {
    return size_of(x.dtype());
  }
}
/// The block of x, after the work on the stream that x was made with.
template <class X>
block_to_read to_read(const ranks& all, const X& x) {
  order(x.local().where(), all.where());
  return {x.shape(), x.begins(), element_bytes_of(x), x.local().data()};
}
template <class X>
block_to_fill to_fill(const ranks& all, X& x) {
  order(x.local().where(), all.where());
  return {x.shape(), x.begins(), element_bytes_of(x), x.local().data()};
}

/// Fills `moved` with the elements of this rank in other blocks. `from` and `to` count elements.
void move_blocks(const ranks& all, const void* block, std::size_t element_bytes,
                 const std::vector<std::size_t>& from, const std::vector<std::size_t>& to, void* moved);

/// Fills `result` with all rows of columns columns[rank] … columns[rank + 1]−1. A column is an index along
/// all axes but the slowest.
void columns_of_rank(const ranks& all, const block_to_read& x, const std::vector<std::size_t>& columns,
                     void* result);
/// The way back: fills the block of this rank.
void rows_of_rank(const ranks& all, const void* whole_columns, const std::vector<std::size_t>& columns,
                  const block_to_fill& x);

/// Whether a column is left on all ranks, as there are fewer columns than ranks.
inline bool are_few_columns(const ranks& all, const shape& whole) {
  return row_elements(whole) < static_cast<std::size_t>(all.size());
}

/// Reduces each of `rows` rows of `length` elements, in the memory of `where`, to an element of `out` there.
using row_reduction =
    function_ref<void(const target& where, const void* x, std::size_t rows, std::size_t length, void* out)>;
/// Elements that are distributed over ranks: this rank has `size` of `all_size`, from number `first` on.
struct distributed_elements {
  const void* data;
  std::size_t size, first, all_size, element_bytes;
};

/// Reduces at least one element to *total, on the CPU of every rank, in the order of order.hpp with tiles of
/// `tile` elements. Each rank reduces its whole tiles, then the tiles of their results, and so on. Ranks
/// gather the elements that are left at both ends of each level, under two tiles, and each rank combines
/// them.
void reduce_tiles_over_ranks(const ranks& all, const distributed_elements& x, std::size_t tile,
                             row_reduction reduce_rows, void* total);
/// The same by a built-in operator that combines elements of that type.
void library_reduce_over_ranks(const ranks& all, runtime_op op, dtype type, const distributed_elements& x,
                               void* total);

/// The index of the smallest or largest element among those of all ranks; `op` is minimum or maximum.
std::size_t arg_over_ranks(const char* pattern, const ranks& all, runtime_op op, dtype type,
                           const block_to_read& x);

inline namespace HD_BUILD {

/// Reduces n elements that are distributed over ranks; those of this rank begin at number `first`.
template <class T, class Op>
T reduce_over_ranks(const ranks& all, const array_view<const T>& local, std::size_t first, std::size_t n,
                    const Op& op) {
  order::uninitialized<T, 1> total;
  const distributed_elements x{local.data(), local.size(), first, n, sizeof(T)};
  if constexpr (library_combines<T, Op>()) {
    library_reduce_over_ranks(all, function_of<Op>, dtype_of<T>, x, &total[0]);
  } else {
    reduce_tiles_over_ranks(
        all, x, order::tile<T, Op>,
        [&](const target& where, const void* rows, std::size_t count, std::size_t length, void* out) {
          reduce_into(where, array_view<T>(static_cast<T*>(out), shape{count}, where),
                      array_view<const T>(static_cast<const T*>(rows), {count, length}, where), axis{1}, op);
        },
        &total[0]);
  }
  return total[0];
}

}  // namespace HD_BUILD

/// The sums of what all ranks counted, on every rank. Each rank sums a part.
array<std::uint64_t> summed_counts(const ranks& all, const array<std::uint64_t>& own);

/// Writes an array whose blocks have so many bytes each; this rank's is `block`, in the memory of its target.
void write_npy_of_ranks(const ranks& all, const std::string& path, dtype type, const shape& whole,
                        const std::vector<std::size_t>& bytes, const void* block);

}  // namespace heddle::impl
