#pragma once

#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/target.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::tests {

/// A test that runs once on each target; the one on a GPU is skipped by name where there is none.
class on_targets : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string text = GetParam();
    if (text.starts_with("gpu") && gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
    where = target::parse(text);
  }
  target where;
};

inline std::string target_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == ':') c = '_';
  }
  return name;
}

/// The same targets, for a test that works out once, and slowly, what it expects of all of them. Under
/// sanitizers those are left out that the presets leave out by the names of tests.
inline std::vector<target> targets_at_hand() {
  std::vector<target> all{target::parallel(3)};
#if !defined(__SANITIZE_THREAD__)
  all.push_back(target::serial());
#endif
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  all.push_back(target::parallel(2));
#endif
  if (!gpus().empty()) all.push_back(target::parse("gpu:0"));
  return all;
}

/// What a call throws, or "no error".
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const error& problem) {
    return problem.what();
  }
  return "no error";
}

}  // namespace heddle::tests

/// Runs the tests of a fixture that derives from on_targets on every CPU target.
#define HD_ON_CPU_TARGETS(fixture)                                                              \
  INSTANTIATE_TEST_SUITE_P(Cpu, fixture, testing::Values("serial", "parallel:2", "parallel:3"), \
                           heddle::tests::target_name)
/// And on the first GPU.
#define HD_ON_ALL_TARGETS(fixture) \
  HD_ON_CPU_TARGETS(fixture);      \
  INSTANTIATE_TEST_SUITE_P(Gpu, fixture, testing::Values("gpu:0"), heddle::tests::target_name)
