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
    hd::fail("out of memory");
  } catch (const hd::error& problem) {
    return problem.what();
  }
  return "no error";
}

}  // namespace

TEST(error, names_what_the_operation_does_and_where) {
  EXPECT_EQ(failing(), "out of memory");
  const hd::target where = hd::target::serial();
  hd::operation reduce("reduce", 4294967296, "float64");
  EXPECT_EQ(failing(), "reduce: 4294967296 float64: out of memory");
  reduce.runs_on(where);
  EXPECT_EQ(failing(), "reduce: 4294967296 float64 on serial: out of memory");
}

TEST(error, names_what_was_called_and_what_failed_within_it_and_the_innermost_place) {
  const hd::target where = hd::target::serial();
  const hd::operation outer("unique", 10, "int32");
  {
    hd::operation inner("sort", 5, "int64");
    EXPECT_EQ(failing(), "unique: 10 int32: in sort of 5 int64: out of memory");
    inner.runs_on(where);
    EXPECT_EQ(failing(), "unique: 10 int32 on serial: in sort of 5 int64: out of memory");
    {
      // What lies between the two is left out.
      const hd::operation innermost("array", 7, "int8");
      EXPECT_EQ(failing(), "unique: 10 int32 on serial: in array of 7 int8: out of memory");
    }
    // A pattern that calls itself is named once.
    const hd::operation again("unique", 3, "int32");
    EXPECT_EQ(failing(), "unique: 10 int32 on serial: out of memory");
  }
  EXPECT_EQ(failing(), "unique: 10 int32: out of memory");
}

TEST(error, operations_may_be_nested_deeply_and_belong_to_one_thread) {
  const hd::target where;
  {
    std::optional<hd::operation> nested[100];
    for (auto& each : nested) {
      each.emplace("scan", 3, "bool");
      each->runs_on(where);
    }
    std::thread([] { EXPECT_EQ(failing(), "out of memory"); }).join();
  }
  EXPECT_EQ(failing(), "out of memory");
}
