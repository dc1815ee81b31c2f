#pragma once

#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/ranks.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace heddle {

/// The first row of each rank's block, then the number of rows: the even blocks that distributed_array makes
/// for an array of this shape.
inline std::vector<std::size_t> even_begins(const ranks& all, const shape& lengths) {
  return impl::even_blocks(lengths, all.size());
}

/// An array that is distributed over ranks: each rank owns a block of rows, that is, of indices along the
/// slowest axis, in the order of ranks. Any block may be empty. Elements are uninitialised, contiguous in C
/// order, on the target of their rank.
///
///     hd::distributed_array<float> x(all, {rows, columns});
///     x.local().fill(0);
template <element T>
class distributed_array {
 public:
  using value_type = T;

  /// In blocks that differ by an eighth at most. Where the array is large enough they end at edges of the
  /// tiles in which `reduce` and the scans combine elements.
  distributed_array(const ranks& all, const heddle::shape& lengths)
      : distributed_array(all, lengths, impl::even_blocks(lengths, all.size())) {}
  distributed_array(const ranks& all, std::initializer_list<std::size_t> lengths)
      : distributed_array(all, heddle::shape(lengths)) {}

  /// `begins` is the first row of each rank's block, then the number of rows. Throws heddle::error for
  /// anything else.
  distributed_array(const ranks& all, heddle::shape lengths, std::vector<std::size_t> begins)
      : all_(all), shape_(std::move(lengths)), begins_(std::move(begins)) {
    impl::check_blocks(shape_, begins_, all_.size());
    local_ = array<T>(impl::with_rows(shape_, rows()), all_.where());
  }

  /// Of existing blocks: `local` has the rows of this rank and is on its target. Ranks may have different
  /// numbers of rows; the other axes are equal.
  distributed_array(const ranks& all, array<T> local)
      : all_(all), begins_(impl::blocks_of(all, local.shape())), local_(std::move(local)) {
    shape_ = impl::with_rows(local_.shape(), begins_.back());
    if (!impl::same_memory(local_.where(), all_.where()))
      fail("distributed_array: the block of rank " + std::to_string(all_.rank()) + " is on " +
           local_.where().text() + ", the rank on " + all_.where().text());
  }

  /// The same with a known shape and `begins`: ranks do not communicate.
  distributed_array(const ranks& all, heddle::shape lengths, std::vector<std::size_t> begins, array<T> local)
      : all_(all), shape_(std::move(lengths)), begins_(std::move(begins)), local_(std::move(local)) {
    impl::check_blocks(shape_, begins_, all_.size());
    const heddle::shape block = impl::with_rows(shape_, rows());
    if (!(local_.shape() == block)) impl::fail_blocks("distributed_array", local_.shape(), block);
  }

  const ranks& all() const noexcept { return all_; }
  /// Of the whole array.
  const heddle::shape& shape() const noexcept { return shape_; }
  std::size_t size() const { return shape_.elements(); }

  /// The first row of each rank's block, then the number of rows.
  const std::vector<std::size_t>& begins() const noexcept { return begins_; }
  std::size_t first_row() const { return begins_[static_cast<std::size_t>(all_.rank())]; }
  std::size_t rows() const { return begins_[static_cast<std::size_t>(all_.rank()) + 1] - first_row(); }

  /// The block of this rank.
  array_view<T> local() & { return local_.view(); }
  array_view<const T> local() const& { return local_.view(); }
  void local() && = delete;

  /// The whole array, on every rank, on `where`, which may differ between ranks. Sends each element once:
  /// directly between GPUs if every rank names the GPU of its block, as gather(all.where()) does, otherwise
  /// through CPU memory.
  array<T> gather(const target& where = {}) const {
    const std::vector<std::size_t> bytes = impl::block_bytes(shape_, begins_, sizeof(T));
    if (impl::gathers_on_gpus(all_, where)) {
      array<T> whole(shape_, where);
      all_.between().all_gather(local().data(), bytes, whole.data(), where);
      return whole;
    }
    array<T> whole(shape_, where.is_gpu() ? target() : where);
    const impl::on_cpu<T> mine(local());
    all_.between().all_gather(mine.data(), bytes, whole.data());
    return where.is_gpu() ? whole.on(where) : std::move(whole);
  }

  /// The same elements in other blocks. Each element is sent at most once.
  distributed_array redistributed(std::vector<std::size_t> begins) const {
    distributed_array to(all_, shape_, std::move(begins));
    const std::size_t row = impl::row_elements(shape_);
    const auto in_elements = [&](std::vector<std::size_t> rows) {
      for (std::size_t& b : rows) b *= row;
      return rows;
    };
    impl::order(local_.where(), all_.where());
    impl::move_blocks(all_, local_.data(), sizeof(T), in_elements(begins_), in_elements(to.begins_),
                      to.local_.data());
    return to;
  }

 private:
  ranks all_;
  heddle::shape shape_;
  std::vector<std::size_t> begins_;
  array<T> local_;
};

}  // namespace heddle
