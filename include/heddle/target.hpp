#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct CUstream_st;

namespace heddle {

/// A CUDA stream as the CUDA runtime names it (`cudaStream_t`), usable without CUDA's headers.
using gpu_stream = CUstream_st*;

/// Where a pattern runs: a small value, chosen at run time and passed to every pattern.
///
///     hd::target where = hd::target::parse("parallel:4");
///     float total = hd::reduce(where, x);
class target {
 public:
  enum class kind : std::uint8_t { serial, parallel, gpu, automatic };

  /// The calling thread. Also the default.
  constexpr target() noexcept = default;
  static constexpr target serial() noexcept { return {}; }

  /// `threads` threads of this machine; 0 takes one for every core that the process may use. Throws
  /// heddle::error for more than 256 and more than 16 a core.
  static target parallel(int threads = 0);

  /// One GPU. Work is put on `stream`, which the caller owns; null is the device's default stream.
  static target gpu(int device = 0, gpu_stream stream = nullptr);

  /// Each call picks the target that should finish first, from the size, the target that holds the data and
  /// the bandwidths of the machine, which are measured once. Small arrays stay where they are.
  static constexpr target automatic() noexcept { return target(kind::automatic, 0, nullptr); }

  /// The first GPU of this machine, or every core where it has none.
  static target best();

  /// Reads "serial", "parallel", "parallel:N", "gpu", "gpu:ID" or "auto"; throws heddle::error for anything
  /// else, and for a GPU that this machine does not have.
  static target parse(std::string_view text);

  /// The targets of this machine: serial, parallel with every core, and each GPU.
  static std::vector<target> available();

  constexpr enum kind kind() const noexcept { return kind_; }
  constexpr bool is_gpu() const noexcept { return kind_ == kind::gpu; }
  constexpr bool is_cpu() const noexcept { return kind_ == kind::serial || kind_ == kind::parallel; }
  constexpr bool is_automatic() const noexcept { return kind_ == kind::automatic; }
  /// Threads of a CPU target: 1 for serial.
  constexpr int threads() const noexcept { return kind_ == kind::parallel ? number_ : 1; }
  /// The device of a GPU target.
  constexpr int device() const noexcept { return number_; }
  constexpr gpu_stream stream() const noexcept { return stream_; }

  /// The text that `parse` reads: "serial", "parallel:8", "gpu:0", "auto". The stream is not part of it.
  std::string text() const;

  /// Returns once everything put on this target's stream has finished; immediately on the CPU.
  void wait() const;

  friend constexpr bool operator==(const target&, const target&) noexcept = default;

 private:
  constexpr target(enum kind k, int number, gpu_stream stream) noexcept
      : kind_(k), number_(number), stream_(stream) {}

  enum kind kind_ = kind::serial;
  int number_ = 1;
  gpu_stream stream_ = nullptr;
};

/// The cores of this process's affinity mask, or fewer where its cgroups, which are read once, limit its
/// processor time.
int available_cores() noexcept;

/// The bytes that a call reads and writes: `automatic` chooses the target by them.
struct traffic {
  std::size_t bytes_read = 0;
  std::size_t bytes_written = 0;
  target data_on;            ///< where the inputs are
  bool gpu_possible = true;  ///< false when the function was not compiled for a GPU
};

/// `where` itself, or for `automatic` the target that should finish this call first.
target resolve(const target& where, const traffic& work);

}  // namespace heddle
