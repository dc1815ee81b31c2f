#include <heddle/error.hpp>
#include <heddle/io/png.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

// Any bytes are either refused with one line that begins with the path, or read to a whole picture.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const int file = memfd_create("png", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  try {
    const heddle::image picture = heddle::read_png(path);
    if (picture.pixels.size() != picture.width * picture.height * heddle::bytes_of(picture.format))
      std::abort();
    if (picture.palette.size() > 256) std::abort();
  } catch (const heddle::error& problem) {
    const std::string text = problem.what();
    if (text.rfind(path + ": ", 0) != 0 || text.find('\n') != std::string::npos) std::abort();
  }
  close(file);
  return 0;
}
