// program
// fails refused_libraries.cu:8: universal_vector: Thrust is not supported
// program
// fails refused_libraries.cu:9: cudnnCreate: cuDNN is not supported
#include <cudnn.h>
#include <thrust/universal_vector.h>
int main() {
  thrust::universal_vector<int> x;
  cudnnCreate(nullptr);
}
