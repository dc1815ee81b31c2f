#pragma once

#include <unistd.h>

namespace heddle::impl {

/// An open file, closed with its lifetime; of none it is −1.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() { ::close(number_); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

}  // namespace heddle::impl
