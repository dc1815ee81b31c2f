#include "core/any_arguments.hpp"
#include "core/visit_floating.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/linear_algebra.hpp>

namespace heddle {

any_array matmul(const target& where, const any_const_view& a, const any_const_view& b,
                 matmul_algorithm algorithm) {
  return impl::visit_floating<any_array, true, true>("matmul", a, [&]<class T>(const array_view<const T>& m) {
    impl::require_type("the second matrix", b.dtype(), a.dtype());
    return matmul(where, m, b.as<T>(), algorithm);
  });
}
void matmul_into(const target& where, const any_view& c, const any_const_view& a, const any_const_view& b,
                 matmul_algorithm algorithm) {
  impl::visit_floating<void, true, true>("matmul", a, [&]<class T>(const array_view<const T>& m) {
    impl::require_type("the second matrix", b.dtype(), a.dtype());
    impl::require_type("the product", c.dtype(), a.dtype());
    matmul_into(where, c.as<T>(), m, b.as<T>(), algorithm);
  });
}
shape matmul_shape(const shape& a, const shape& b) {
  return impl::shape_of_product(a, b).whole;
}
target matmul_target(const target& where, const shape& a, const shape& b, dtype type) {
  const impl::product_shape of = impl::shape_of_product(a, b);
  return impl::matmul_target(where, of.a, of.b, size_of(type));
}

}  // namespace heddle
