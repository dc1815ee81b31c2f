// A program for a GPU that runs without one: it asks for a target, and takes another where there is none.
// Change `wanted` to "gpu:7", or to "tpu": the error that is caught says what there is.
// `hd::target::best()` does all of this in one call: the first GPU, or every core.
#include "on_each_target.hpp"
#include <heddle/error.hpp>
#include <heddle/reduce.hpp>

namespace hd = heddle;

hd::target target_or(const std::string& wanted, const hd::target& otherwise) {
  try {
    return hd::target::parse(wanted);
  } catch (const hd::error& problem) {
    std::printf("  %s\n", problem.what());
    return otherwise;
  }
}

void show(const hd::target& otherwise) {
  const std::string wanted = "gpu";
  const hd::target where = target_or(wanted, otherwise);
  const std::vector<int> x(1000, 2);
  examples::expect(hd::reduce(where, x) == 2000, "the sum, wherever it is made");
  examples::expect(where.is_gpu() == hd::target::best().is_gpu(), "a GPU is taken where there is one");
  std::printf("  summed on %s\n", where.text().c_str());
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
