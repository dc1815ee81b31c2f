// Arrays live on a target: made there, filled, copied to and fro, sliced, read; freed with their lifetime.
// Change `rows` and `columns`, or index beyond them: the error names the index and the size.
// Make `slice` outlive its array, and AddressSanitizer finds it: a view owns nothing.
#include "on_each_target.hpp"
#include <heddle/array.hpp>

#include <numeric>

namespace hd = heddle;
using examples::expect;

void show(const hd::target& where) {
  const std::size_t rows = 3, columns = 5;
  hd::array<float> table({rows, columns}, where);  // not initialised
  table.fill(7);
  expect(table.front() == 7 && table.back() == 7, "every element is filled");

  std::vector<float> values(table.size());
  std::iota(values.begin(), values.end(), 0.0f);
  table.copy_from(values);  // to the target
  expect(table(1, 2) == 7, "row 1, column 2 is element 7");
  expect(table.to_vector() == values, "what comes back is what went there");

  const hd::array_view<float> slice = table.slice(1, 3);  // rows 1 and 2, not copied
  slice.fill(-1);
  slice.set(100, 1, 4);
  expect(table(0, 4) == 4 && table(1, 0) == -1 && table.back() == 100, "a slice is a part of its array");

  hd::array<float> other = hd::empty_like(table);  // the same shape, type and place
  other.copy_from(table);
  const hd::array<float> here = table.on(hd::target::serial());  // a copy on the CPU
  table.fill(0);
  expect(other.back() == 100 && here.back() == 100, "copies do not change with what they were made of");
  expect(here.span()[4] == 4, "elements on the CPU can be read in place");

  const hd::array<float> moved = std::move(other);  // the memory changes its owner, and nothing is copied
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): that it is empty is shown
  expect(moved.size() == rows * columns && other.size() == 0,
         "an array is moved, and never copied by accident");
  std::printf("  %zu x %zu floats: filled, copied, sliced, moved; the last element is %g\n", rows, columns,
              static_cast<double>(moved.back()));
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
