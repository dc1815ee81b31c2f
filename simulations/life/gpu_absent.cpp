#include "life/engine.hpp"
#include <heddle/error.hpp>

namespace heddle::life {

std::unique_ptr<engine> gpu_engine(algorithm which, const bounds& size, const rule& law,
                                   const target& where) {
  return gpu_row_engine(which, size, law, where);
}
std::unique_ptr<row_engine> gpu_row_engine(algorithm, const bounds&, const rule&, const target&) {
  fail("this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON");
}

}  // namespace heddle::life
