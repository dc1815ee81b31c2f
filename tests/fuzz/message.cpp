#include "viewer/message.hpp"

#include <heddle/error.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

// Any bytes are either refused with one line, or read as a message whose text is read as the same message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace heddle::viewer;
  message read{};
  try {
    read = decode({reinterpret_cast<const char*>(bytes), size});
  } catch (const heddle::error& problem) {
    const std::string line = problem.what();
    if (line.rfind("message: ", 0) != 0 || line.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  const std::string text = encode(read);
  const message again = decode(text);
  if (again.what != read.what || again.shown != read.shown || again.number != read.number ||
      again.per_second != read.per_second || again.name != read.name || again.arguments != read.arguments)
    std::abort();
  return 0;
}
