#include "laplace/held_levels.hpp"

namespace heddle::laplace {

template <class T>
std::unique_ptr<held_machine<T>> make_cpu_held_machine(const target& where, const level<T>& fine) {
  return std::make_unique<held_levels<T>>(where, fine);
}
template std::unique_ptr<held_machine<float>> make_cpu_held_machine(const target&, const level<float>&);
template std::unique_ptr<held_machine<double>> make_cpu_held_machine(const target&, const level<double>&);

}  // namespace heddle::laplace
