#include "cuda_on_cpu/compile/sealed_library.hpp"

#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::cuda_on_cpu {
namespace {

/// dlopen takes a name that it has seen for the library that it was the name of, and numbers of files come
/// again: each name has its own slashes and dots, which say the bits of a count.
std::string name_of(int file) {
  static std::atomic<unsigned long> count{1};
  std::string slashes;
  for (unsigned long bits = count++; bits != 0; bits /= 2) slashes += bits % 2 == 0 ? "/" : "/.";
  return fmt::format("/proc/self/fd{}/{}", slashes, file);
}

}  // namespace

sealed_library::sealed_library(std::string_view bytes)
    : file_(memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  const bool is_whole =
      file_ >= 0 && write_bytes(file_, bytes.data(), bytes.size()) == bytes.size() &&
      fcntl(file_, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
  if (!is_whole) {
    const int reason = errno;
    if (file_ >= 0) close(file_);
    throw error(fmt::format("the compiled kernel cannot be held in memory: {}", std::strerror(reason)));
  }
  path_ = name_of(file_);
}

sealed_library::~sealed_library() {
  close(file_);
}

}  // namespace heddle::cuda_on_cpu
