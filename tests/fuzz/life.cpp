#include "life/formats.hpp"
#include <heddle/error.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

// Any bytes are either refused with one line that begins with the path, or read as a pattern that is the same
// after it was written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace heddle::life;
  if (size == 0) return 0;
  constexpr const char* names[] = {"pattern.rle", "pattern.cells", "pattern"};
  const std::string path = names[bytes[0] % 3];
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  constexpr std::uint64_t most_cells = 1 << 20;
  pattern read;
  try {
    read = parse_pattern(text, path, most_cells);
  } catch (const heddle::error& problem) {
    const std::string line = problem.what();
    if (line.rfind(path + ": ", 0) != 0 || line.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  if (read.live.cells.width() * read.live.cells.height() > most_cells) std::abort();
  static const std::string written = "/tmp/heddle_fuzz_life_" + std::to_string(getpid()) + ".rle";
  write_rle(written, read.live, read.law.value_or(rule{}), topology::infinite, 0);
  const pattern again = read_pattern(written);
  unlink(written.c_str());
  if (again.live.cells != read.live.cells) std::abort();
  if (read.live.cells.width() != 0 && again.live != read.live) std::abort();
  if (again.law != read.law.value_or(rule{})) std::abort();
  return 0;
}
