#include <heddle/error.hpp>
#include <heddle/io/gif.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gif_lib.h>

namespace heddle {

struct gif_writer::state {
  std::string path;
  atomic_file file;
  std::exception_ptr failed;  // giflib is C: what is thrown while it writes waits here
  GifFileType* gif = nullptr;
  std::size_t width, height;
  unsigned hundredths;
  int colours = 0;
  std::vector<GifByteType> line;

  state(const std::string& name, std::size_t w, std::size_t h, unsigned time)
      : path(shown_path(name)), file(name), width(w), height(h), hundredths(time) {}
  ~state() {
    if (gif != nullptr) EGifCloseFile(gif, nullptr);
  }

  void check(bool went_well, int code) {
    if (failed) std::rethrow_exception(failed);
    if (went_well) return;
    const char* const reason = GifErrorString(code);
    fail(fmt::format("cannot write {}: {}", path, reason != nullptr ? reason : "giflib failed"));
  }
  void check(int status) { check(status == GIF_OK, gif->Error); }

  static int write(GifFileType* gif, const GifByteType* bytes, int count) {
    auto* const self = static_cast<state*>(gif->UserData);
    if (self->failed) return 0;
    try {
      self->file.write(bytes, static_cast<std::size_t>(count));
      return count;
    } catch (...) {
      self->failed = std::current_exception();
      return 0;
    }
  }
};

gif_writer::gif_writer(const std::string& path, std::size_t width, std::size_t height,
                       std::span<const colour> palette, unsigned hundredths) {
  constexpr std::size_t longest = 65535;
  if (width == 0 || height == 0 || width > longest || height > longest) {
    fail(fmt::format("{}: a GIF has 1 to {} pixels each way, and this one would have {}x{}", path, longest,
                     width, height));
  }
  if (palette.empty() || palette.size() > 256) {
    fail(fmt::format("{}: a GIF has 1 to 256 colours, and this one would have {}", path, palette.size()));
  }
  state_ = std::make_unique<state>(path, width, height, hundredths);
  // A palette has a power of two of colours.
  const std::size_t colours = std::max<std::size_t>(2, std::bit_ceil(palette.size()));
  std::array<GifColorType, 256> table{};
  std::transform(palette.begin(), palette.end(), table.begin(),
                 [](colour c) { return GifColorType{c[0], c[1], c[2]}; });
  state_->colours = static_cast<int>(palette.size());
  state_->line.resize(width);
  int code = 0;
  state_->gif = EGifOpen(state_.get(), state::write, &code);
  state_->check(state_->gif != nullptr, code);
  EGifSetGifVersion(state_->gif, true);
  const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
      GifMakeMapObject(static_cast<int>(colours), table.data()), &GifFreeMapObject);
  state_->check(map != nullptr, E_GIF_ERR_NOT_ENOUGH_MEM);
  state_->check(EGifPutScreenDesc(state_->gif, static_cast<int>(width), static_cast<int>(height),
                                  map->BitsPerPixel, 0, map.get()));
  // Netscape's extension: repeat without end.
  const unsigned char loop[] = {1, 0, 0};
  state_->check(EGifPutExtensionLeader(state_->gif, APPLICATION_EXT_FUNC_CODE));
  state_->check(EGifPutExtensionBlock(state_->gif, 11, "NETSCAPE2.0"));
  state_->check(EGifPutExtensionBlock(state_->gif, sizeof loop, loop));
  state_->check(EGifPutExtensionTrailer(state_->gif));
}

gif_writer::~gif_writer() = default;

void gif_writer::add_frame(std::span<const std::uint8_t> pixels) {
  state& s = *state_;
  if (pixels.size() != s.width * s.height) {
    fail(fmt::format("{}: a frame of {} pixels, where {}x{} are", s.path, pixels.size(), s.width, s.height));
  }
  if (std::any_of(pixels.begin(), pixels.end(), [&](std::uint8_t p) { return p >= s.colours; })) {
    fail(fmt::format("{}: a pixel is beyond the palette of {} colours", s.path, s.colours));
  }
  const GraphicsControlBlock control{DISPOSE_DO_NOT, false, static_cast<int>(s.hundredths),
                                     NO_TRANSPARENT_COLOR};
  GifByteType extension[4];
  const std::size_t length = EGifGCBToExtension(&control, extension);
  s.check(EGifPutExtension(s.gif, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(length), extension));
  s.check(
      EGifPutImageDesc(s.gif, 0, 0, static_cast<int>(s.width), static_cast<int>(s.height), false, nullptr));
  for (std::size_t y = 0; y < s.height; ++y) {
    std::copy_n(pixels.data() + y * s.width, s.width, s.line.data());
    s.check(EGifPutLine(s.gif, s.line.data(), static_cast<int>(s.width)));
  }
}

void gif_writer::commit() {
  int code = 0;
  const int status = EGifCloseFile(std::exchange(state_->gif, nullptr), &code);
  state_->check(status == GIF_OK, code);
  state_->file.commit();
}

}  // namespace heddle
