// An array of structures or a structure of arrays: to read one field, the first reads all of them.
// Give `particle` half as many fields: its sectors halve. An array of floats needs 4 whatever there is.
// Move all fields instead of one: then both ways need the same.
#include "on_each_target.hpp"
#include "sectors_of_a_warp.hpp"
#include <heddle/kernel.hpp>

namespace hd = heddle;

struct particle {
  float x, y, z, mass, vx, vy, vz, charge;
};

const std::string source = std::string(examples::sectors_of_a_warp) + R"(
struct particle { float x, y, z, mass, vx, vy, vz, charge; };

__global__ void move_structures(particle* all, float seconds, int* sectors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  all[i].x += all[i].vx * seconds;
  const int count = sectors_of_a_warp(&all[i].x);
  if (threadIdx.x % 32 == 0) sectors[i / 32] = count;
}
__global__ void move_arrays(float* x, const float* vx, float seconds, int* sectors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += vx[i] * seconds;
  const int count = sectors_of_a_warp(&x[i]);
  if (threadIdx.x % 32 == 0) sectors[i / 32] = count;
}
)";

void show(const hd::target& where) {
  const std::size_t n = 512, threads = 128;
  std::vector<particle> particles(n);
  std::vector<float> positions(n), velocities(n);
  for (std::size_t i = 0; i < n; ++i) {
    positions[i] = particles[i].x = static_cast<float>(i);
    velocities[i] = particles[i].vx = static_cast<float>(i % 5);
  }
  hd::array<particle> structures(particles, where);
  hd::array<float> x(positions, where), vx(velocities, where);
  hd::array<int> of_structures(n / 32, where), of_arrays(n / 32, where);
  const hd::module kernels(where, source);
  kernels.function("move_structures")(n / threads, threads)(structures, 2.0f, of_structures);
  kernels.function("move_arrays")(n / threads, threads)(x, vx, 2.0f, of_arrays);

  particles = structures.to_vector();
  positions = x.to_vector();
  for (std::size_t i = 0; i < n; ++i) {
    const float wanted = static_cast<float>(i) + 2 * static_cast<float>(i % 5);
    examples::expect(particles[i].x == wanted && positions[i] == wanted,
                     "particle " + std::to_string(i) + " moved");
  }
  examples::expect(of_structures[0] == 32 && of_arrays[0] == 4, "sectors of a warp");
  std::printf("  x of 32 particles: %d sectors in an array of structures, %d in a structure of arrays\n",
              of_structures.front(), of_arrays.front());
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
