// cuFFT over several devices and with functions that load and store, against sums of a plain loop; and mistakes around them.
#include <cufft.h>
#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)
#define CALL(WHAT) EXPECT((WHAT) == CUFFT_SUCCESS)

using complex = std::complex<double>;
using numbers = std::vector<complex>;

static unsigned state = 1;
static double next() { return static_cast<double>((state = state * 1664525 + 1013904223) >> 20) / 2048 - 1; }
static numbers some(int n) {
  numbers x(n);
  for (complex& each : x) each = {next(), next()};
  return x;
}
// Along the middle one of outer × n × inner elements.
static numbers along(const numbers& x, int outer, int n, int inner, int sign) {
  numbers y(x.size());
  const double turn = 2 * std::acos(-1.0);
  for (int o = 0; o < outer; ++o)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < inner; ++i)
          y[(o * n + k) * inner + i] += x[(o * n + j) * inner + i] * std::polar(1.0, sign * turn * (k * j % n) / n);
  return y;
}
static numbers transformed(numbers x, int a, int b, int c, int sign) {
  x = along(x, 1, a, b * c, sign);
  x = along(x, a, b, c, sign);
  return along(x, a * b, c, 1, sign);
}
static bool near(const std::vector<cufftDoubleComplex>& got, const numbers& right) {
  for (size_t i = 0; i < right.size(); ++i)
    if (!(std::abs(complex(got[i].x, got[i].y) - right[i]) < 1e-9 * (1 + std::abs(right[i])))) return false;
  return got.size() == right.size();
}
static std::vector<cufftDoubleComplex> of_type(const numbers& x) {
  std::vector<cufftDoubleComplex> own;
  for (const complex& each : x) own.push_back({each.real(), each.imag()});
  return own;
}
static int devices = 2;
static int all_devices[] = {1, 0};

// What device i has, after a transform or before it.
static std::vector<cufftDoubleComplex> part(const cudaLibXtDesc* d, int i) {
  std::vector<cufftDoubleComplex> own(d->descriptor->size[i] / sizeof(cufftDoubleComplex));
  cudaMemcpy(own.data(), d->descriptor->data[i], d->descriptor->size[i], cudaMemcpyDeviceToHost);
  return own;
}
static void over_devices(int a, int b, int c, int axes) {
  cufftHandle plan;
  CALL(cufftCreate(&plan));
  CALL(cufftXtSetGPUs(plan, devices, all_devices));
  std::vector<size_t> sizes(devices);
  if (axes == 1) CALL(cufftMakePlan1d(plan, c, CUFFT_Z2Z, 1, sizes.data()));
  if (axes == 2) CALL(cufftMakePlan2d(plan, b, c, CUFFT_Z2Z, sizes.data()));
  if (axes == 3) CALL(cufftMakePlan3d(plan, a, b, c, CUFFT_Z2Z, sizes.data()));
  EXPECT(sizes[devices - 1] > 0);
  const numbers x = some(a * b * c), right = transformed(x, a, b, c, -1);
  std::vector<cufftDoubleComplex> host = of_type(x), back(host.size());
  cudaLibXtDesc *d, *natural;
  CALL(cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE));
  CALL(cufftXtMalloc(plan, &natural, CUFFT_XT_FORMAT_INPLACE));
  EXPECT(d->descriptor->nGPUs == devices && d->descriptor->GPUs[0] == 1 && d->subFormat == CUFFT_XT_FORMAT_INPLACE);
  CALL(cufftXtMemcpy(plan, d, host.data(), CUFFT_COPY_HOST_TO_DEVICE));
  CALL(cufftXtExecDescriptorZ2Z(plan, d, d, CUFFT_FORWARD));
  EXPECT(d->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  CALL(cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  EXPECT(near(back, right));
  // Each device has all of the first axis and a part of the second.
  if (axes > 1) {
    const int first = axes == 2 ? b : a, second = axes == 2 ? c : b, inner = axes == 2 ? 1 : c;
    for (int i = 0; i < devices; ++i) {
      const int begin = second * i / devices, end = second * (i + 1) / devices;
      numbers expected;
      for (int f = 0; f < first; ++f)
        for (int s = begin; s < end; ++s)
          for (int k = 0; k < inner; ++k) expected.push_back(right[(f * second + s) * inner + k]);
      EXPECT(near(part(d, i), expected));
    }
  }
  CALL(cufftXtMemcpy(plan, natural, d, CUFFT_COPY_DEVICE_TO_DEVICE));
  const std::vector<cufftDoubleComplex> beginning = part(natural, 0);
  EXPECT(near(beginning, numbers(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(beginning.size()))));
  CALL(cufftXtExecDescriptorZ2Z(plan, d, d, CUFFT_INVERSE));
  EXPECT(d->subFormat == CUFFT_XT_FORMAT_INPLACE);
  CALL(cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  numbers scaled = x;
  for (complex& each : scaled) each *= static_cast<double>(x.size());
  EXPECT(near(back, scaled));
  EXPECT(cufftExecZ2Z(plan, back.data(), back.data(), CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
  CALL(cufftXtFree(d));
  CALL(cufftXtFree(natural));
  CALL(cufftDestroy(plan));
}
static void real_over_devices() {
  const int a = 5, b = 6, c = 7, half = c / 2 + 1;
  cufftHandle plan;
  CALL(cufftCreate(&plan));
  CALL(cufftXtSetGPUs(plan, devices, all_devices));
  std::vector<size_t> sizes(devices);
  CALL(cufftMakePlan3d(plan, a, b, c, CUFFT_D2Z, sizes.data()));
  numbers x = some(a * b * c);
  std::vector<double> padded(a * b * 2 * half);
  for (int i = 0; i < a * b; ++i)
    for (int k = 0; k < c; ++k) {
      x[i * c + k] = x[i * c + k].real();
      padded[i * 2 * half + k] = x[i * c + k].real();
    }
  const numbers right = transformed(x, a, b, c, -1);
  numbers kept;
  for (int i = 0; i < a * b; ++i)
    for (int k = 0; k < half; ++k) kept.push_back(right[i * c + k]);
  std::vector<cufftDoubleComplex> back(a * b * half);
  cudaLibXtDesc* d;
  CALL(cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE));
  CALL(cufftXtMemcpy(plan, d, padded.data(), CUFFT_COPY_HOST_TO_DEVICE));
  EXPECT(cufftXtExecDescriptorZ2Z(plan, d, d, CUFFT_FORWARD) == CUFFT_INVALID_TYPE);
  CALL(cufftXtExecDescriptorD2Z(plan, d, d));
  CALL(cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  EXPECT(near(back, kept));
  CALL(cufftXtFree(d));
  CALL(cufftDestroy(plan));
}
static void statuses() {
  cufftHandle plan;
  int wrong[] = {0, 0}, absent[] = {0, 9};
  cudaLibXtDesc* d;
  CALL(cufftCreate(&plan));
  EXPECT(cufftXtSetGPUs(plan, 2, wrong) == CUFFT_INVALID_DEVICE);
  EXPECT(cufftXtSetGPUs(plan, 2, absent) == CUFFT_INVALID_DEVICE);
  EXPECT(cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE) == CUFFT_INVALID_PLAN);
  CALL(cufftDestroy(plan));
  CALL(cufftPlan1d(&plan, 8, CUFFT_R2C, 1));
  void* any[] = {&plan};
  EXPECT(cufftXtSetCallback(plan, any, CUFFT_CB_LD_COMPLEX, nullptr) == CUFFT_INVALID_TYPE);
  EXPECT(cufftXtSetGPUs(plan, devices, all_devices) == CUFFT_INVALID_PLAN);
  CALL(cufftDestroy(plan));
}

struct window {
  const double* factors;
  double* sizes;
};
__device__ cufftDoubleReal loads(void* from, size_t offset, void* info, void*) {
  return static_cast<const double*>(from)[offset] * static_cast<const window*>(info)->factors[offset];  // @loads
}
__device__ void stores(void* to, size_t offset, cufftDoubleComplex element, void* info, void*) {
  static_cast<cufftDoubleComplex*>(to)[offset] = {element.y, element.x};
  static_cast<const window*>(info)->sizes[offset] = element.x * element.x + element.y * element.y;
}
__device__ cufftCallbackLoadD load_pointer = loads;
__device__ cufftCallbackStoreZ store_pointer = stores;

// Rows of n numbers, a step apart, with `factors` of them.
static void callbacks(int factors) {
  const int n = 6, rows = 3, step = 2, half = n / 2 + 1;
  std::vector<double> x(n * rows * step), by(factors, 0.5);
  for (double& each : x) each = next();
  for (int i = 0; i < factors; ++i) by[i] += 0.01 * i;
  double *in, *in_by, *sizes;
  cufftDoubleComplex* out;
  window* info;
  cudaMalloc(&in, x.size() * sizeof(double));
  cudaMalloc(&in_by, factors * sizeof(double));
  cudaMalloc(&sizes, rows * half * sizeof(double));
  cudaMalloc(&out, rows * half * sizeof *out);
  cudaMalloc(&info, sizeof *info);
  cudaMemcpy(in, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(in_by, by.data(), factors * sizeof(double), cudaMemcpyHostToDevice);
  const window host{in_by, sizes};
  cudaMemcpy(info, &host, sizeof host, cudaMemcpyHostToDevice);
  cufftHandle plan;
  int length[] = {n};
  CALL(cufftPlanMany(&plan, 1, length, length, step, n * step, length, 1, half, CUFFT_D2Z, rows));
  cufftCallbackLoadD load;
  cufftCallbackStoreZ store;
  cudaMemcpyFromSymbol(&load, load_pointer, sizeof load);
  cudaMemcpyFromSymbol(&store, store_pointer, sizeof store);
  void* infos[] = {info};
  void* of_load[] = {reinterpret_cast<void*>(load)};
  void* of_store[] = {reinterpret_cast<void*>(store)};
  CALL(cufftXtSetCallback(plan, of_load, CUFFT_CB_LD_REAL_DOUBLE, infos));
  CALL(cufftXtSetCallback(plan, of_store, CUFFT_CB_ST_COMPLEX_DOUBLE, infos));
  CALL(cufftExecD2Z(plan, in, out));  // @executes
  numbers scaled(rows * n), expected, exchanged;
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < n; ++i) scaled[r * n + i] = x[(r * n + i) * step] * (static_cast<size_t>((r * n + i) * step) < by.size() ? by[(r * n + i) * step] : 0);
  scaled = along(scaled, rows, n, 1, -1);
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < half; ++k) {
      expected.push_back(scaled[r * n + k]);
      exchanged.emplace_back(scaled[r * n + k].imag(), scaled[r * n + k].real());
    }
  std::vector<cufftDoubleComplex> got(rows * half);
  std::vector<double> of_sizes(rows * half);
  cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost);
  cudaMemcpy(of_sizes.data(), sizes, of_sizes.size() * sizeof(double), cudaMemcpyDeviceToHost);
  EXPECT(near(got, exchanged));
  for (int i = 0; i < rows * half; ++i) EXPECT(std::fabs(of_sizes[i] - std::norm(expected[i])) < 1e-9);
  CALL(cufftXtClearCallback(plan, CUFFT_CB_ST_COMPLEX_DOUBLE));
  CALL(cufftExecD2Z(plan, in, out));
  cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost);
  EXPECT(near(got, expected));
  CALL(cufftDestroy(plan));
  for (double* const each : {in, in_by, sizes}) cudaFree(each);
  cudaFree(out);
  cudaFree(info);
}

__global__ void doubles(cufftDoubleComplex* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i].x *= 2;  // @doubles
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  if (std::strcmp(mode, "callback") == 0) {
    callbacks(30);
    return 0;
  }
  if (*mode != 0) {
    cufftHandle plan;
    cudaLibXtDesc* d;
    size_t sizes[2];
    std::vector<cufftDoubleComplex> x(16, {1, 1});
    cufftCreate(&plan);
    cufftXtSetGPUs(plan, 2, all_devices);
    cufftMakePlan1d(plan, 16, CUFFT_Z2Z, 1, sizes);
    cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE);
    if (std::strcmp(mode, "unset") == 0) {
      cufftXtExecDescriptorZ2Z(plan, d, d, CUFFT_FORWARD);  // @unset
    } else {
      cufftXtMemcpy(plan, d, x.data(), CUFFT_COPY_HOST_TO_DEVICE);
      cudaSetDevice(0);
      doubles<<<1, 32>>>(static_cast<cufftDoubleComplex*>(d->descriptor->data[0]), 8);  // of device 1
      cudaDeviceSynchronize();
    }
    cufftXtFree(d);
    cufftDestroy(plan);
    return 0;
  }
  over_devices(1, 1, 16, 1);
  over_devices(1, 1, 9, 1);
  over_devices(1, 6, 8, 2);
  over_devices(1, 5, 3, 2);
  over_devices(3, 4, 5, 3);
  real_over_devices();
  statuses();
  callbacks(36);
  std::printf("failures: %d\n", failures);
}

// program --devices 2
// clean
// prints failures: 0
// program -- callback
// finds out-of-bounds @loads @executes of in_by
// program --devices 2 -- unset
// finds uninitialised-read @unset
// program --devices 2 -- peers
// finds peer-access @doubles
