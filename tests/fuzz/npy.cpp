#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

// Any bytes are either refused with one line that begins with the path, or read to the same elements in one
// piece and in many.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const int file = memfd_create("npy", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  try {
    const heddle::npy_file npy(path);
    const std::size_t count = npy.size();
    if (count * heddle::size_of(npy.dtype()) > size) std::abort();
    for (const heddle::dtype as : {npy.dtype(), heddle::dtype::boolean, heddle::dtype::int16,
                                   heddle::dtype::uint64, heddle::dtype::complex64}) {
      const std::size_t width = heddle::size_of(as);
      std::vector<unsigned char> whole(count * width), pieces(count * width);
      npy.read(0, count, as, whole.data());
      const std::size_t piece = 1 + size % 7;
      for (std::size_t first = 0; first < count; first += piece) {
        npy.read(first, std::min(piece, count - first), as, pieces.data() + first * width);
      }
      if (whole != pieces) std::abort();
    }
  } catch (const heddle::error& problem) {
    const std::string text = problem.what();
    if (text.rfind(path + ": byte ", 0) != 0 || text.find('\n') != std::string::npos) std::abort();
  }
  close(file);
  return 0;
}
