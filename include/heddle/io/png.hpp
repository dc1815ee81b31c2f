#pragma once

#include <heddle/io/colour.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// The channels of a pixel, one byte each: grey; red, green and blue; these and alpha; or an index into a
/// palette.
enum class pixel_format : std::uint8_t { grey, rgb, rgba, palette };

/// Bytes of a pixel: 1, 3, 4 or 1.
std::size_t bytes_of(pixel_format format) noexcept;

/// A picture in memory: rows from the top, pixels from the left, without gaps.
struct image {
  std::size_t width = 0, height = 0;
  pixel_format format = pixel_format::grey;
  std::vector<std::uint8_t> pixels;  ///< height · width · bytes_of(format)
  std::vector<colour> palette;       ///< up to 256 colours, of a palette picture
};

/// Writes a PNG file a few rows at a time, so that the picture need not be in memory. The file appears when
/// `commit` returns (see atomic_file). Sides are 1 … 2^31 − 1; errors are heddle::error.
class png_writer {
 public:
  png_writer(const std::string& path, std::size_t width, std::size_t height, pixel_format format,
             const std::vector<colour>& palette = {});
  ~png_writer();
  png_writer(const png_writer&) = delete;
  png_writer& operator=(const png_writer&) = delete;

  /// The next rows, from the top.
  void append(const std::uint8_t* rows, std::size_t count);

  /// Throws unless every row has been given.
  void commit();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Writes a picture to a PNG file, 8 bits a channel, whole or not at all.
void write_png(const std::string& path, const image& picture);

/// The picture in a PNG file. Channels of 16 bits are scaled to 8, those of 1, 2 and 4 bits widened to 8;
/// grey with alpha, or with a transparent colour, becomes RGBA, as does a palette with alpha. A malformed
/// file is a heddle::error with the path, what libpng found and how many bytes it had read.
image read_png(const std::string& path);

}  // namespace heddle
