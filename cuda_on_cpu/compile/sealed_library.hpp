#pragma once

#include <string>
#include <string_view>

namespace heddle::cuda_on_cpu {

/// A shared library in memory, which nothing can change any more: what is loaded is what was checked.
class sealed_library {
 public:
  explicit sealed_library(std::string_view bytes);
  ~sealed_library();
  sealed_library(const sealed_library&) = delete;
  sealed_library& operator=(const sealed_library&) = delete;

  /// Its name for this process and what that forks, which no other has had. The library stays loaded when the
  /// name is gone.
  const std::string& path() const { return path_; }

 private:
  int file_ = -1;
  std::string path_;
};

}  // namespace heddle::cuda_on_cpu
