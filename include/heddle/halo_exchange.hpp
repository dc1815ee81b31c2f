#pragma once

#include <heddle/impl/transport.hpp>
#include <heddle/ranks.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace heddle {

/// Blocks of rows that differ by one at most: where that of each rank begins, and the number of rows at last.
std::vector<std::size_t> even_rows(std::size_t rows, int ranks);

/// Memory on the target of a rank.
struct memory_part {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Rows of a grid that is spread over ranks, and the way between those that are neighbours: what one computes
/// at its edges another needs beside its own. Rows may be of anything.
///
///     hd::halo_exchange halos(all, hd::even_rows(height, all.size()), false);
///     …the rows at the edges…
///     halos.start(first_rows, last_rows, rows_before, rows_after);
///     …the rows between them, meanwhile…
///     halos.finish();
///
/// A rank without rows has no neighbours, and those around it are neighbours of each other. Every rank calls
/// start and finish, in turn.
class halo_exchange {
 public:
  /// `begins` is where the block of each rank begins, and the number of rows at last. Of periodic rows the
  /// last comes before the first. Connects neighbours, for which NCCL takes as long as for thousands of
  /// exchanges: every rank calls it. Throws heddle::error for other numbers.
  halo_exchange(const ranks& all, std::vector<std::size_t> begins, bool periodic);

  const ranks& all() const noexcept { return all_; }
  const std::vector<std::size_t>& begins() const noexcept { return begins_; }
  std::size_t first_row() const { return begins_[static_cast<std::size_t>(all_.rank())]; }
  std::size_t rows() const { return begins_[static_cast<std::size_t>(all_.rank()) + 1] - first_row(); }

  /// Whether one rank has all rows: nothing is exchanged then.
  bool is_whole() const noexcept { return is_whole_; }
  /// The fewest rows of a rank that has any: neighbours exchange no more of them at once.
  std::size_t least_rows() const noexcept { return least_rows_; }
  /// Whether rows of another rank come before and after those of this one.
  bool has_before() const noexcept { return before_ >= 0; }
  bool has_after() const noexcept { return after_ >= 0; }

  /// Sends what the neighbours need, and receives what they send: as many parts as go the other way, of the
  /// same sizes. The memory is on the target of the rank, and is left alone until `finish`. What has no
  /// neighbour is not used.
  void start(std::span<const memory_part> to_before, std::span<const memory_part> to_after,
             std::span<const memory_part> from_before, std::span<const memory_part> from_after);
  void start(const memory_part& to_before, const memory_part& to_after, const memory_part& from_before,
             const memory_part& from_after) {
    start(std::span(&to_before, 1), std::span(&to_after, 1), std::span(&from_before, 1),
          std::span(&from_after, 1));
  }
  /// Returns when all has arrived; on a GPU what is put on the stream from then on comes after that.
  void finish();

 private:
  void connect();

  ranks all_;
  std::vector<std::size_t> begins_;
  bool is_whole_ = false;
  std::size_t least_rows_ = 0;
  int before_ = -1, after_ = -1;
  std::unique_ptr<impl::exchange> running_;
};

}  // namespace heddle
