#include "distributed_input.hpp"

#include "cli/options/file_options.hpp"
#include "cli/over_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::cli {

any_distributed_array spread(const ranks& all, npy_input& x, const shape& lengths, progress& shown) {
  const std::vector<std::size_t> begins = even_begins(all, lengths);
  const auto me = static_cast<std::size_t>(all.rank());
  const std::size_t row = lengths.without_axis(0).elements(), rows = begins[me + 1] - begins[me];
  any_array own = x.bring(begins[me] * row, rows * row, shown).reshaped(lengths.with_length(0, rows));
  return {all, lengths, begins, std::move(own)};
}

any_distributed_array as_int64(const distributed_array<std::size_t>& indices) {
  const array<std::size_t> own = indices.local().on(target());
  array<std::int64_t> with_sign(own.shape());
  std::copy(own.begin(), own.end(), with_sign.begin());
  return {indices.all(), indices.shape(), indices.begins(), any_array(std::move(with_sign))};
}

void require_writable_over_ranks(const std::string& path) {
  if (all_ranks().rank() == 0) require_writable(path);
}

}  // namespace heddle::cli
