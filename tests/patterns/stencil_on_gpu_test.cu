#include "tests/on_targets.hpp"
#include "tests/stencil_checks.hpp"

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

/// Compiled by nvcc: the same file on every target.
class stencil_by_nvcc : public on_targets {};
HD_ON_ALL_TARGETS(stencil_by_nvcc);

/// A cell of 100 bytes, of which a tile has few.
struct fifth_power {
  template <class U>
  HD_FN matrix5 operator()(const U& u) const {
    return u(0, -1) * u(1, 1);
  }
};

}  // namespace

TEST_P(stencil_by_nvcc, of_rows_is_what_a_plain_loop_computes) {
  check_rows(where);
}
TEST_P(stencil_by_nvcc, of_tables_is_what_a_plain_loop_computes) {
  check_tables(where);
}
TEST_P(stencil_by_nvcc, of_tables_of_several_tiles_is_what_a_plain_loop_computes) {
  check_large_tables(where);
}
TEST_P(stencil_by_nvcc, of_blocks_is_what_a_plain_loop_computes) {
  check_blocks(where);
}

TEST_P(stencil_by_nvcc, of_large_elements_is_the_same_on_every_target) {
  hd::array<matrix5> x({40, 30}), here({40, 30}), there({40, 30});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_element<matrix5>(i);
  hd::stencil(hd::target::serial(), x, here, hd::periodic{}, fifth_power{}, 3);
  hd::stencil(where, x, there, hd::periodic{}, fifth_power{}, 3);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(same_bits(here.data()[i], there.data()[i])) << i;
}
