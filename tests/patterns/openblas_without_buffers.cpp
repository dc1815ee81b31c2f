// An OpenBLAS without the functions that take and give back work buffers. It multiplies doubles that are not
// transposed, and counts the calls and how many of them ran at once.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<int> calls = 0, running = 0, most = 0;

}  // namespace

extern "C" {

int calls_of_dgemm() {
  return calls;
}
int most_dgemm_at_once() {
  return most;
}

int openblas_get_num_threads() {
  return 1;
}
void openblas_set_num_threads(int) {}

void cblas_dgemm(int, int, int, int m, int n, int k, double, const double* a, int row_of_a, const double* b,
                 int row_of_b, double, double* c, int row_of_c) {
  ++calls;
  const int now = ++running;
  for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i * row_of_a + l] * b[l * row_of_b + j];
      c[i * row_of_c + j] = sum;
    }
  }
  --running;
}
void cblas_sgemm() {
  std::abort();
}
void cblas_cgemm() {
  std::abort();
}
void cblas_zgemm() {
  std::abort();
}
}
