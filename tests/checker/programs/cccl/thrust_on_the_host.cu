// What Thrust has for the host's side: errors as exceptions, output iterators.
// program
// clean
// prints 3 1 2 
// prints cuda 1: call: invalid argument
// prints 3 from the back
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <vector>

int main() {
  const std::vector<int> h{3, 1, 2};
  const thrust::device_vector<int> v = h;
  thrust::copy(v.begin(), v.end(), std::ostream_iterator<int>(std::cout, " "));
  std::cout << std::endl;
  std::vector<int> back;
  thrust::copy(v.begin(), v.end(), std::back_inserter(back));
  try {
    throw thrust::system_error(cudaErrorInvalidValue, thrust::cuda_category(), "call");
  } catch (const thrust::system::system_error& e) {
    std::printf("%s %d: %s\n", e.code().category().name(), e.code().value(), e.what());
  }
  std::printf("%zu from the back\n", back.size());
}
