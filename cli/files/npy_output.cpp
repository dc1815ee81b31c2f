#include "npy_output.hpp"

#include "interruption.hpp"
#include "progress.hpp"
#include <heddle/io/npy.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace heddle::cli {

void npy_output::begin(dtype type, const shape& lengths) {
  const std::string header = npy_header(type, lengths);
  file_.require_room(static_cast<double>(header.size()) +
                     static_cast<double>(lengths.elements()) * static_cast<double>(size_of(type)));
  file_.write(header.data(), header.size());
}

void npy_output::append(const void* elements, std::size_t bytes) {
  stop_if_interrupted();
  file_.write(elements, bytes);
}

void npy_output::commit() {
  stop_if_interrupted();
  file_.commit();
}

void npy_output::fill(dtype type, const shape& lengths, const void* data, bool quiet) {
  constexpr std::size_t piece = std::size_t{16} << 20;
  const std::size_t bytes = lengths.elements() * size_of(type);
  progress shown(bytes, quiet);
  begin(type, lengths);
  for (std::size_t done = 0; done < bytes; done += piece) {
    const std::size_t now = std::min(piece, bytes - done);
    append(static_cast<const std::byte*>(data) + done, now);
    shown.advance(now);
  }
}

void npy_output::write(dtype type, const shape& lengths, const void* data, bool quiet) {
  fill(type, lengths, data, quiet);
  commit();
}

any_array brought_to_cpu(any_array result) {
  if (result.where().is_gpu()) result = result.on(target());
  stop_if_interrupted();
  return result;
}

}  // namespace heddle::cli
