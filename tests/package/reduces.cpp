// A program that reduces and calls nothing else, which run.cmake measures.
#include <heddle/reduce.hpp>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> x(100'000, 1);
  std::printf("%g\n", heddle::reduce(heddle::target::parallel(2), x));
}
