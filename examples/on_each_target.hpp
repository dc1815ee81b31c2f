// Shared by all examples: a target is the first argument, or follows --target; without one it runs on every
// target of this machine, one after another. A wrong result ends the example with a line and exit status 1.
// Nothing is to be changed here: start with execution_model.cpp.
#pragma once

#include <heddle/target.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {

/// Throws unless what should hold does.
inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("this should hold, and does not: " + what);
}

/// Calls show(target) for the targets that the command line asks for, and returns main's exit status.
template <class Show>
int on_each_target(int argc, char** argv, const Show& show) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--target") words.erase(words.begin());
  if (words.size() > 1 || (words.size() == 1 && words[0].starts_with('-'))) {
    std::fprintf(stderr, "usage: %s [--target] [serial|parallel[:N]|gpu[:ID]]\n", argv[0]);
    return 2;
  }
  try {
    const auto targets = words.empty() ? heddle::target::available()
                                       : std::vector<heddle::target>{heddle::target::parse(words[0])};
    for (const heddle::target& where : targets) {
      // Kernels and arrays take one target, and not the choice of one for each call.
      const heddle::target one = where.is_automatic() ? heddle::target::best() : where;
      std::printf("on %s\n", one.text().c_str());
      show(one);
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
    return 1;
  }
}

}  // namespace examples
