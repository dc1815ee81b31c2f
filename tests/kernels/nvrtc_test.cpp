#include "kernels/nvrtc.hpp"

#include "expressions/numpy_expression.hpp"
#include "kernels/expression.hpp"
#include "target/shared_library.hpp"
#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/error.hpp>
#include <heddle/support/cuda_folders.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

/// What NVRTC makes of sources, which takes no GPU.
namespace heddle::gpu {
namespace {

constexpr int hopper = 90;

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_nvrtc()) GTEST_SKIP() << "this machine has no NVRTC";
  }
};

std::string signature(const compiled_kernel& k) {
  std::string text = k.name + "(";
  for (const auto& p : k.parameters) text += (text.back() == '(' ? "" : ", ") + p.text();
  return text + ")";
}

TEST_F(Nvrtc, signatures_of_kernels) {
  module_options options;
  options.name_expressions = {"inner::sum<float, 64>", "inner::sum<unsigned char, 2>"};
  const device_code code = compile_by_nvrtc(hopper, R"(
struct point { float x; char tag; };
namespace inner {
template <class T, int Block>
__global__ void sum(const T* x, T* partial, int n) { partial[0] = x[0] + n + Block; }
}
__global__ void all(bool b, short s, unsigned u, long l, unsigned long long v, double d, point p, const point* q,
                    float4* f, const void* any, int** pp, unsigned char c) {}
extern "C" __global__ void plain(int* x, double y, char z) {}
__global__ void none() {}
)",
                                            options);
  EXPECT_GT(code.image.size(), 0u);
  std::vector<std::string> signatures;
  for (const compiled_kernel& k : code.kernels) signatures.push_back(signature(k));
  std::sort(signatures.begin(), signatures.end());
  EXPECT_EQ(signatures,
            (std::vector<std::string>{
                "all(bool, short, unsigned int, long long, unsigned long long, double, point, const point*, "
                "float4*, const void*, int**, unsigned char)",
                "inner::sum<float, 64>(const float*, float*, int)",
                "inner::sum<unsigned char, 2>(const unsigned char*, unsigned char*, int)", "none()",
                "plain(8 bytes, 8 bytes, 1 bytes)"}));
  for (const compiled_kernel& k : code.kernels) {
    if (k.name == "all") {
      EXPECT_EQ(k.parameters[6].size, 8u);
      EXPECT_EQ(k.parameters[0].size, 1u);
    }
  }
  EXPECT_NE(code.symbol_of.at("inner::sum<float, 64>"), "");
}

TEST_F(Nvrtc, overloads_are_found_by_their_parameters) {
  module_options options;
  options.name_expressions = {"chosen<float>(const float*, int)"};
  const device_code code = compile_by_nvrtc(hopper, R"(
__global__ void div(int* x, const float* y) {}
__global__ void div(double* x) {}
namespace inner { __global__ void alone() {} }
template <class T> __global__ void chosen(const T* x, int n) {}
template <class T> __global__ void chosen(T* x, double n) {}
)",
                                            options);
  const auto parameters = [&](const char* asked_for) {
    const compiled_kernel* const k = find_kernel(code, asked_for);
    return k == nullptr ? -1 : static_cast<int>(k->parameters.size());
  };
  EXPECT_EQ(parameters("div(int*, const float*)"), 2);
  EXPECT_EQ(parameters("::div( int *, float const * )"), 2);
  EXPECT_EQ(parameters("div(double*)"), 1);
  EXPECT_EQ(parameters("div(float*)"), -1);
  EXPECT_EQ(parameters("alone()"), 0);
  EXPECT_EQ(parameters("chosen<float>(const float*, int)"), 2);
  EXPECT_EQ(tests::message_of([&] { find_kernel(code, "div"); }),
            "several kernels are called 'div': name one with its parameters: div(int*, const float*), "
            "div(double*)");
}

// Aliases are not in a symbol: the compiler finds what they name.
TEST_F(Nvrtc, overloads_are_found_by_aliases) {
  const std::string source = R"(
using real = float;
namespace outer { namespace inner {
using whole = int;
__global__ void sum(real* x, int n) {}
__global__ void sum(whole* x, int n) {}
} }
)";
  const device_code code = compile_by_nvrtc(hopper, source, {});
  EXPECT_EQ(find_kernel(code, "sum(real*, int)"), nullptr);
  EXPECT_EQ(expression_for(code, "sum(real*, int)"), "outer::inner::sum(real*, int)");
  EXPECT_EQ(expression_for(code, "chosen<float>"), "chosen<float>");
  EXPECT_EQ(expression_for(code, "sum"), "");
  EXPECT_EQ(expression_for(code, "nobody(int)"), "");
  EXPECT_EQ(
      why_no_kernel(code, "sum(short*)"),
      "no kernel is 'sum(short*)': there are outer::inner::sum(float*, int), outer::inner::sum(int*, int)");
  module_options options;
  options.standard = "c++14";
  options.name_expressions = {"outer::inner::sum(real*, int)", "outer::inner::sum(whole*, int)"};
  const device_code with_alias = compile_by_nvrtc(hopper, source, options);
  const compiled_kernel* const of_reals = find_kernel(with_alias, "outer::inner::sum(real*, int)");
  ASSERT_NE(of_reals, nullptr);
  EXPECT_EQ(signature(*of_reals), "outer::inner::sum(float*, int)");
  const compiled_kernel* const of_wholes = find_kernel(with_alias, "outer::inner::sum(whole*, int)");
  ASSERT_NE(of_wholes, nullptr);
  EXPECT_EQ(signature(*of_wholes), "outer::inner::sum(int*, int)");
}

TEST_F(Nvrtc, errors_name_lines_and_headers_count) {
  module_options options;
  options.name = "wrong.cu";
  EXPECT_NE(tests::message_of([&] {
              compile_by_nvrtc(hopper, "\n__global__ void f() { undeclared = 1; }\n", options);
            }).find("wrong.cu(2): error: identifier \"undeclared\""),
            std::string::npos);
  // New, so that no earlier run has kept what is compiled with it.
  const tests::scratch_folder folder;
  options.include_folders = {folder.path()};
  const std::string source = "#include \"outer_header.h\"\n__global__ void f(int* x) { *x = VALUE; }\n";
  std::ofstream(folder / "outer_header.h") << " #  include <inner_header.h>\n";
  std::ofstream(folder / "inner_header.h") << "#define VALUE 1\n";
  compile_by_nvrtc(hopper, source, options);
  EXPECT_TRUE(compile_by_nvrtc(hopper, source, options).was_cached);
  std::ofstream(folder / "inner_header.h") << "#define VALUE 2\n";
  EXPECT_FALSE(compile_by_nvrtc(hopper, source, options).was_cached);
  EXPECT_TRUE(compile_by_nvrtc(hopper, source, options).was_cached);
  options.definitions = {"OTHER"};
  EXPECT_FALSE(compile_by_nvrtc(hopper, source, options).was_cached);
}

TEST_F(Nvrtc, headers_that_come_to_hide_others_count) {
  const tests::scratch_folder folder;
  for (const char* const name : {"first", "second", "flag"})
    std::filesystem::create_directory(folder.path() / name);
  module_options options;
  options.include_folders = {folder / "first", folder / "second"};
  options.flags = {"-I" + (folder / "flag")};
  const std::string source = "#include <outer_header.h>\n__global__ void f(int* x) { *x = VALUE; }\n";
  std::ofstream(folder / "second/outer_header.h") << "#include \"inner_header.h\"\n";
  std::ofstream(folder / "flag/inner_header.h") << "#define VALUE 1\n";
  compile_by_nvrtc(hopper, source, options);
  // From the last folder to the first that is searched for either.
  for (const char* const name : {"flag/inner_header.h", "second/inner_header.h", "first/outer_header.h"}) {
    std::ofstream(folder / name) << "#define VALUE 2\n";
    EXPECT_FALSE(compile_by_nvrtc(hopper, source, options).was_cached) << name;
    EXPECT_TRUE(compile_by_nvrtc(hopper, source, options).was_cached) << name;
  }
}

TEST_F(Nvrtc, reads_nothing_of_the_working_directory_unless_it_is_named) {
  const tests::scratch_folder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  for (const char* const place : {"one", "two"}) {
    std::filesystem::create_directories(folder.path() / place / "include");
    std::ofstream(folder.path() / place / "named.h") << "#error planted\n";
    std::ofstream(folder.path() / place / "include" / "named.h") << "#define VALUE \"" << place << "\"\n";
  }
  module_options options;
  options.include_folders = {"include"};
  std::vector<bool> was_cached;
  std::vector<std::string> images;
  for (const char* const place : {"one", "two", "one", "two"}) {
    std::filesystem::current_path(folder.path() / place);
    const device_code code = compile_by_nvrtc(hopper, R"(
#include "named.h"
__global__ void f(const char** x) { *x = VALUE; })",
                                              options);
    was_cached.push_back(code.was_cached);
    images.push_back(code.image);
  }
  EXPECT_EQ(was_cached, (std::vector<bool>{false, false, true, true}));
  EXPECT_NE(images[0], images[1]);
  EXPECT_EQ(images[0], images[2]);
  std::ofstream("include/named.h") << "#error named\n";
  const std::string message =
      tests::message_of([&] { compile_by_nvrtc(hopper, "\n#include \"named.h\"\n", options); });
  std::filesystem::current_path(before);
  EXPECT_NE(message.find("\ninclude/named.h(1): "), std::string::npos) << message;
  EXPECT_EQ(message.find("/dev/null"), std::string::npos) << message;
}

// What nvcc gives every file, and what files include for it; libcu++ may define it once more.
TEST_F(Nvrtc, sources_have_what_c_headers_define) {
  const std::string body = R"(
static_assert(INT_MIN == -2147483647 - 1 && UINT16_MAX == 65535 && SIZE_MAX == ~size_t{} && CHAR_BIT == 8);
static_assert(INT64_MIN == LLONG_MIN && ULONG_MAX == ~0ul && sizeof(std::uint64_t) == 8 && sizeof(intptr_t) == 8);
static_assert(-INFINITY < -FLT_MAX && HUGE_VAL > DBL_MAX && NAN != NAN && 1 + DBL_EPSILON > 1 && FLT_MIN > 0);
__global__ void kernel(double* x, std::uint32_t n) {
  assert(n > 0);
  x[0] = std::sqrt(x[1]) + std::pow(x[2], 2.0) + sinf(2.0f) + M_PI;
  if (isnan(x[0])) std::printf("%u", n);
}
)";
  for (const char* const begin : {"",
                                  "#include <math.h>\n#include <stdio.h>\n#include <stdint.h>\n#include "
                                  "<limits.h>\n#include <float.h>\n",
                                  "#include <cassert>\n#include <cmath>\n#include <cstdint>\n#include "
                                  "<cstdio>\n#include <cstdlib>\n"}) {
    EXPECT_EQ(compile_by_nvrtc(hopper, begin + body, {}).kernels.size(), 1u) << begin;
  }
  const device_code with_libcupp =
      compile_by_nvrtc(hopper, "#include <cuda/std/cstdint>\n#include <cuda/std/climits>\n" + body, {});
  EXPECT_EQ(with_libcupp.kernels.size(), 1u);
}

TEST_F(Nvrtc, sources_around_expressions) {
  impl::expression_text text;
  text.parameters = impl::parse_parameters("float x, float y, float a", "y = a * x + y");
  text.is_array = {true, true, false};
  text.name = "expression";
  const auto kernels = [](const std::string& source) {
    std::string names;
    for (const compiled_kernel& k : compile_by_nvrtc(hopper, source, {}).kernels) names += k.name + " ";
    return names;
  };
  EXPECT_EQ(kernels(impl::elementwise_source(text, "y = a * x + y")), "heddle_elements ");
  text.parameters = impl::parse_parameters("float x, float y, float a", "");
  for (const bool commutes : {false, true}) {
    for (const std::size_t bytes : {1u, 2u, 4u, 8u}) {
      impl::combination how;
      how.type = bytes == 1 ? "signed char" : bytes == 2 ? "short" : bytes == 4 ? "float" : "double";
      how.map = "a * x + y";
      how.combine = "a + b";
      how.element_bytes = bytes;
      how.is_floating = bytes >= 4;
      how.is_commutative = commutes;
      const std::string reductions = kernels(impl::reduction_source(text, how));
      for (const char* const name : {"heddle_reduce_inputs", "heddle_reduce_partials", "heddle_of_nothing"})
        EXPECT_NE(reductions.find(name), std::string::npos) << reductions;
      const std::string scans = kernels(impl::scan_source(text, how));
      for (const char* const name : {"heddle_totals_of_inputs", "heddle_totals_of_partials",
                                     "heddle_scan_inputs", "heddle_scan_partials"})
        EXPECT_NE(scans.find(name), std::string::npos) << scans;
    }
  }
}

// All functions of heddle transform in one kernel a type, by the index of the element.
TEST_F(Nvrtc, expressions_of_the_command) {
  const std::vector<std::string> of_integers{"a + b",
                                             "a // b",
                                             "a % b",
                                             "fmod(a, b)",
                                             "a ** b",
                                             "a << b",
                                             "a >> b",
                                             "gcd(a, b)",
                                             "lcm(a, b)",
                                             "-a",
                                             "abs(a)",
                                             "sign(a)",
                                             "square(a)",
                                             "minimum(a, b)",
                                             "reciprocal(a)",
                                             "clip(a, b, 3)",
                                             "a < 300 and a > b",
                                             "bitwise_count(a)"};
  const std::vector<std::string> of_reals{
      "a // b",     "a % b",    "fmod(a, b)", "a ** b",   "fmin(a, b)",      "sqrt(a)", "cbrt(a)",
      "exp2(a)",    "expm1(a)", "log1p(a)",   "tan(a)",   "arctanh(a)",      "sign(a)", "arctan2(a, b)",
      "signbit(a)", "isnan(a)", "rint(a)",    "angle(a)", "heaviside(a, b)", "int8(a)", "uint64(b)"};
  const std::vector<std::string> of_complex{
      "a / b",     "a ** b",     "sqrt(a)",    "exp(a)",     "exp2(a)",       "expm1(a)",
      "log(a)",    "log2(a)",    "log10(a)",   "log1p(a)",   "sin(a)",        "cos(a)",
      "tan(a)",    "sinh(a)",    "cosh(a)",    "tanh(a)",    "arcsin(a)",     "arccos(a)",
      "arctan(a)", "arcsinh(a)", "arccosh(a)", "arctanh(a)", "reciprocal(a)", "square(a)",
      "sign(a)",   "abs(a)",     "angle(a)",   "conj(a)",    "rint(a)",       "isfinite(a)"};
  for (const auto& [type, functions] : {std::pair{dtype::uint8, of_integers},
                                        {dtype::int64, of_integers},
                                        {dtype::float32, of_reals},
                                        {dtype::complex64, of_complex}}) {
    std::string expression = "a";
    for (std::size_t k = 0; k < functions.size(); ++k)
      expression = "where(i == " + std::to_string(k) + ", " + functions[k] + ", " + expression + ")";
    const expressions::translated_expression code =
        expressions::translate_expression(expression, {{"a", type}, {"b", type}});
    const std::string name = expressions::code_name(type), operation = "heddle_result = " + code.code;
    impl::expression_text text;
    text.parameters = impl::parse_parameters("const " + name + " in_a, const " + name + " in_b, " +
                                                 expressions::code_name(code.type) + "& heddle_result",
                                             operation);
    text.is_array = {true, true, true};
    text.preamble = std::string(expressions::expression_functions) + expressions::complex_functions;
    EXPECT_EQ(compile_by_nvrtc(hopper, impl::elementwise_source(text, operation), {}).kernels.size(), 1u)
        << name;
  }
}

/// Libraries that stand in for CUDA's are copies of the C library's mathematics.
std::filesystem::path mathematics() {
  Dl_info about{};
  EXPECT_NE(dladdr(dlsym(RTLD_DEFAULT, "cos"), &about), 0);
  return about.dli_fname;
}

TEST(CudaFolders, libraries_are_found_in_what_was_added) {
  const tests::scratch_folder first, second;
  EXPECT_THROW(impl::cuda_library("heddle_mathematics", 7, "install it"), error);
  std::filesystem::create_directory(second.path() / "lib");
  std::filesystem::copy_file(mathematics(), second.path() / "lib" / "libheddle_mathematics.so.7");
  add_cuda_folder(first.path());
  add_cuda_folder(second.path());
  const impl::shared_library found = impl::cuda_library("heddle_mathematics", 7, "install it");
  EXPECT_EQ(found.function<double(double)>("cos")(0.0), 1.0);
}

TEST(CudaFolders, are_searched_in_order_and_once) {
  const tests::scratch_folder added, home;
  add_cuda_folder(added.path());
  add_cuda_folder(added.path());
  const auto place = [](const std::filesystem::path& folder) {
    const std::vector<std::filesystem::path> all = impl::cuda_folders();
    EXPECT_LE(std::count(all.begin(), all.end(), folder), 1);
    return std::find(all.begin(), all.end(), folder) - all.begin();
  };
  const std::ptrdiff_t none = static_cast<std::ptrdiff_t>(impl::cuda_folders().size());
  EXPECT_LT(place(added.path()), place("/opt/cuda"));
  EXPECT_EQ(place(home.path()), none);
  const char* const before = std::getenv("CUDA_PATH");
  const std::string kept = before == nullptr ? "" : before;
  setenv("CUDA_PATH", home.path().c_str(), 1);
  EXPECT_LT(place(home.path()), place(added.path()));
  setenv("CUDA_PATH", kept.c_str(), 1);
  EXPECT_EQ(impl::cuda_files({"libnvrtc.so.13"}).front(), "libnvrtc.so.13");
}

}  // namespace
}  // namespace heddle::gpu
