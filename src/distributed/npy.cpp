#include <heddle/error.hpp>
#include <heddle/impl/distributed.hpp>
#include <heddle/io/atomic_file.hpp>
#include <heddle/io/npy.hpp>

#include <algorithm>
#include <optional>

namespace heddle::impl {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 24;

}  // namespace

void write_npy_of_ranks(const ranks& all, const std::string& path, dtype type, const shape& whole,
                        const std::vector<std::size_t>& bytes, const void* block) {
  std::optional<atomic_file> file;
  all.on_first([&] {
    file.emplace(path);
    const std::string header = npy_header(type, whole);
    file->require_room(static_cast<double>(header.size() + whole.elements() * size_of(type)));
    file->write(header.data(), header.size());
  });
  const std::size_t me = static_cast<std::size_t>(all.rank());
  std::vector<std::byte> piece;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    for (std::size_t at = 0; at < bytes[r]; at += piece_bytes) {
      const std::size_t count = std::min(piece_bytes, bytes[r] - at);
      std::vector<std::size_t> to(bytes.size()), from(bytes.size());
      if (me == r) to[0] = count;
      if (me == 0) from[r] = count;
      if (me == 0) piece.resize(count);
      all.between().all_to_all(static_cast<const std::byte*>(block) + at, to, piece.data(), from);
      all.on_first([&] { file->write(piece.data(), count); });
    }
  }
  all.on_first([&] { file->commit(); });
}

}  // namespace heddle::impl
