#include "npy_output.hpp"

#include "interruption.hpp"
#include "progress.hpp"
#include <heddle/io/npy.hpp>

#include <algorithm>
#include <cstddef>

namespace heddle::cli {

void npy_output::write(dtype type, const shape& lengths, const void* data, bool quiet) {
  constexpr std::size_t piece = std::size_t{16} << 20;
  const std::string header = detail::npy_header(type, lengths);
  const std::size_t bytes = lengths.elements() * size_of(type);
  progress shown(bytes, quiet);
  file_.write(header.data(), header.size());
  for (std::size_t done = 0; done < bytes; done += piece) {
    stop_if_interrupted();
    const std::size_t now = std::min(piece, bytes - done);
    file_.write(static_cast<const std::byte*>(data) + done, now);
    shown.advance(now);
  }
  stop_if_interrupted();
  file_.commit();
}

}  // namespace heddle::cli
