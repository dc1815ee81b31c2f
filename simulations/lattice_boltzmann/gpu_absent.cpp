#include "lattice_boltzmann/engine.hpp"
#include <heddle/error.hpp>

namespace heddle::lbm {

template <class S>
std::unique_ptr<engine<S>> make_gpu_engine(const flow_plan&, const target&) {
  fail("this build of Heddle has no GPU support: configure it where the CUDA toolkit is installed");
}
template std::unique_ptr<engine<double>> make_gpu_engine(const flow_plan&, const target&);
template std::unique_ptr<engine<float>> make_gpu_engine(const flow_plan&, const target&);
template std::unique_ptr<engine<fixed16>> make_gpu_engine(const flow_plan&, const target&);

}  // namespace heddle::lbm
