#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/io/gif.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gif_lib.h>

namespace hd = heddle;
using hd::tests::message_of;

namespace {

/// A different colour for each of so many.
std::vector<hd::colour> palette_of(std::size_t colours) {
  std::vector<hd::colour> palette;
  for (std::size_t i = 0; i < colours; ++i)
    palette.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(255 - i), 7});
  return palette;
}

std::vector<std::uint8_t> frame_of(std::size_t pixels, std::size_t colours, std::size_t number) {
  std::vector<std::uint8_t> frame(pixels);
  for (std::size_t i = 0; i < pixels; ++i) frame[i] = static_cast<std::uint8_t>((i * i + number) % colours);
  return frame;
}

}  // namespace

// giflib's reader as the second opinion.
TEST(gif, another_reader_sees_the_same) {
  const hd::tests::scratch_folder folder;
  const std::string path = folder / "x.gif";
  for (const std::size_t colours : {1, 2, 5, 256}) {
    const std::vector<hd::colour> palette = palette_of(colours);
    hd::gif_writer writer(path, 17, 5, palette, 12);
    for (std::size_t number = 0; number < 3; ++number) writer.add_frame(frame_of(17 * 5, colours, number));
    writer.commit();
    int code = 0;
    GifFileType* const read = DGifOpenFileName(path.c_str(), &code);
    ASSERT_NE(read, nullptr) << GifErrorString(code);
    ASSERT_EQ(DGifSlurp(read), GIF_OK);
    EXPECT_EQ(read->SWidth, 17);
    EXPECT_EQ(read->SHeight, 5);
    ASSERT_EQ(read->ImageCount, 3);
    for (int number = 0; number < 3; ++number) {
      const auto wanted = frame_of(17 * 5, colours, static_cast<std::size_t>(number));
      EXPECT_EQ(std::vector<std::uint8_t>(read->SavedImages[number].RasterBits,
                                          read->SavedImages[number].RasterBits + 17 * 5),
                wanted);
      GraphicsControlBlock control{};
      EXPECT_EQ(DGifSavedExtensionToGCB(read, number, &control), GIF_OK);
      EXPECT_EQ(control.DelayTime, 12);
    }
    for (std::size_t i = 0; i < colours; ++i) {
      const GifColorType& seen = read->SColorMap->Colors[i];
      EXPECT_EQ((hd::colour{seen.Red, seen.Green, seen.Blue}), palette[i]);
    }
    DGifCloseFile(read, nullptr);
  }
}

TEST(gif, refuses_what_is_no_animation) {
  const hd::tests::scratch_folder folder;
  const std::string path = folder / "x.gif";
  const std::vector<hd::colour> few = palette_of(3);
  const auto made = [&](std::size_t width, std::size_t height, std::size_t colours) {
    return message_of([&] { hd::gif_writer(path, width, height, palette_of(colours), 1); });
  };
  EXPECT_EQ(made(0, 4, 2), path + ": a GIF has 1 to 65535 pixels each way, and this one would have 0x4");
  EXPECT_EQ(made(4, 65536, 2),
            path + ": a GIF has 1 to 65535 pixels each way, and this one would have 4x65536");
  EXPECT_EQ(made(4, 4, 0), path + ": a GIF has 1 to 256 colours, and this one would have 0");
  EXPECT_EQ(made(4, 4, 257), path + ": a GIF has 1 to 256 colours, and this one would have 257");
  {
    hd::gif_writer writer(path, 2, 2, few, 1);
    EXPECT_EQ(message_of([&] { writer.add_frame(std::vector<std::uint8_t>(3)); }),
              path + ": a frame of 3 pixels, where 2x2 are");
    EXPECT_EQ(message_of([&] { writer.add_frame(std::vector<std::uint8_t>{0, 1, 2, 3}); }),
              path + ": a pixel is beyond the palette of 3 colours");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(message_of([&] { hd::gif_writer("/dev/full", 2, 2, few, 1); }),
            "/dev/full: cannot write: No space left on device");
}
