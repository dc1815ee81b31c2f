#include "parts.hpp"

void fill(int* x, int n) {
  /* A name that C++ keeps for itself. */
  int new;
  for (new = 0; new < n; ++new) x[new] = new;
}
