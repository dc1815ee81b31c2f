#include "cuda_on_cpu/run/grid_shape.hpp"

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {

namespace {

std::string text(const dimensions& d) {
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

}  // namespace

std::string wrong_shape(const dimensions& grid, const dimensions& block) {
  const auto is_within = [](const dimensions& d, std::size_t x, std::size_t y, std::size_t z) {
    return d.x <= x && d.y <= y && d.z <= z;
  };
  for (const dimensions& d : {grid, block}) {
    if (d.x == 0 || d.y == 0 || d.z == 0) {
      return fmt::format("a grid of {} and a block of {}: they have at least one thread along each axis",
                         text(grid), text(block));
    }
  }
  constexpr std::size_t most = most_threads_a_block;
  if (!is_within(block, most, most, most) || block.count() > most) {
    const bool is_row = block.y == 1 && block.z == 1;
    return fmt::format("a block of {} threads: it can have at most {}",
                       is_row ? std::to_string(block.x) : text(block), most);
  }
  if (block.z > 64) return fmt::format("a block of {} threads along z: it can have at most 64", block.z);
  if (!is_within(grid, 0x7fffffff, 65535, 65535))
    return fmt::format("a grid of {} blocks: it can have at most 2147483647x65535x65535", text(grid));
  return "";
}

std::string wrong_bound(const dimensions& block, std::uint64_t bound) {
  if (bound == 0 || block.count() <= bound) return "";
  return fmt::format("a block of {} threads: its __launch_bounds__ allows {}", block.count(), bound);
}

std::string wrong_cluster(const dimensions& grid, const dimensions& cluster, std::size_t most_blocks) {
  if (cluster.count() == 0)
    return fmt::format("clusters of {} blocks: they have at least one along each axis", text(cluster));
  if (cluster.count() > most_blocks)
    return fmt::format("clusters of {} blocks: they can have at most {}", cluster.count(), most_blocks);
  if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) return "";
  return fmt::format("a grid of {} blocks in clusters of {}: they divide it along each axis", text(grid),
                     text(cluster));
}

std::string wrong_shared_bytes(std::size_t bytes) {
  if (bytes <= most_shared) return "";
  return fmt::format("{} bytes of dynamic shared memory: a block can have at most {}", bytes, most_shared);
}

}  // namespace heddle::cuda_on_cpu
