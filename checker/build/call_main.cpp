#include "checker/build/call_main.hpp"

#include <unistd.h>

namespace heddle::checker {

int call_main(int (*main)(int, char**, char**), int count, char** words) {
  const int status = main(count, words, environ);
  // Not the last thing that is done, so that this frame is on the stack.
  asm volatile("");
  return status;
}

}  // namespace heddle::checker
