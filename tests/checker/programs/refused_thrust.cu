// program
// fails refused_thrust.cu:8: thrust: Thrust is not supported
// program
// fails refused_thrust.cu:9: cublasCreate: cuBLAS is not supported
#include <cublas_v2.h>
#include <thrust/device_vector.h>
int main() {
  thrust::device_vector<int> x;
  cublasCreate(nullptr);
}
