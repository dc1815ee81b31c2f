#include <heddle/error.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/support/atomic_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace heddle::impl {
namespace {

constexpr std::size_t piece_bytes = threshold.file_piece_bytes;

/// Each rank does something that can fail; where it does on one, every rank throws what the first such rank
/// throws.
template <class F>
void on_each(const ranks& all, const F& f) {
  std::string message;
  try {
    f();
  } catch (const std::exception& e) {
    message = *e.what() != '\0' ? e.what() : "an error without a message";
  }
  const array<std::size_t> lengths = all.all_gather(message.size());
  for (int r = 0; r < all.size(); ++r) {
    if (lengths.data()[r] == 0) continue;
    message.resize(lengths.data()[r]);
    all.broadcast(message, r);
    throw error(message);
  }
}
/// Calls f(bytes on the CPU, how many) for the pieces of a block in the memory of `where`.
template <class F>
void each_piece(const target& where, const void* block, std::size_t bytes, const F& f) {
  std::vector<std::byte> on_cpu(where.is_gpu() ? std::min(piece_bytes, bytes) : 0);
  for (std::size_t at = 0; at < bytes; at += piece_bytes) {
    const std::size_t count = std::min(piece_bytes, bytes - at);
    const std::byte* piece = static_cast<const std::byte*>(block) + at;
    if (where.is_gpu()) {
      copy(on_cpu.data(), target(), piece, where, count);
      piece = on_cpu.data();
    }
    f(piece, count);
  }
}

/// A file that another process made, to write at places of it.
class part_of_file {
 public:
  part_of_file(const std::string& path, const std::string& shown, std::size_t begin)
      : shown_(shown), at_(begin), descriptor_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail("the file that rank 0 writes is not there");
  }
  ~part_of_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  part_of_file(const part_of_file&) = delete;

  void write(const std::byte* data, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t written = ::pwrite(descriptor_, data, bytes, static_cast<off_t>(at_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("cannot write");
      data += written;
      at_ += static_cast<std::size_t>(written);
      bytes -= static_cast<std::size_t>(written);
    }
  }
  void finish() {
    if (::fsync(descriptor_) != 0) fail("cannot write");
  }

 private:
  [[noreturn]] void fail(const char* action) const {
    heddle::fail(fmt::format("{}: {}: {}", shown_, action, std::generic_category().message(errno)));
  }

  const std::string& shown_;
  std::size_t at_;
  int descriptor_;
};

/// All bytes by way of rank 0, in order.
void write_in_order(const ranks& all, atomic_file* file, const std::vector<std::size_t>& bytes,
                    const void* block) {
  const std::size_t me = static_cast<std::size_t>(all.rank());
  std::vector<std::byte> received;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    const auto pass_on = [&](const std::byte* piece, std::size_t count) {
      std::vector<std::size_t> to(bytes.size()), from(bytes.size());
      if (me == r) to[0] = count;
      if (me == 0) from[r] = count;
      if (me == 0) received.resize(count);
      all.between().all_to_all(piece, to, received.data(), from);
      all.on_first([&] { file->write(received.data(), count); });
    };
    if (me == r) {
      each_piece(all.where(), block, bytes[r], pass_on);
    } else {
      for (std::size_t at = 0; at < bytes[r]; at += piece_bytes)
        pass_on(nullptr, std::min(piece_bytes, bytes[r] - at));
    }
  }
}

std::uint64_t this_host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return std::hash<std::string>()(name);
}

}  // namespace

void write_npy_of_ranks(const ranks& all, const std::string& path, dtype type, const shape& whole,
                        const std::vector<std::size_t>& bytes, const void* block) {
  const std::size_t me = static_cast<std::size_t>(all.rank());
  const array<std::uint64_t> hosts = all.all_gather(this_host());
  const bool on_one_host = std::count(hosts.begin(), hosts.end(), hosts[0]) == all.size();
  const std::string header = npy_header(type, whole);
  std::optional<atomic_file> file;
  std::string open_as;
  all.on_first([&] {
    file.emplace(path);
    file->require_room(static_cast<double>(header.size() + whole.elements() * size_of(type)));
    file->write(header.data(), header.size());
    open_as = file->path_for_others(!on_one_host);
  });
  std::size_t length = open_as.size();
  all.broadcast(length);
  open_as.resize(length);
  all.broadcast(open_as);
  if (open_as.empty()) {
    write_in_order(all, file ? &*file : nullptr, bytes, block);
  } else {
    on_each(all, [&] {
      if (me == 0)
        return each_piece(all.where(), block, bytes[0],
                          [&](const std::byte* piece, std::size_t count) { file->write(piece, count); });
      const auto mine = bytes.begin() + static_cast<std::ptrdiff_t>(me);
      part_of_file part(open_as, path, std::accumulate(bytes.begin(), mine, header.size()));
      each_piece(all.where(), block, *mine,
                 [&](const std::byte* piece, std::size_t count) { part.write(piece, count); });
      part.finish();
    });
  }
  all.on_first([&] { file->commit(); });
}

}  // namespace heddle::impl
