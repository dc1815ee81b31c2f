// Launches in clusters of blocks. The numbers of errors, and which sizes fail, are those of an H100 with CUDA 13.0.

// program -- right
// clean
// prints of a chevron: 1, 2 for two
// prints by an attribute: 4 2 3
// prints cooperative: 2
// prints by a graph: 2
// prints by the driver: 4
// prints asked: 8 16 8, 32 of 2, 16 of 8
// prints two: 1 2 1 1, sixteen: 16 1
// program -- sizes
// prints 0 912 912 912 0 912 0 912 912
// prints 0 912 912 912
// clean
// program -- odd_grid
// finds unchecked-error @odd_grid: a grid of 3x1x1 blocks in clusters of 2x1x1: they divide it along each axis
// program -- not_allowed
// finds unchecked-error @not_allowed: clusters of 16 blocks: they can have at most 8 unless cudaFuncSetAttribute allows more, up to 16
// program -- race
// finds data-race @adds_there of sum
// program -- left
// finds use-after-free @reads_left of own: cluster.sync() before blocks leave keeps their shared memory
#include <cooperative_groups.h>
#include <cuda.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

__global__ void plain(int *x) {
  if (cg::this_grid().thread_rank() == 0) *x = cg::this_cluster().num_blocks();
}
__global__ void __cluster_dims__(2, 1, 1) two(int *x) {
  if (cg::this_grid().thread_rank() == 0) *x = cg::this_cluster().num_blocks();
}
__global__ void __cluster_dims__(16, 1, 1) sixteen(int *x) {
  if (blockIdx.x == 0) *x = 16;
}
__global__ void sums(int *x) {
  __shared__ int sum;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  if (threadIdx.x == 0) *cluster.map_shared_rank(&sum, 0) += 1;  // @adds_there
  cluster.sync();
  if (cg::this_grid().thread_rank() == 0) *x = sum;
}
__global__ void leaves(int *x) {
  __shared__ int own;
  const auto cluster = cg::this_cluster();
  own = 1;
  cluster.sync();
  x[blockIdx.x] = *cluster.map_shared_rank(&own, 1 - cluster.block_rank());  // @reads_left
}

template <class K>
int launch(K kernel, int *x, dim3 grid, dim3 cluster, bool is_cooperative = false) {
  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = cluster.x;
  attributes[0].val.clusterDim.y = cluster.y;
  attributes[0].val.clusterDim.z = cluster.z;
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = is_cooperative;
  cudaLaunchConfig_t how{};
  how.gridDim = grid;
  how.blockDim = 1;
  how.attrs = attributes;
  how.numAttrs = 2;
  const int error = cudaLaunchKernelEx(&how, kernel, x);
  cudaGetLastError();
  return error;
}
int at(const int *x) {
  int result = -1;
  cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost);
  return result;
}

void by_chevrons(int *x) {
  plain<<<4, 32>>>(x);
  const int one = at(x);
  two<<<4, 32>>>(x);
  std::printf("of a chevron: %d, %d for two\n", one, at(x));
}
void by_attributes(int *x) {
  launch(plain, x, 4, 4);
  const int four = at(x);
  launch(two, x, 4, 2);
  const int same = at(x);
  launch(plain, x, dim3(3, 2), 3);
  std::printf("by an attribute: %d %d %d\n", four, same, at(x));
  launch(plain, x, 4, 2, true);
  std::printf("cooperative: %d\n", at(x));
}
void by_a_graph(int *x) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaStreamCreate(&stream);
  cudaMemset(x, 0, sizeof *x);
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  two<<<2, 1, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&run, graph, 0);
  cudaGraphLaunch(run, stream);
  cudaStreamSynchronize(stream);
  std::printf("by a graph: %d\n", at(x));
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
void by_the_driver(int *x) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  CUlaunchConfig driver{4, 1, 1, 32, 1, 1, 0, nullptr, &attribute, 1};
  void *arguments[] = {&x};
  cudaFunction_t function;
  cudaGetFuncBySymbol(&function, plain);
  cuLaunchKernelEx(&driver, function, arguments, nullptr);
  std::printf("by the driver: %d\n", at(x));
}
void occupancy() {
  int portable = 0, allowed = 0, of_two = 0, clusters_of_two = 0, clusters_of_eight = 0;
  cudaLaunchConfig_t how{};
  how.gridDim = 64;
  how.blockDim = 1024;
  cudaOccupancyMaxPotentialClusterSize(&portable, plain, &how);
  cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaOccupancyMaxPotentialClusterSize(&allowed, plain, &how);
  cudaOccupancyMaxPotentialClusterSize(&of_two, two, &how);
  how.blockDim = 256;
  how.dynamicSmemBytes = 10000;
  cudaOccupancyMaxActiveClusters(&clusters_of_two, two, &how);
  cudaLaunchAttribute eight{};
  eight.id = cudaLaunchAttributeClusterDimension;
  eight.val.clusterDim.x = 8;
  eight.val.clusterDim.y = eight.val.clusterDim.z = 1;
  how.blockDim = 1024;
  how.attrs = &eight;
  how.numAttrs = 1;
  cudaOccupancyMaxActiveClusters(&clusters_of_eight, plain, &how);
  std::printf("asked: %d %d %d, %d of 2, %d of 8\n", portable, allowed, of_two, clusters_of_two, 8 * clusters_of_eight);
}
void attributes_of_kernels(int *x) {
  cudaFuncAttributes facts;
  cudaFuncGetAttributes(&facts, two);
  std::printf("two: %d %d %d %d, ", facts.clusterDimMustBeSet, facts.requiredClusterWidth, facts.requiredClusterHeight,
              facts.requiredClusterDepth);
  cudaFuncSetAttribute(sixteen, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  sixteen<<<16, 1>>>(x);
  cudaFuncGetAttributes(&facts, sixteen);
  std::printf("sixteen: %d %d\n", at(x), facts.nonPortableClusterSizeAllowed);
}
void sizes(int *x) {
  std::printf("%d %d %d %d %d %d %d %d %d\n", launch(plain, x, 4, 2), launch(plain, x, 3, 2), launch(plain, x, 16, 16),
              launch(plain, x, 9, 9), launch(plain, x, 3, 3), launch(plain, x, 4, 0), launch(two, x, 4, 2), launch(two, x, 4, 4),
              launch(two, x, 4, 1));
  cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  const int large = launch(plain, x, 16, 16), larger = launch(plain, x, 32, 32), odd = launch(plain, x, 17, 17);
  two<<<3, 1>>>(x);
  std::printf("%d %d %d %d\n", large, larger, odd, cudaGetLastError());
}

int main(int, char **words) {
  const auto is = [&](const char *mode) { return std::strcmp(words[1], mode) == 0; };
  int *x;
  cudaMalloc(&x, 16 * sizeof *x);
  if (is("right")) {
    by_chevrons(x);
    by_attributes(x);
    by_a_graph(x);
    by_the_driver(x);
    occupancy();
    attributes_of_kernels(x);
  }
  if (is("sizes")) sizes(x);
  if (is("odd_grid")) two<<<3, 1>>>(x);          // @odd_grid
  if (is("not_allowed")) sixteen<<<16, 1>>>(x);  // @not_allowed
  if (is("race")) launch(sums, x, 4, 2);
  if (is("left")) launch(leaves, x, 2, 2);
  cudaDeviceSynchronize();
  cudaFree(x);
}
