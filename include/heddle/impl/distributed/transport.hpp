#pragma once

#include <heddle/target.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace heddle::impl {

/// The GPU of a rank, as other ranks see it.
struct gpu_place;

/// Bytes that go to a rank, which may be this one.
struct outgoing {
  int to;
  const void* data;
  std::size_t bytes;
};
/// A buffer for bytes that come from a rank.
struct incoming {
  int from;
  void* data;
  std::size_t bytes;
};

/// An exchange that transport::start began. The memory that it reads and writes may not be used before
/// `wait`.
class exchange {
 public:
  exchange() = default;
  exchange(const exchange&) = delete;
  /// Before `wait` only while an exception is on its way, as the other ranks wait for this one.
  virtual ~exchange() = default;

  /// Returns on the CPU once everything has arrived and everything sent has been read. On a GPU the call may
  /// return before; work that is put on the stream later waits for that. Called once.
  virtual void wait() = 0;
};

/// How ranks communicate. Every rank makes the same calls in the same order. They throw heddle::error.
///
/// Calls without a target move bytes in the memory of the CPU, and return once it may be used again. Those
/// with a target move bytes in the memory of `where`: the CPU, or the GPU of the rank, in stream order. Such
/// a call reads bytes after the work that is on the stream, work that is put there later runs after their
/// arrival, and the call may return before. All ranks give a CPU, or all their own targets.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  virtual ~transport() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual void barrier() = 0;
  virtual void broadcast(void* data, std::size_t bytes, int from) = 0;
  /// Puts the bytes of every rank side by side into `all`, in the order of ranks. `bytes` are those of each.
  virtual void all_gather(const void* mine, std::span<const std::size_t> bytes, void* all) = 0;
  /// `from` holds what goes to each rank and `to` what comes from each, side by side in the order of ranks.
  virtual void all_to_all(const void* from, std::span<const std::size_t> bytes_to, void* to,
                          std::span<const std::size_t> bytes_from) = 0;

  /// Starts sending and receiving between neighbours, or between any ranks; a rank that has nothing to
  /// exchange calls it with empty lists. What goes from one rank to another arrives in the order in which
  /// it was sent: between two ranks the k-th message of one is for the k-th room of the other, and has its
  /// size. Several exchanges may be on their way at once.
  ///
  ///     // Rows to both neighbours, beside the interior.
  ///     const auto halo = all.between().start(sends, receives, edges);
  ///     interior(where);
  ///     halo->wait();
  ///
  /// On GPUs NCCL moves the bytes, on a stream of its own, while streams that are not that of `where` go on.
  /// Where ranks share a GPU or there is no NCCL, bytes go through the memory of the CPU and MPI: `start`
  /// puts copies on the stream, and `wait` stays on the CPU until all has arrived. So launch what runs
  /// beside the exchange before `wait`.
  virtual std::unique_ptr<exchange> start(std::span<const outgoing> sends, std::span<const incoming> receives,
                                          const target& where) = 0;

  /// start, and wait.
  void send_receive(std::span<const outgoing> sends, std::span<const incoming> receives,
                    const target& where) {
    start(sends, receives, where)->wait();
  }
  /// The same as without a target, in the memory of `where`.
  virtual void broadcast(void* data, std::size_t bytes, int from, const target& where);
  void all_gather(const void* mine, std::span<const std::size_t> bytes, void* all, const target& where);
  void all_to_all(const void* from, std::span<const std::size_t> bytes_to, void* to,
                  std::span<const std::size_t> bytes_from, const target& where);

  /// How ranks exchange bytes in the memory of GPUs: see ranks::between_gpus.
  virtual std::string between_gpus() const { return ""; }
  /// Whether some rank is on a GPU, so that all move what is on their targets by messages.
  virtual bool has_gpus() const noexcept { return false; }
  /// Whether calls for the memory of the CPU take that of GPUs too.
  virtual bool reads_gpus() const noexcept { return false; }
  /// The transport of the CPU that this one is over; null for one that is over none.
  virtual std::shared_ptr<transport> of_cpu() const { return nullptr; }

  /// Ends every rank, after the message.
  [[noreturn]] virtual void abort(const std::string& message) = 0;
};

/// Moves what goes from a rank to itself: the k-th such message to the k-th such room.
void copy_to_self(int rank, std::span<const outgoing> sends, std::span<const incoming> receives,
                  const target& where);

}  // namespace heddle::impl
