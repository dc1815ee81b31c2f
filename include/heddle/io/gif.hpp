#pragma once

#include <heddle/io/colour.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace heddle {

/// An animated GIF that loops for ever. The file appears when `commit` returns, and is never half written.
/// Every error is a heddle::error with the path.
class gif_writer {
 public:
  /// Frames of width × height pixels, 65535 each way at most, in 1 to 256 colours, each shown for
  /// `hundredths` of a second.
  gif_writer(const std::string& path, std::size_t width, std::size_t height, std::span<const colour> palette,
             unsigned hundredths);
  ~gif_writer();
  gif_writer(const gif_writer&) = delete;
  gif_writer& operator=(const gif_writer&) = delete;

  /// Appends a frame: a palette index for each pixel, row after row from the top.
  void add_frame(std::span<const std::uint8_t> pixels);

  void commit();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace heddle
