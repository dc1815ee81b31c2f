#include "kernels/module_state.hpp"
#include "tests/on_targets.hpp"

#include <string>
#include <vector>

namespace hd = heddle;
using hd::tests::message_of;

namespace {

/// The parameters that a demangled name lists, as CUDA C++ writes them.
std::vector<std::string> parameters_of(const char* demangled) {
  std::vector<std::string> texts;
  for (const auto& p : hd::impl::parameters_in(demangled)) texts.push_back(p.text());
  return texts;
}

class no_kernel final : public hd::impl::function_state {
 public:
  no_kernel() {
    name = "k";
    parameters = hd::impl::parameters_in("k(float*)");
  }
  void launch(const hd::target&, const hd::dimensions&, const hd::dimensions&, std::size_t,
              void* const*) const override {}
};

}  // namespace

TEST(kernel_signatures, list_parameters) {
  using texts = std::vector<std::string>;
  EXPECT_EQ(parameters_of("variable"), texts());
  EXPECT_EQ(parameters_of("k()"), texts());
  EXPECT_EQ(parameters_of("k(void)"), texts());
  EXPECT_EQ(parameters_of("void inner::sum<float, 64>(float const*, unsigned int)"),
            (texts{"const float*", "unsigned int"}));
  EXPECT_EQ(parameters_of("k(double4, float2*, __half, unsigned char&, void const*, long)"),
            (texts{"double4", "float2*", "__half", "unsigned char*", "const void*", "long long"}));
  // Not at the commas and parentheses of types.
  EXPECT_EQ(
      parameters_of("void k<int (*)(int, int), &s::operator->>(pair<int, float>, int (*)(int, int), bool)"),
      (texts{"pair<int, float>", "int (*)(int, int)", "bool"}));
  EXPECT_EQ(parameters_of("void (anonymous namespace)::k<(anonymous namespace)::op>(point*)"),
            texts{"point*"});
}

TEST(kernel_signatures, read_qualified_types) {
  const auto text = [](const char* type) { return hd::impl::parameter_in(type).text(); };
  EXPECT_EQ(text("float const* __restrict"), "const float*");
  EXPECT_EQ(text("float volatile* const"), "float*");
  EXPECT_EQ(text("int const"), "int");
  EXPECT_EQ(text("void*"), "void*");
  EXPECT_EQ(text("void"), "void");
  EXPECT_EQ(text("longlong3"), "longlong3");
  EXPECT_EQ(text("float5"), "float5");  // no type of CUDA's
  EXPECT_EQ(hd::impl::parameter_in("longlong3").size, 24u);
  EXPECT_EQ(hd::impl::parameter_in("float5").size, 0u);
}

TEST(kernel_signatures, name_what_is_known_of_a_parameter) {
  hd::impl::parameter_description p;
  EXPECT_EQ(p.text(), "void");
  p.size = 24;
  EXPECT_EQ(p.text(), "structure of 24 bytes");
  p.is_known = false;
  EXPECT_EQ(p.text(), "24 bytes");
  p.size = 0;
  EXPECT_EQ(p.text(), "?");
  EXPECT_STREQ(name(hd::impl::number::other), "structure");
  EXPECT_EQ(size_of(hd::impl::number::other), 0u);
}

TEST(kernel_signatures, hold_the_name_of_a_function) {
  using hd::impl::function_name;
  EXPECT_EQ(function_name("void inner::sum<float, 64>(float const*, int)"), "inner::sum<float, 64>");
  EXPECT_EQ(function_name("void (anonymous namespace)::k<float>(int)"), "(anonymous namespace)::k<float>");
  EXPECT_EQ(function_name("variable"), "variable");
}

TEST(kernel_arguments, are_where_the_kernel_runs) {
  const hd::target elsewhere = hd::target::gpu(), here = hd::target::serial();
  float* array = nullptr;
  const hd::impl::kernel_argument a{&array, hd::impl::number::f32, sizeof(float), true, false, &elsewhere};
  EXPECT_EQ(message_of([&] { launch(no_kernel(), here, {1}, {1}, 0, &a, 1); }),
            "k: argument 1 is on gpu:0, and the kernel runs on serial: bring it there with on()");
}
