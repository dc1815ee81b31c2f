#include "copy_rate.hpp"

#include "ceilings.hpp"
#include "measurement.hpp"

#include <algorithm>

namespace heddle::cli::bench {

double copy_rate(const target& where, std::size_t like_bytes, double most_seconds) {
  const std::size_t n = std::clamp<std::size_t>(like_bytes / 8, std::size_t{1} << 18,
                                                std::size_t{1} << (where.is_gpu() ? 28 : 25));
  const buffers elements(where, dtype::float32, true, {n}, buffers::rotation::out_of_cache);
  const contender copy =
      copy_ceiling({pattern::transform, runtime_op::plus, where, dtype::float32, n, &elements});
  const auto watch = wall_clock(where);
  sampler samples(copy.calls, *watch, back_to_back_calls, most_seconds);
  while (!samples.is_finished()) samples.take_round();
  return static_cast<double>(copy.bytes) / samples.result().seconds;
}

}  // namespace heddle::cli::bench
