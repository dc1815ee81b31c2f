#include <heddle/error.hpp>
#include <heddle/target.hpp>

#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace hd = heddle;

namespace {

std::string failing() {
  try {
    hd::detail::fail("out of memory");
  } catch (const hd::error& problem) {
    return problem.what();
  }
  return "no error";
}

}  // namespace

TEST(error, names_what_the_operation_does_and_where) {
  EXPECT_EQ(failing(), "out of memory");
  const hd::target where = hd::target::serial();
  hd::detail::operation reduce("reduce", 4294967296, "float64");
  EXPECT_EQ(failing(), "reduce: 4294967296 float64: out of memory");
  reduce.runs_on(where);
  EXPECT_EQ(failing(), "reduce: 4294967296 float64 on serial: out of memory");
}

TEST(error, names_the_outermost_operation_and_the_innermost_place) {
  const hd::target where = hd::target::serial();
  const hd::detail::operation outer("argmin", 10, "int32");
  {
    hd::detail::operation inner("reduce", 5, "int64");
    EXPECT_EQ(failing(), "argmin: 10 int32: out of memory");
    inner.runs_on(where);
    EXPECT_EQ(failing(), "argmin: 10 int32 on serial: out of memory");
  }
  EXPECT_EQ(failing(), "argmin: 10 int32: out of memory");
}

TEST(error, operations_may_be_nested_deeply_and_belong_to_one_thread) {
  const hd::target where;
  {
    std::optional<hd::detail::operation> nested[100];
    for (auto& each : nested) {
      each.emplace("scan", 3, "bool");
      each->runs_on(where);
    }
    std::thread([] { EXPECT_EQ(failing(), "out of memory"); }).join();
  }
  EXPECT_EQ(failing(), "out of memory");
}
