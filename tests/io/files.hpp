#pragma once

#include "tests/scratch_folder.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace heddle::tests {

/// A test with a folder for files, which are saved and loaded as bytes.
class files : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string save(const std::string& bytes, const std::string& name = "x.npy") const {
    std::ofstream(path(name), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  static std::string load(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  scratch_folder folder_;
};

}  // namespace heddle::tests
