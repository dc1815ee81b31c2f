#include "laplace/drawing.hpp"
#include "laplace/held.hpp"
#include "laplace/machine.hpp"
#include <heddle/error.hpp>

namespace heddle::laplace {

namespace {

[[noreturn]] void fail_without_gpu() {
  fail("this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON");
}

}  // namespace

template <class T>
std::unique_ptr<machine<T>> make_gpu_machine(const target&) {
  fail_without_gpu();
}
template std::unique_ptr<machine<float>> make_gpu_machine(const target&);
template std::unique_ptr<machine<double>> make_gpu_machine(const target&);

template <class T>
std::unique_ptr<held_machine<T>> make_gpu_held_machine(const target&, const level<T>&) {
  fail_without_gpu();
}
template std::unique_ptr<held_machine<float>> make_gpu_held_machine(const target&, const level<float>&);
template std::unique_ptr<held_machine<double>> make_gpu_held_machine(const target&, const level<double>&);

template <class T>
heat heat_of_gpu(const grid_view<T>&) {
  fail_without_gpu();
}
template <class T>
std::vector<std::uint8_t> draw_on_gpu(const grid_view<T>&, const heat&, const picture_part&) {
  fail_without_gpu();
}
template heat heat_of_gpu(const grid_view<float>&);
template heat heat_of_gpu(const grid_view<double>&);
template std::vector<std::uint8_t> draw_on_gpu(const grid_view<float>&, const heat&, const picture_part&);
template std::vector<std::uint8_t> draw_on_gpu(const grid_view<double>&, const heat&, const picture_part&);

}  // namespace heddle::laplace
