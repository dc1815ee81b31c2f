// program
// fails refused_libraries.cu:8: universal_vector: Thrust is not supported
// program
// fails refused_libraries.cu:9: cusolverDnCreate: cuSOLVER is not supported
#include <cusolverDn.h>
#include <thrust/universal_vector.h>
int main() {
  thrust::universal_vector<int> x;
  cusolverDnCreate(nullptr);
}
