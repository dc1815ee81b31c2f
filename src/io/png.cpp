#include "io/contents.hpp"
#include "io/descriptor.hpp"
#include "target/process_limits.hpp"
#include <heddle/error.hpp>
#include <heddle/io/png.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>

#include <fmt/core.h>
#include <png.h>

namespace heddle {
namespace {

constexpr std::size_t longest_side = 0x7fffffff;

int colour_type_of(pixel_format format) {
  switch (format) {
    case pixel_format::grey:
      return PNG_COLOR_TYPE_GRAY;
    case pixel_format::rgb:
      return PNG_COLOR_TYPE_RGB;
    case pixel_format::rgba:
      return PNG_COLOR_TYPE_RGB_ALPHA;
    default:
      return PNG_COLOR_TYPE_PALETTE;
  }
}

/// libpng leaves an operation by longjmp: what is then thrown is kept here. Functions that call setjmp have
/// no objects to destroy.
struct outcome {
  std::string reason;
  std::exception_ptr thrown;

  [[noreturn]] void raise(const std::string& path, const std::string& place) const {
    if (thrown) std::rethrow_exception(thrown);
    fail(fmt::format("{}: {}{}", path, reason, place));
  }
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  try {
    static_cast<outcome*>(png_get_error_ptr(png))->reason = message;
  } catch (...) {
    static_cast<outcome*>(png_get_error_ptr(png))->thrown = std::current_exception();
  }
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

}  // namespace

std::size_t bytes_of(pixel_format format) noexcept {
  return format == pixel_format::rgb ? 3 : format == pixel_format::rgba ? 4 : 1;
}

// ------------------------------------------------------------------------------------------------ writing

struct png_writer::state {
  std::string path;
  std::size_t row_bytes, rows_left;
  atomic_file file;
  outcome result;
  png_structp png = nullptr;
  png_infop info = nullptr;

  state(const std::string& where, std::size_t row, std::size_t rows)
      : path(shown_path(where)), row_bytes(row), rows_left(rows), file(where) {}
  ~state() { png_destroy_write_struct(&png, &info); }

  static void write(png_structp png, png_bytep data, std::size_t bytes) {
    auto& self = *static_cast<state*>(png_get_io_ptr(png));
    try {
      self.file.write(data, bytes);
      return;
    } catch (...) {
      self.result.thrown = std::current_exception();
    }
    png_error(png, "cannot write");
  }
  static void flush(png_structp) {}

  bool begin(png_uint_32 width, png_uint_32 height, int colour_type, const png_color* colours, int count) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_write_fn(png, this, write, flush);
    png_set_user_limits(png, longest_side, longest_side);
    png_set_IHDR(png, info, width, height, 8, colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (count > 0) png_set_PLTE(png, info, colours, count);
    // Pictures that are computed have flat parts: a low level finds those, several times as fast.
    png_set_compression_level(png, 3);
    png_write_info(png, info);
    return true;
  }
  bool append(const std::uint8_t* rows, std::size_t count) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    for (std::size_t row = 0; row < count; ++row) png_write_row(png, rows + row * row_bytes);
    return true;
  }
  bool end() {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_write_end(png, info);
    return true;
  }
};

png_writer::png_writer(const std::string& path, std::size_t width, std::size_t height, pixel_format format,
                       const std::vector<colour>& palette) {
  if (width < 1 || height < 1 || width > longest_side || height > longest_side) {
    fail(fmt::format("{}: a PNG picture has 1 to {} columns and rows, not {} x {}", path, longest_side, width,
                     height));
  }
  if (format == pixel_format::palette ? palette.empty() || palette.size() > 256 : !palette.empty()) {
    fail(fmt::format("{}: a palette picture has 1 to 256 colours, and others have none, not {}", path,
                     palette.size()));
  }
  png_color colours[256];
  for (std::size_t i = 0; i < palette.size(); ++i) {
    colours[i] = {palette[i][0], palette[i][1], palette[i][2]};
  }
  state_ = std::make_unique<state>(path, width * bytes_of(format), height);
  state_->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &state_->result, on_error, on_warning);
  if (state_->png != nullptr) state_->info = png_create_info_struct(state_->png);
  if (state_->info == nullptr) fail(fmt::format("{}: no memory for libpng", path));
  if (!state_->begin(static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
                     colour_type_of(format), colours, static_cast<int>(palette.size()))) {
    state_->result.raise(path, "");
  }
}

png_writer::~png_writer() = default;

void png_writer::append(const std::uint8_t* rows, std::size_t count) {
  if (count > state_->rows_left) {
    fail(fmt::format("{}: {} rows more, where {} are missing", state_->path, count, state_->rows_left));
  }
  if (!state_->append(rows, count)) state_->result.raise(state_->path, "");
  state_->rows_left -= count;
}

void png_writer::commit() {
  if (state_->rows_left != 0) {
    fail(fmt::format("{}: {} rows of the picture are missing", state_->path, state_->rows_left));
  }
  if (!state_->end()) state_->result.raise(state_->path, "");
  state_->file.commit();
}

void write_png(const std::string& path, const image& picture) {
  const std::size_t bytes = picture.width * bytes_of(picture.format) * picture.height;
  if (picture.pixels.size() != bytes) {
    fail(fmt::format("{}: {} x {} pixels take {} bytes, not {}", path, picture.width, picture.height, bytes,
                     picture.pixels.size()));
  }
  png_writer writer(path, picture.width, picture.height, picture.format, picture.palette);
  writer.append(picture.pixels.data(), picture.height);
  writer.commit();
}

// ------------------------------------------------------------------------------------------------ reading

namespace {

/// Of the file at `place`, which errors call `path`.
std::string bytes_of_file(const std::string& place, const std::string& path) {
  const auto fail = [&](const char* action) {
    heddle::fail(fmt::format("{}: cannot {}: {}", path, action, std::generic_category().message(errno)));
  };
  const impl::descriptor file(open_for_reading(place));
  if (file < 0) fail("open");
  // A file that is no picture may have no end.
  constexpr std::size_t magic_bytes = 8;
  std::optional<std::string> bytes = impl::contents(file, magic_bytes);
  if (!bytes) fail("read");
  if (bytes->size() < magic_bytes ||
      png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes->data()), 0, magic_bytes) != 0) {
    heddle::fail(fmt::format("{}: no PNG file: it does not begin with the eight bytes of one", path));
  }
  const std::optional<std::string> rest = impl::contents(file);
  if (!rest) fail("read");
  return *bytes + *rest;
}

struct reader {
  std::string bytes;
  std::size_t at = 0;
  outcome result;
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~reader() { png_destroy_read_struct(&png, &info, nullptr); }

  static void read(png_structp png, png_bytep to, std::size_t count) {
    auto& self = *static_cast<reader*>(png_get_io_ptr(png));
    if (count > self.bytes.size() - self.at) png_error(png, "the file is truncated");
    std::memcpy(to, self.bytes.data() + self.at, count);
    self.at += count;
  }

  bool size(image* picture) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_read_fn(png, this, read);
    png_set_user_limits(png, longest_side, longest_side);
    png_read_info(png, info);
    picture->width = png_get_image_width(png, info);
    picture->height = png_get_image_height(png, info);
    return true;
  }

  /// Takes memory for two rows.
  bool format(image* picture, int* passes) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    const int type = png_get_color_type(png, info);
    const bool clear = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    png_set_scale_16(png);
    png_set_packing(png);
    if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
    if (clear) png_set_tRNS_to_alpha(png);
    if ((type & PNG_COLOR_MASK_COLOR) == 0 && (clear || (type & PNG_COLOR_MASK_ALPHA) != 0)) {
      png_set_gray_to_rgb(png);
    }
    *passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    switch (png_get_color_type(png, info)) {
      case PNG_COLOR_TYPE_GRAY:
        picture->format = pixel_format::grey;
        break;
      case PNG_COLOR_TYPE_RGB:
        picture->format = pixel_format::rgb;
        break;
      case PNG_COLOR_TYPE_RGB_ALPHA:
        picture->format = pixel_format::rgba;
        break;
      default:
        picture->format = pixel_format::palette;
    }
    return true;
  }

  bool pixels(std::uint8_t* to, std::size_t height, std::size_t row_bytes, int passes) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t row = 0; row < height; ++row) png_read_row(png, to + row * row_bytes, nullptr);
    }
    png_read_end(png, nullptr);
    return true;
  }
};

}  // namespace

image read_png(const std::string& place) {
  const std::string path = shown_path(place);
  reader in;
  in.bytes = bytes_of_file(place, path);
  in.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &in.result, on_error, on_warning);
  if (in.png != nullptr) in.info = png_create_info_struct(in.png);
  if (in.info == nullptr) fail(fmt::format("{}: no memory for libpng", path));
  const auto stopped = [&] { in.result.raise(path, fmt::format(" (at byte {})", in.at)); };
  image picture;
  int passes = 1;
  if (!in.size(&picture)) stopped();
  // Deflate makes at most 1032 bytes of one, of pixels of one bit at least: no more is asked for on the word
  // of a header.
  const std::size_t most_pixels = in.bytes.size() * 1032 * 8;
  if (picture.width > most_pixels / picture.height) {
    fail(fmt::format("{}: {} bytes cannot hold a picture of {} x {}: the file is truncated", path,
                     in.bytes.size(), picture.width, picture.height));
  }
  if (!in.format(&picture, &passes)) stopped();
  png_colorp colours = nullptr;
  int count = 0;
  if (picture.format == pixel_format::palette && png_get_PLTE(in.png, in.info, &colours, &count) != 0) {
    for (int i = 0; i < count; ++i) {
      picture.palette.push_back({colours[i].red, colours[i].green, colours[i].blue});
    }
  }
  const std::size_t row_bytes = picture.width * bytes_of(picture.format);
  require_memory(row_bytes * picture.height, path + ": ");
  picture.pixels.resize(row_bytes * picture.height);
  if (!in.pixels(picture.pixels.data(), picture.height, row_bytes, passes)) stopped();
  return picture;
}

}  // namespace heddle
