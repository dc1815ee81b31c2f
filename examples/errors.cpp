// Every error is one exception whose message names the operation, the sizes, the place and the remedy.
// Change the mistakes below into others: shapes, names, sources. None ends the program.
// An error of a kernel on a GPU is thrown by the next call that waits, such as a read.
#include "on_each_target.hpp"
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>
#include <heddle/reduce.hpp>
#include <heddle/transform.hpp>

namespace hd = heddle;

/// Prints what is wrong with a call, which must be told with these words.
template <class Call>
void print_error(const std::string& words, const Call& call) {
  std::string told = "nothing";
  try {
    call();
  } catch (const hd::error& problem) {
    told = problem.what();
  }
  examples::expect(told.find(words) != std::string::npos, "an error that says '" + words + "', not: " + told);
  std::printf("  %s\n", told.c_str());
}

void show(const hd::target& where) {
  const std::vector<float> three(3, 1.0f), four(4, 1.0f), none;
  print_error("(3,)", [&] { hd::transform(where, three, four, hd::plus{}); });
  print_error("reduce: 0 float32", [&] { hd::reduce(where, none, hd::minimum{}); });
  print_error("\"tpu\"", [] { hd::target::parse("tpu"); });
  print_error("out of memory", [&] { hd::array<double>(std::size_t{1} << 50, where); });
  print_error("twice.cu", [&] {
    hd::module(where, "__global__ void twice(int* x) {\n  *x = 2 * y;\n}", {.name = "twice.cu"})
        .function("twice");
  });
  const hd::module right(where, "__global__ void twice(int* x) { *x = 2 * *x; }");
  print_error("3 were given", [&] { right.function("twice")(1, 32)(1, 2, 3); });
  print_error("2048", [&] { right.function("twice")(1, 2048)(nullptr); });
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
