// cuFFT: transforms of many lengths and layouts against sums of the definition; and mistakes around its calls.
#include <cufft.h>
#include <cufftXt.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

using complex = std::complex<double>;

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)

static std::vector<complex> some(size_t n, unsigned state, bool is_real = false) {
  std::vector<complex> x(n);
  const auto next = [&] { return static_cast<double>((state = state * 1664525 + 1013904223) >> 24) / 64 - 2; };
  for (complex& each : x) each = {next(), is_real ? 0 : next()};
  return x;
}
// The definition, along one axis after another: element (i, j, k) of a · b · c.
static std::vector<complex> transformed(std::vector<complex> x, int a, int b, int c, int sign) {
  const int lengths[] = {a, b, c}, steps[] = {b * c, c, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const int n = lengths[axis], step = steps[axis];
    std::vector<complex> y(x.size());
    for (int at = 0; at < a * b * c; ++at) {
      const int k = at / step % n, first = at - k * step;
      for (int i = 0; i < n; ++i) y[at] += x[first + i * step] * std::polar(1.0, sign * 2 * M_PI * ((long long)i * k % n) / n);
    }
    x = y;
  }
  return x;
}
static double distance(const std::vector<complex>& x, const std::vector<complex>& y) {
  double most = 0, size = 1;
  for (size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, std::abs(x[i] - y[i]));
    size = std::max(size, std::abs(y[i]));
  }
  return most / size;
}
template <class T>
static T* device(const std::vector<T>& x) {
  T* made;
  cudaMalloc(&made, x.size() * sizeof(T));
  cudaMemcpy(made, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
  return made;
}
template <class T>
static std::vector<T> back(const T* from, size_t n) {
  std::vector<T> x(n);
  cudaMemcpy(x.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return x;
}
static std::vector<cufftComplex> singles(const std::vector<complex>& x) {
  std::vector<cufftComplex> y;
  for (const complex& z : x) y.push_back({static_cast<float>(z.real()), static_cast<float>(z.imag())});
  return y;
}
static std::vector<cufftDoubleComplex> doubles(const std::vector<complex>& x) {
  std::vector<cufftDoubleComplex> y;
  for (const complex& z : x) y.push_back({z.real(), z.imag()});
  return y;
}
template <class C>
static std::vector<complex> numbers(const std::vector<C>& x, size_t first, size_t n, size_t step = 1) {
  std::vector<complex> y;
  for (size_t i = 0; i < n; ++i) y.push_back({x[first + i * step].x, x[first + i * step].y});
  return y;
}

static void lines_of_many_lengths() {
  for (const int n : {1, 2, 7, 12, 16, 30, 61, 97}) {
    const int batch = 3;
    const std::vector<complex> x = some(n * batch, n);
    cufftComplex *in = device(singles(x)), *out;
    cudaMalloc(&out, x.size() * sizeof *out);
    cufftHandle plan;
    EXPECT(cufftPlan1d(&plan, n, CUFFT_C2C, batch) == CUFFT_SUCCESS);
    cufftHandle in_place;
    cufftPlan1d(&in_place, n, CUFFT_Z2Z, batch);
    cufftDoubleComplex* const changed = device(doubles(x));
    for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      EXPECT(cufftExecC2C(plan, in, out, direction) == CUFFT_SUCCESS);
      cudaMemcpy(changed, doubles(x).data(), x.size() * sizeof *changed, cudaMemcpyHostToDevice);
      EXPECT(cufftExecZ2Z(in_place, changed, changed, direction) == CUFFT_SUCCESS);
      const auto got = back(out, x.size());
      const auto precise = back(changed, x.size());
      for (int b = 0; b < batch; ++b) {
        const auto want = transformed({x.begin() + b * n, x.begin() + (b + 1) * n}, 1, 1, n, direction);
        EXPECT(distance(numbers(got, b * n, n), want) < 1e-6);
        EXPECT(distance(numbers(precise, b * n, n), want) < 1e-14);
      }
    }
    cufftDestroy(plan);
    cufftDestroy(in_place);
    cudaFree(in);
    cudaFree(out);
    cudaFree(changed);
  }
}

// More than are calculated at once.
static void many_lines() {
  const int n = 500, batch = 1100;
  std::vector<cufftComplex> x(n * batch, cufftComplex{0, 0});
  const std::vector<complex> last = some(n, 5);
  const std::vector<cufftComplex> last_singles = singles(last);
  std::copy(last_singles.begin(), last_singles.end(), x.end() - n);
  x[0] = {3, 0};
  cufftComplex* const lines = device(x);
  cufftHandle plan;
  EXPECT(cufftPlan1d(&plan, n, CUFFT_C2C, batch) == CUFFT_SUCCESS);
  EXPECT(cufftExecC2C(plan, lines, lines, CUFFT_FORWARD) == CUFFT_SUCCESS);
  const auto got = back(lines, n * batch);
  EXPECT(got[n - 1].x == 3 && got[n].x == 0);
  EXPECT(distance(numbers(got, n * (batch - 1), n), transformed(last, 1, 1, n, -1)) < 1e-6);
  cufftDestroy(plan);
  cudaFree(lines);
}

// Real lines of a batch in place, each with room for its spectrum, and back from where another array has it.
static void real_lines() {
  const int n = 10, half = n / 2 + 1, batch = 4;
  const std::vector<complex> x = some(n * batch, 31, true);
  std::vector<double> padded(2 * half * batch, 0.0);
  for (int i = 0; i < n * batch; ++i) padded[i / n * 2 * half + i % n] = x[i].real();
  double* const lines = device(padded);
  double* again;
  cudaMalloc(&again, n * batch * sizeof *again);
  const auto spectrum = reinterpret_cast<cufftDoubleComplex*>(lines);
  cufftHandle forward, inverse;
  EXPECT(cufftPlan1d(&forward, n, CUFFT_D2Z, batch) == CUFFT_SUCCESS);
  EXPECT(cufftPlan1d(&inverse, n, CUFFT_Z2D, batch) == CUFFT_SUCCESS);
  EXPECT(cufftExecD2Z(forward, lines, spectrum) == CUFFT_SUCCESS);
  const auto before = back(spectrum, half * batch);
  EXPECT(cufftExecZ2D(inverse, spectrum, again) == CUFFT_SUCCESS);
  const auto after = back(spectrum, half * batch);
  const auto reals = back(again, n * batch);
  for (int t = 0; t < batch; ++t) {
    auto want = transformed({x.begin() + t * n, x.begin() + (t + 1) * n}, 1, 1, n, -1);
    want.resize(half);
    EXPECT(distance(numbers(before, t * half, half), want) < 1e-14);
    EXPECT(distance(numbers(after, t * half, half), want) < 1e-14);
    for (int i = 0; i < n; ++i) EXPECT(std::fabs(reals[t * n + i] / n - x[t * n + i].real()) < 1e-14);
  }
  cufftDestroy(forward);
  cufftDestroy(inverse);
  cudaFree(lines);
  cudaFree(again);
}

// Real planes, side by side and in place with room at the end of their rows, there and back.
static void planes() {
  for (const int n : {6, 9}) {
    const int rows = 5, half = n / 2 + 1;
    const std::vector<complex> x = some(rows * n, 11, true);
    const auto want = transformed(x, 1, rows, n, -1);
    std::vector<float> reals(rows * n), padded(rows * 2 * half, 0.f);
    for (int i = 0; i < rows * n; ++i) padded[i / n * 2 * half + i % n] = reals[i] = static_cast<float>(x[i].real());
    float *a = device(reals), *b = device(padded);
    cufftComplex* c;
    cudaMalloc(&c, rows * half * sizeof *c);
    cufftHandle forward, inverse;
    cufftPlan2d(&forward, rows, n, CUFFT_R2C);
    cufftPlan2d(&inverse, rows, n, CUFFT_C2R);
    EXPECT(cufftExecR2C(forward, a, c) == CUFFT_SUCCESS);
    EXPECT(cufftExecR2C(forward, b, reinterpret_cast<cufftComplex*>(b)) == CUFFT_SUCCESS);
    const auto apart = back(c, rows * half), inside = back(reinterpret_cast<cufftComplex*>(b), rows * half);
    std::vector<complex> left;
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < half; ++k) left.push_back(want[i * n + k]);
    EXPECT(distance(numbers(apart, 0, left.size()), left) < 1e-6);
    EXPECT(distance(numbers(inside, 0, left.size()), left) < 1e-6);
    EXPECT(cufftExecC2R(inverse, c, a) == CUFFT_SUCCESS);
    EXPECT(cufftExecC2R(inverse, reinterpret_cast<cufftComplex*>(b), b) == CUFFT_SUCCESS);
    const auto again = back(a, rows * n), again_padded = back(b, rows * 2 * half);
    // What it was made from does not last when that lies elsewhere.
    EXPECT(distance(numbers(back(c, rows * half), 0, left.size()), left) > 1e-3);
    for (int i = 0; i < rows * n; ++i) {
      EXPECT(std::fabs(again[i] / (rows * n) - x[i].real()) < 1e-5);
      EXPECT(std::fabs(again_padded[i / n * 2 * half + i % n] / (rows * n) - x[i].real()) < 1e-5);
    }
    cufftDestroy(forward);
    cufftDestroy(inverse);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
  }
}

static void boxes_and_layouts() {
  const int a = 3, b = 4, c = 5;
  const std::vector<complex> x = some(a * b * c, 21);
  cufftDoubleComplex* const box = device(doubles(x));
  cufftHandle plan;
  cufftPlan3d(&plan, a, b, c, CUFFT_Z2Z);
  EXPECT(cufftXtExec(plan, box, box, CUFFT_INVERSE) == CUFFT_SUCCESS);
  EXPECT(distance(numbers(back(box, a * b * c), 0, a * b * c), transformed(x, a, b, c, 1)) < 1e-14);
  cufftDestroy(plan);
  cudaFree(box);

  // Real columns of a matrix to rows of another with gaps between: element k of transform t at t + k·columns,
  // and at t·9 + 2·k.
  const int columns = 6, n = 8;
  const std::vector<complex> y = some(columns * n, 22, true);
  std::vector<double> matrix;
  for (const complex& z : y) matrix.push_back(z.real());
  double* const from = device(matrix);
  cufftDoubleComplex* to = device(doubles(std::vector<complex>(columns * 9 + 9, 7.0)));
  int lengths[] = {n}, room[] = {n};
  cufftHandle many;
  EXPECT(cufftPlanMany(&many, 1, lengths, room, columns, 1, room, 2, 9, CUFFT_D2Z, columns) == CUFFT_SUCCESS);
  EXPECT(cufftExecD2Z(many, from, to) == CUFFT_SUCCESS);
  const auto got = back(to, columns * 9 + 9);
  for (int t = 0; t < columns; ++t) {
    std::vector<complex> line;
    for (int k = 0; k < n; ++k) line.push_back(y[t + k * columns]);
    line = transformed(line, 1, 1, n, -1);
    line.resize(n / 2 + 1);
    EXPECT(distance(numbers(got, t * 9, n / 2 + 1, 2), line) < 1e-14);
    EXPECT(got[t * 9 + 1].x == 7 && got[t * 9 + 3].x == 7);
  }
  cufftDestroy(many);
  cudaFree(from);
  cudaFree(to);

  // A part of a plane: 2 x 4 of rows of 7, in halves, which take powers of two.
  const std::vector<complex> z = some(5 * 7, 23);
  std::vector<__half2> halves;
  for (const complex& each : z)
    halves.push_back(__floats2half2_rn(static_cast<float>(each.real()), static_cast<float>(each.imag())));
  __half2* const plane = device(halves);
  cufftHandle part;
  EXPECT(cufftCreate(&part) == CUFFT_SUCCESS);
  long long part_of[] = {2, 4}, rows[] = {5, 7}, odd[] = {3, 4};
  size_t bytes = 0;
  cufftHandle refused;
  EXPECT(cufftCreate(&refused) == CUFFT_SUCCESS);
  EXPECT(cufftXtMakePlanMany(refused, 2, odd, rows, 1, 35, CUDA_C_16F, rows, 1, 35, CUDA_C_16F, 1, &bytes, CUDA_C_16F) != CUFFT_SUCCESS);
  cufftDestroy(refused);
  EXPECT(cufftXtMakePlanMany(part, 2, part_of, rows, 1, 35, CUDA_C_16F, rows, 1, 35, CUDA_C_16F, 1, &bytes, CUDA_C_16F) == CUFFT_SUCCESS);
  EXPECT(cufftXtExec(part, plane, plane, CUFFT_FORWARD) == CUFFT_SUCCESS);
  std::vector<complex> corner;
  for (int i = 0; i < 8; ++i) corner.push_back(z[i / 4 * 7 + i % 4]);
  corner = transformed(corner, 1, 2, 4, -1);
  const auto changed = back(plane, 35);
  for (int i = 0; i < 35; ++i) {
    const complex value(__low2float(changed[i]), __high2float(changed[i]));
    EXPECT(std::abs(value - (i / 7 < 2 && i % 7 < 4 ? corner[i / 7 * 4 + i % 7] : z[i])) < 0.02);
  }
  cufftDestroy(part);
  cudaFree(plane);
}

static void results_and_work_areas(cufftComplex* x, float* reals) {
  cufftHandle plan, another;
  EXPECT(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
  EXPECT(cufftPlan1d(&plan, 8, static_cast<cufftType>(1), 1) != CUFFT_SUCCESS);
  int lengths[] = {2, 2, 2, 2};
  EXPECT(cufftPlanMany(&plan, 4, lengths, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1) != CUFFT_SUCCESS);
  EXPECT(cufftExecC2C(12345, x, x, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
  EXPECT(cufftCreate(&plan) == CUFFT_SUCCESS && cufftCreate(&another) == CUFFT_SUCCESS && plan != another);
#ifdef __HEDDLE_CHECK__
  // A handle without a plan: cuFFT does not say what that gives.
  EXPECT(cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
#endif
  size_t bytes = 0, size = 0, estimate = 0;
  EXPECT(cufftSetAutoAllocation(plan, 0) == CUFFT_SUCCESS);
  EXPECT(cufftMakePlan2d(plan, 4, 8, CUFFT_C2C, &bytes) == CUFFT_SUCCESS);
  EXPECT(cufftMakePlan2d(plan, 4, 8, CUFFT_C2C, &bytes) == CUFFT_INVALID_PLAN);
  EXPECT(cufftGetSize(plan, &size) == CUFFT_SUCCESS && size == bytes);
  EXPECT(cufftEstimate2d(4, 8, CUFFT_C2C, &estimate) == CUFFT_SUCCESS && estimate >= size);
#ifdef __HEDDLE_CHECK__
  // cuFFT has plans that need none.
  EXPECT(bytes > 0 && cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE);
#endif
  void* work;
  cudaMalloc(&work, bytes > 0 ? bytes : 1);
  EXPECT(cufftSetWorkArea(plan, work) == CUFFT_SUCCESS);
  EXPECT(cufftExecC2C(plan, x, x, 2) == CUFFT_INVALID_VALUE);
#ifdef __HEDDLE_CHECK__
  // cuFFT does not say that it compares the plan's type with the call's.
  EXPECT(cufftExecR2C(plan, reals, x) == CUFFT_INVALID_TYPE);
#endif
  EXPECT(cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_SUCCESS);
  EXPECT(cufftDestroy(plan) == CUFFT_SUCCESS && cufftDestroy(plan) == CUFFT_INVALID_PLAN);
  cufftDestroy(another);
  cudaFree(work);
}

__global__ void fill(cufftComplex* x) {
  x[threadIdx.x] = {1, 0};  // @fills
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  const int n = 32;
  cufftComplex *x = device(std::vector<cufftComplex>(n)), *shorter, *unset;
  float* const reals = device(std::vector<float>(n));
  cudaMalloc(&shorter, (n - 1) * sizeof *shorter);
  cudaMalloc(&unset, n * sizeof *unset);
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cufftHandle plan, real;
  cufftPlan1d(&plan, n, CUFFT_C2C, 1);
  cufftPlan1d(&real, n, CUFFT_R2C, 1);
  if (std::strcmp(mode, "short") == 0) {
    cufftExecC2C(plan, x, shorter, CUFFT_FORWARD);  // @short
  } else if (std::strcmp(mode, "unset") == 0) {
    cufftExecC2C(plan, unset, x, CUFFT_FORWARD);  // @unset
  } else if (std::strcmp(mode, "no_room") == 0) {
    cufftExecR2C(real, reals, reinterpret_cast<cufftComplex*>(reals));  // @no_room
  } else if (std::strcmp(mode, "streams") == 0) {
    fill<<<1, n, 0, first>>>(x);
    cufftSetStream(plan, second);
    cufftExecC2C(plan, x, x, CUFFT_FORWARD);  // @transforms
  } else if (std::strcmp(mode, "ordered") == 0) {
    fill<<<1, n, 0, first>>>(x);
    cufftSetStream(plan, first);
    cufftExecC2C(plan, x, x, CUFFT_FORWARD);
    cudaStreamSynchronize(first);
    std::printf("%g\n", back(x, n)[0].x);
  } else if (std::strcmp(mode, "work") == 0) {
    // Its work area is one.
    cufftSetStream(plan, first);
    cufftExecC2C(plan, x, x, CUFFT_FORWARD);  // @first
    cufftSetStream(plan, second);
    cufftComplex* const y = device(std::vector<cufftComplex>(n));
    cufftExecC2C(plan, y, y, CUFFT_FORWARD);  // @second
  } else if (std::strcmp(mode, "small_work") == 0) {
    cufftHandle given;
    size_t bytes;
    char* work;
    cufftCreate(&given);
    cufftSetAutoAllocation(given, 0);
    cufftMakePlan1d(given, n, CUFFT_C2C, 1, &bytes);
    cudaMalloc(&work, bytes - 1);
    cufftSetWorkArea(given, work);
    cufftExecC2C(given, x, x, CUFFT_FORWARD);  // @small_work
  } else if (std::strcmp(mode, "host") == 0) {
    cufftComplex on_host[n] = {};
    cufftExecC2C(plan, on_host, x, CUFFT_FORWARD);  // @host
  } else {
    lines_of_many_lengths();
    many_lines();
    real_lines();
    planes();
    boxes_and_layouts();
    results_and_work_areas(x, reals);
    std::printf("failures: %d\n", failures);
  }
  cudaDeviceSynchronize();
}

// program
// clean
// prints failures: 0
// program -- ordered
// clean
// prints 32
// program -- short
// finds out-of-bounds @short of shorter
// program -- unset
// finds uninitialised-read @unset of unset
// program -- no_room
// finds out-of-bounds @no_room of made
// program -- streams
// finds data-race @fills @transforms of made
// program -- work
// finds data-race @first @second
// program -- small_work
// finds out-of-bounds @small_work of work
// program -- host
// finds out-of-bounds @host
