#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/io/png.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <png.h>
#include <sys/resource.h>

namespace heddle {
namespace {

class Png : public testing::Test {
 protected:
  tests::scratch_folder folder;
};

image picture_of(std::size_t width, std::size_t height, pixel_format format) {
  image picture{width, height, format, std::vector<std::uint8_t>(width * height * bytes_of(format)), {}};
  std::uint32_t state = 12345;
  for (std::uint8_t& byte : picture.pixels) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
    if (format == pixel_format::palette) byte %= 7;
  }
  if (format == pixel_format::palette) {
    for (std::uint8_t i = 0; i < 7; ++i) {
      picture.palette.push_back({static_cast<std::uint8_t>(40 * i), i, static_cast<std::uint8_t>(255 - i)});
    }
  }
  return picture;
}

constexpr pixel_format formats[] = {pixel_format::grey, pixel_format::rgb, pixel_format::rgba,
                                    pixel_format::palette};

TEST_F(Png, ReadBack) {
  for (const pixel_format format : formats) {
    for (const auto& [width, height] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {17, 5}, {3, 300}, {1000, 2}}) {
      const std::string path = folder / "back.png";
      const image written = picture_of(width, height, format);
      write_png(path, written);
      const image read = read_png(path);
      EXPECT_EQ(read.width, width);
      EXPECT_EQ(read.height, height);
      EXPECT_EQ(read.format, format);
      EXPECT_EQ(read.pixels, written.pixels);
      EXPECT_EQ(read.palette, written.palette);
    }
  }
}

// libpng's own simplified interface as the second opinion.
TEST_F(Png, AnotherReaderSeesTheSame) {
  for (const pixel_format format : formats) {
    const std::string path = folder / "other.png";
    const image written = picture_of(31, 9, format);
    write_png(path, written);
    png_image file{};
    file.version = PNG_IMAGE_VERSION;
    ASSERT_NE(png_image_begin_read_from_file(&file, path.c_str()), 0) << file.message;
    file.format = PNG_FORMAT_RGBA;
    std::vector<std::uint8_t> seen(PNG_IMAGE_SIZE(file));
    ASSERT_NE(png_image_finish_read(&file, nullptr, seen.data(), 0, nullptr), 0);
    ASSERT_EQ(seen.size(), 31u * 9 * 4);
    for (std::size_t i = 0; i < 31 * 9; ++i) {
      const std::uint8_t* from = &written.pixels[i * bytes_of(format)];
      const colour wanted = format == pixel_format::grey      ? colour{*from, *from, *from}
                            : format == pixel_format::palette ? written.palette[*from]
                                                              : colour{from[0], from[1], from[2]};
      ASSERT_EQ((colour{seen[4 * i], seen[4 * i + 1], seen[4 * i + 2]}), wanted);
      ASSERT_EQ(seen[4 * i + 3], format == pixel_format::rgba ? from[3] : 255);
    }
  }
}

// A grey picture of 16 bits, as other programs save masks.
TEST_F(Png, SixteenBitsBecomeEight) {
  const std::string path = folder / "sixteen.png";
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  png_init_io(png, file);
  png_set_IHDR(png, info, 4, 1, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_ADAM7, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_byte row[] = {0, 0, 0x80, 0x80, 0xff, 0xff, 0x01, 0x01};
  for (int pass = png_set_interlace_handling(png); pass > 0; --pass) png_write_row(png, row);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
  const image read = read_png(path);
  EXPECT_EQ(read.format, pixel_format::grey);
  EXPECT_EQ(read.pixels, (std::vector<std::uint8_t>{0, 0x80, 0xff, 1}));
}

// A grey picture with transparency, in a file with a comment whose checksum is wrong, of which libpng warns.
TEST_F(Png, GreyWithAlphaBecomesColours) {
  const std::string path = folder / "alpha.png";
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  png_init_io(png, file);
  png_set_IHDR(png, info, 2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const png_byte row[] = {10, 255, 200, 3};
  png_write_row(png, row);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  constexpr std::size_t header_bytes = 33;
  bytes.insert(header_bytes, std::string("\0\0\0\3tEXta\0b\1\2\3\4", 15));
  std::ofstream(path, std::ios::binary) << bytes;
  const image read = read_png(path);
  EXPECT_EQ(read.format, pixel_format::rgba);
  EXPECT_EQ(read.pixels, (std::vector<std::uint8_t>{10, 10, 10, 255, 200, 200, 200, 3}));
}

TEST_F(Png, EveryTruncationIsAnError) {
  const std::string path = folder / "whole.png", cut = folder / "cut.png";
  write_png(path, picture_of(13, 7, pixel_format::rgb));
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t length = 0; length < bytes.size(); length += length < 60 ? 1 : 7) {
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, length);
    const std::string message = tests::message_of([&] { read_png(cut); });
    ASSERT_TRUE(message.starts_with(cut + ": ")) << length << ": " << message;
  }
  // A header of a picture that the file cannot hold is not believed.
  std::string vast = bytes;
  vast.replace(16, 8, std::string("\x40\0\0\0\x40\0\0\0", 8));
  std::ofstream(cut, std::ios::binary) << vast;
  EXPECT_NE(tests::message_of([&] { read_png(cut); }), "no error");
}

TEST_F(Png, AHeaderTakesNoMemory) {
  // 2^31 - 1 columns, of which libpng would keep two rows.
  constexpr char wide[] =
      "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x7f\xff\xff\xff\x00\x00\x00\x01"
      "\x08\x00\x00\x00\x00\x85\x5d\x6c\x01\x00\x00\x00\x08\x49\x44\x41\x54\x78\xda\x03\x00\x00\x00\x00"
      "\x01\x6f\xdd\xc9\x91\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";
  const std::string path = folder / "wide.png";
  std::ofstream(path, std::ios::binary) << std::string_view(wide, sizeof wide - 1);
  const auto most_kibibytes = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
  };
  const long before = most_kibibytes();
  EXPECT_EQ(tests::message_of([&] { read_png(path); }),
            path + ": 65 bytes cannot hold a picture of 2147483647 x 1: the file is truncated");
  EXPECT_LT(most_kibibytes() - before, 100 * 1024);
}

TEST_F(Png, WhatIsNoPictureMayHaveNoEnd) {
  EXPECT_EQ(tests::message_of([] { read_png("/dev/zero"); }),
            "/dev/zero: no PNG file: it does not begin with the eight bytes of one");
  EXPECT_EQ(tests::message_of([&] { read_png(folder / ""); }), folder / "" + ": cannot read: Is a directory");
}

TEST_F(Png, WhatCannotBeWritten) {
  const std::string path = folder / "not_there.png";
  EXPECT_NE(tests::message_of([&] { write_png(path, {}); }).find("0 x 0"), std::string::npos);
  image short_of_pixels = picture_of(4, 4, pixel_format::grey);
  short_of_pixels.pixels.pop_back();
  EXPECT_NE(tests::message_of([&] { write_png(path, short_of_pixels); }).find("16 bytes, not 15"),
            std::string::npos);
  EXPECT_NE(tests::message_of([&] {
              png_writer writer(path, 4, 4, pixel_format::grey);
              writer.append(short_of_pixels.pixels.data(), 3);
              writer.commit();
            }).find("1 rows"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_NE(tests::message_of([&] {
              write_png("/nowhere/at/all.png", picture_of(1, 1, pixel_format::grey));
            }).find("/nowhere/at/all.png: cannot"),
            std::string::npos);
  EXPECT_EQ(tests::message_of([&] { write_png("/dev/full", picture_of(1, 1, pixel_format::grey)); }),
            "/dev/full: cannot write: No space left on device");
  EXPECT_NE(tests::message_of([&] {
              png_writer writer(path, 4, 4, pixel_format::grey);
              writer.append(picture_of(4, 5, pixel_format::grey).pixels.data(), 5);
            }).find("5 rows more, where 4 are missing"),
            std::string::npos);
  for (const std::size_t colours : {0, 257}) {
    EXPECT_EQ(tests::message_of(
                  [&] { png_writer(path, 4, 4, pixel_format::palette, std::vector<colour>(colours)); }),
              path + ": a palette picture has 1 to 256 colours, and others have none, not " +
                  std::to_string(colours));
  }
  EXPECT_NE(tests::message_of([&] { png_writer(path, 4, 4, pixel_format::grey, {{1, 2, 3}}); }), "no error");
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace heddle
