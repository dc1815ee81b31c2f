// Function objects of libcu++ with Thrust and CUB, and a lambda of the device whose result has a type.
// program
// clean
// prints 6 9 2 7
#include <cuda/functional>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include <cstdio>

__device__ int offset = 7;

int main() {
  thrust::device_vector<int> v(3, 1);
  v[1] = 9, v[2] = 2;
  const auto twice = cuda::proclaim_return_type<int>([] __device__(int x) { return 2 * (x % 3); });
  const int sum = thrust::transform_reduce(v.begin(), v.end(), twice, 0, cuda::std::plus<int>());
  const int most = thrust::reduce(v.begin(), v.end(), 0, cuda::maximum<int>());
  const auto copied = cuda::proclaim_copyable_arguments([] __host__ __device__(int x) { return x + 1; });
  static_assert(cuda::proclaims_copyable_arguments_v<std::decay_t<decltype(copied)>>, "");
  int least = cuda::minimum<>()(copied(1), 3L), seven = 0;
  cudaMemcpy(&seven, cuda::get_device_address(offset), sizeof seven, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", sum, most, least, seven);
}
