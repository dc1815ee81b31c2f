#include "laplace/machine.hpp"
#include <heddle/error.hpp>

namespace heddle::laplace {

template <class T>
std::unique_ptr<machine<T>> make_gpu_machine(const target&) {
  fail("this build of Heddle has no GPU support: configure it where the CUDA toolkit is installed");
}
template std::unique_ptr<machine<float>> make_gpu_machine(const target&);
template std::unique_ptr<machine<double>> make_gpu_machine(const target&);

}  // namespace heddle::laplace
