#pragma once

#include <heddle/impl/distributed/transport.hpp>
#include <heddle/ranks.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace heddle {

/// The first row of each rank's block, then the number of rows. Blocks differ by at most one row.
std::vector<std::size_t> even_rows(std::size_t rows, int ranks);

/// Memory on the target of a rank.
struct memory_part {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Exchanges halo rows between ranks that own neighbouring blocks of a grid's rows. A row may hold any bytes.
///
///     hd::halo_exchange halos(all, hd::even_rows(height, all.size()), false);
///     …the rows at the edges…
///     halos.start(first_rows, last_rows, rows_before, rows_after);
///     …the rows between them, meanwhile…
///     halos.finish();
///
/// A rank without rows has no neighbours, and those around it are neighbours of each other. Every rank calls
/// `start`, then `finish`, as often as the others.
class halo_exchange {
 public:
  /// `begins` is the first row of each rank's block, then the number of rows; throws heddle::error for
  /// anything else. If `periodic`, the first and the last row are neighbours. Every rank calls it. It
  /// connects neighbours, which takes NCCL as long as thousands of exchanges.
  halo_exchange(const ranks& all, std::vector<std::size_t> begins, bool periodic);

  const ranks& all() const noexcept { return all_; }
  const std::vector<std::size_t>& begins() const noexcept { return begins_; }
  std::size_t first_row() const { return begins_[static_cast<std::size_t>(all_.rank())]; }
  std::size_t rows() const { return begins_[static_cast<std::size_t>(all_.rank()) + 1] - first_row(); }

  /// Whether one rank has all rows: nothing is exchanged then.
  bool is_whole() const noexcept { return is_whole_; }
  /// The fewest rows of a rank that has any: the most that one exchange may have.
  std::size_t least_rows() const noexcept { return least_rows_; }
  /// Whether rows of another rank come before and after those of this one.
  bool has_before() const noexcept { return before_ >= 0; }
  bool has_after() const noexcept { return after_ >= 0; }

  /// Starts to send parts to both neighbours and to receive parts from them: as many each way, of the same
  /// sizes. The memory is on the target of the rank and may not be used before `finish`. Parts for a
  /// neighbour that does not exist are ignored.
  void start(std::span<const memory_part> to_before, std::span<const memory_part> to_after,
             std::span<const memory_part> from_before, std::span<const memory_part> from_after);
  void start(const memory_part& to_before, const memory_part& to_after, const memory_part& from_before,
             const memory_part& from_after) {
    start(std::span(&to_before, 1), std::span(&to_after, 1), std::span(&from_before, 1),
          std::span(&from_after, 1));
  }
  /// Returns when all parts have arrived. On a GPU it may return before: work that is put on the stream later
  /// waits for them.
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
