#include "lattice_boltzmann/engine.hpp"
#include "lattice_boltzmann/field_kernels.hpp"
#include "lattice_boltzmann/tracer_kernels.hpp"
#include <heddle/error.hpp>

namespace heddle::lbm {

namespace {

[[noreturn]] void fail_without_gpu() {
  fail("this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON");
}

}  // namespace

template <class S>
std::unique_ptr<engine<S>> make_gpu_engine(const flow_plan&, const target&) {
  fail_without_gpu();
}
template std::unique_ptr<engine<double>> make_gpu_engine(const flow_plan&, const target&);
template std::unique_ptr<engine<float>> make_gpu_engine(const flow_plan&, const target&);
template std::unique_ptr<engine<fixed16>> make_gpu_engine(const flow_plan&, const target&);

template <class R>
array<float> values_on_gpu(const array<moments<R>>&, const array_view<const std::uint8_t>&, std::size_t,
                           field) {
  fail_without_gpu();
}
template array<float> values_on_gpu(const array<moments<float>>&, const array_view<const std::uint8_t>&,
                                    std::size_t, field);
template array<float> values_on_gpu(const array<moments<double>>&, const array_view<const std::uint8_t>&,
                                    std::size_t, field);
std::vector<std::uint8_t> draw_on_gpu(const array<float>&, const array_view<const std::uint8_t>&,
                                      const scale_of_colour&, const picture_part&) {
  fail_without_gpu();
}

template <class R>
array<float> velocities_on_gpu(const array<moments<R>>&, std::size_t) {
  fail_without_gpu();
}
template array<float> velocities_on_gpu(const array<moments<float>>&, std::size_t);
template array<float> velocities_on_gpu(const array<moments<double>>&, std::size_t);
void carry_on_gpu(const carrier&, const dye_pass&, float) {
  fail_without_gpu();
}
void correct_on_gpu(const carrier&, const dye_pass&, float) {
  fail_without_gpu();
}
std::vector<std::uint8_t> lines_on_gpu(const carrier&, const picture_part&, int) {
  fail_without_gpu();
}

}  // namespace heddle::lbm
