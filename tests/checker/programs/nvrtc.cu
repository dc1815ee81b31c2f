// Sources that a program compiles while it runs. The first argument says what is done with them.

// program -- right
// clean
// prints before
// prints 42 84 saxpy
// program -- race
// finds data-race @launches_text of x
// program -- wrong_source
// clean
// prints NVRTC_ERROR_COMPILATION 1 1
// program -- templates
// clean
// prints 2.5 3 7
// program -- headers
// clean
// prints 12
// program -- beside
// clean
// prints 12 1
// program -- twice
// clean
// prints 3 30
// program -- beyond
// finds out-of-bounds @launches_saxpy of y
// program -- same_variable
// fails which: 2 variables of the program's files and texts have this name
// program -- misuse
// clean
// prints 9 8 10 4 NVRTC_ERROR_INVALID_PROGRAM
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

constexpr unsigned n = 32;

const char *const saxpy = R"(
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";
const char *const shifts = R"(
extern "C" __global__ void shift(float* x) { x[threadIdx.x] = x[threadIdx.x ^ 1]; }
)";
const char *const generic = R"(
namespace math {
template <class T, int Count> __global__ void fill(T* x, T what) { x[threadIdx.x] = what + Count; }
}
__constant__ int seven = 7;
)";
const char *const with_header = R"(
#include "twelve.h"
extern "C" __global__ void fill(int* x) { x[threadIdx.x] = TWELVE + ZERO; }
)";

CUmodule load(nvrtcProgram program) {
  size_t size;
  nvrtcGetPTXSize(program, &size);
  std::vector<char> code(size);
  nvrtcGetPTX(program, code.data());
  CUmodule module = nullptr;
  cuModuleLoadDataEx(&module, code.data(), 0, nullptr, nullptr);
  return module;
}

CUfunction compiled(const char *text, const char *kernel, const char *option = "--std=c++17") {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, text, "text.cu", 0, nullptr, nullptr);
  const char *const options[] = {"--gpu-architecture=compute_90", option};
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) return nullptr;
  CUfunction function = nullptr;
  cuModuleGetFunction(&function, load(program), kernel);
  nvrtcDestroyProgram(&program);
  return function;
}

template <class T>
T value(CUdeviceptr x, int i = 0) {
  T result;
  cuMemcpyDtoH(&result, x + i * sizeof(T), sizeof result);
  return result;
}

void launch(CUfunction function, std::vector<void *> arguments) {
  cuLaunchKernel(function, 1, 1, 1, n, 1, 1, 0, nullptr, arguments.data(), nullptr);  // @launches_text
}

void templates() {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, generic, nullptr, 0, nullptr, nullptr);
  nvrtcAddNameExpression(program, "math::fill<float, 2>");
  nvrtcAddNameExpression(program, "math::fill<int, 1>");
  nvrtcAddNameExpression(program, "&seven");
  nvrtcCompileProgram(program, 0, nullptr);
  const char *of_float, *of_int, *of_seven;
  nvrtcGetLoweredName(program, "math::fill<float, 2>", &of_float);
  nvrtcGetLoweredName(program, "math::fill<int, 1>", &of_int);
  nvrtcGetLoweredName(program, "&seven", &of_seven);
  const CUmodule module = load(program);
  CUfunction floats, ints;
  cuModuleGetFunction(&floats, module, of_float);
  cuModuleGetFunction(&ints, module, of_int);
  CUdeviceptr x, seven;
  size_t size;
  cuModuleGetGlobal(&seven, &size, module, of_seven);
  cuMemAlloc(&x, n * 4);
  float half = 0.5f;
  launch(floats, {&x, &half});
  const float first = value<float>(x);
  int two = 2;
  launch(ints, {&x, &two});
  std::printf("%g %d %d\n", first, value<int>(x), value<int>(seven));
}

void wrong_source() {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, "__global__ void wrong() { absent(); }", "wrong.cu", 0, nullptr, nullptr);
  const nvrtcResult result = nvrtcCompileProgram(program, 0, nullptr);
  size_t size;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, ' ');
  nvrtcGetProgramLog(program, log.data());
  std::printf("%s %d %d\n", nvrtcGetErrorString(result), log.find("wrong.cu:1") != std::string::npos,
              log.find("absent") != std::string::npos);
}

void headers(CUdeviceptr x) {
  const char *const texts[] = {"#define TWELVE 12\n"}, *const names[] = {"twelve.h"}, *const options[] = {"-DZERO=0"};
  nvrtcProgram program;
  nvrtcCreateProgram(&program, with_header, "with_header.cu", 1, texts, names);
  if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) return;
  CUfunction fill;
  cuModuleGetFunction(&fill, load(program), "fill");
  launch(fill, {&x});
  std::printf("%d\n", value<int>(x));
}

// NVRTC searches a source's folder unless an option forbids it.
void beside(CUdeviceptr x) {
  const char *const text = "#include \"both_sides.h\"\nextern \"C\" __global__ void put(int* x) { x[threadIdx.x] = times(3, 4); }";
  nvrtcProgram program;
  nvrtcCreateProgram(&program, text, "include/put.cu", 0, nullptr, nullptr);
  if (nvrtcCompileProgram(program, 0, nullptr) != NVRTC_SUCCESS) return;
  CUfunction put;
  cuModuleGetFunction(&put, load(program), "put");
  launch(put, {&x});
  const char *const options[] = {"--no-source-include"};
  nvrtcProgram other;
  nvrtcCreateProgram(&other, text, "include/put.cu", 0, nullptr, nullptr);
  std::printf("%d %d\n", value<int>(x), nvrtcCompileProgram(other, 1, options) == NVRTC_ERROR_COMPILATION);
}

// Two sources have a kernel of the same name and differ in one option.
void twice(CUdeviceptr x) {
  const char *const text = "extern \"C\" __global__ void put(int* x) { x[threadIdx.x] = WHAT; }";
  const CUfunction three = compiled(text, "put", "-DWHAT=3"), thirty = compiled(text, "put", "-DWHAT=30");
  launch(three, {&x});
  const int first = value<int>(x);
  launch(thirty, {&x});
  std::printf("%d %d\n", first, value<int>(x));
}

void same_variable() {
  const char *const text = "__device__ int which; extern \"C\" __global__ void put() { which = WHAT; }";
  compiled(text, "put", "-DWHAT=3");
  nvrtcProgram program;
  nvrtcCreateProgram(&program, text, "other.cu", 0, nullptr, nullptr);
  const char *const options[] = {"-D", "WHAT=4"};
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) return;
  CUdeviceptr which;
  size_t size;
  cuModuleGetGlobal(&which, &size, load(program), "which");
}

void misuse() {
  nvrtcProgram program;
  const char *name;
  nvrtcCreateProgram(&program, saxpy, "text.cu", 0, nullptr, nullptr);
  const int early = nvrtcGetLoweredName(program, "saxpy", &name);
  nvrtcCompileProgram(program, 0, nullptr);
  const int late = nvrtcAddNameExpression(program, "saxpy"), unknown = nvrtcGetLoweredName(program, "other", &name);
  nvrtcDestroyProgram(&program);
  const nvrtcResult none = nvrtcCompileProgram(nullptr, 0, nullptr);
  std::printf("%d %d %d %d %s\n", early, late, unknown, none, nvrtcGetErrorString(none));
}

int main(int, char **argv) {
  const auto is = [&](const char *what) { return std::strcmp(argv[1], what) == 0; };
  cuInit(0);
  CUcontext context;
  cuCtxCreate(&context, 0, 0);
  CUdeviceptr x, y;
  cuMemAlloc(&x, n * 4);
  cuMemAlloc(&y, n * 4);
  const std::vector<float> twos(n, 2), twenties(n, 20);
  cuMemcpyHtoD(x, twos.data(), n * 4);
  cuMemcpyHtoD(y, twenties.data(), n * 4);
  if (is("right") || is("beyond")) {
    std::puts("before");
    const CUfunction function = compiled(saxpy, "saxpy");
    float a = 11;
    int count = is("beyond") ? n + 1 : n;
    void *arguments[] = {&a, &x, &y, &count};
    cuLaunchKernel(function, 2, 1, 1, n, 1, 1, 0, nullptr, arguments, nullptr);  // @launches_saxpy
    if (is("beyond")) return 0;
    const char *name;
    cuFuncGetName(&name, function);
    const float first = value<float>(y);
    a = 21;
    launch(function, {&a, &x, &y, &count});
    std::printf("%g %g %s\n", first, value<float>(y, 3), name);
  }
  if (is("race")) launch(compiled(shifts, "shift"), {&x});
  if (is("wrong_source")) wrong_source();
  if (is("templates")) templates();
  if (is("headers")) headers(x);
  if (is("beside")) beside(x);
  if (is("twice")) twice(x);
  if (is("same_variable")) same_variable();
  if (is("misuse")) misuse();
}
