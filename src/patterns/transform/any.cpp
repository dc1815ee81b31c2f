#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/transform.hpp>

#include <cstddef>
#include <optional>

namespace heddle {

namespace {

/// An input of transform where code on `where` can read it: an array, or a scalar on the CPU.
class staged_operand {
 public:
  staged_operand(const any_const_view& x, const target& where) : data_(nullptr), is_constant_(false) {
    staged_.emplace(impl::bytes_of(x), where);
    data_ = staged_->data();
  }
  staged_operand(const any_value& x, const target&) : value_(x), data_(value_->data()), is_constant_(true) {}
  staged_operand(const staged_operand&) = delete;

  const void* data() const { return data_; }
  bool is_constant() const { return is_constant_; }

 private:
  std::optional<impl::staged_input<std::byte>> staged_;
  std::optional<any_value> value_;  // a copy: it may be an element of the output
  const void* data_;
  bool is_constant_;
};

void check_operand(const any_const_view& x, int position, const any_const_view& first) {
  impl::require_type(position == 1 ? "input 1" : "input 2", x.dtype(), first.dtype());
  if (!(x.shape() == first.shape())) {
    impl::common::fail_shapes("", position, x.shape(), first.shape());
  }
}
any_value check_operand(const any_value& x, int, const any_const_view& first) {
  return x.converted(first.dtype());
}

/// The array among the inputs that says which type and shape they have.
any_const_view array_among(const any_const_view& x, const any_const_view&) {
  return x;
}
any_const_view array_among(const any_const_view& x, const any_value&) {
  return x;
}
any_const_view array_among(const any_value&, const any_const_view& y) {
  return y;
}

std::size_t bytes_among(const any_const_view& x) {
  return x.bytes();
}
std::size_t bytes_among(const any_value&) {
  return 0;
}

void check_overlap(const any_const_view& x, const any_view& out) {
  impl::check_in_place(impl::bytes_of(x), impl::output_bytes(out));
}
void check_overlap(const any_value&, const any_view&) {}

any_const_view typed_operand(const any_const_view& x, dtype) {
  return x;
}
any_value typed_operand(const any_value& x, dtype type) {
  return x.converted(type);
}

/// transform into `out`, or into a new array where that is null.
template <class X, class Y>
any_array transform_any(const target& requested, const any_view* out, const X& x, const Y& y, runtime_op op) {
  const any_const_view first = array_among(x, y);
  const dtype type = first.dtype();
  operation running("transform", first.size(), name(type));
  impl::require_op(op, type);
  check_operand(x, 1, first);
  check_operand(y, 2, first);
  if (out != nullptr) {
    impl::require_type("the output", out->dtype(), type);
    if (!(out->shape() == first.shape())) impl::common::fail_shapes("", 0, out->shape(), first.shape());
    check_overlap(x, *out);
    check_overlap(y, *out);
  }
  const target where =
      resolve(requested, {bytes_among(x) + bytes_among(y), first.bytes(), first.where(), true});
  running.runs_on(where);
  any_array result;
  if (out == nullptr) result = any_array(type, first.shape(), where);
  const any_view to = out == nullptr ? result.view() : *out;
  if (first.size() == 0) return result;
  const staged_operand a(typed_operand(x, type), where), b(typed_operand(y, type), where);
  impl::staged_output<std::byte> staged_out(impl::output_bytes(to), where);
  impl::library_map(op, type, a.data(), a.is_constant(), b.data(), b.is_constant(), first.size(),
                    staged_out.data(), where);
  staged_out.deliver();
  return result;
}

}  // namespace

any_array transform(const target& where, const any_const_view& x, const any_const_view& y, runtime_op op) {
  return transform_any(where, nullptr, x, y, op);
}
any_array transform(const target& where, const any_const_view& x, const any_value& y, runtime_op op) {
  return transform_any(where, nullptr, x, y, op);
}
any_array transform(const target& where, const any_value& x, const any_const_view& y, runtime_op op) {
  return transform_any(where, nullptr, x, y, op);
}
void transform_into(const target& where, const any_view& out, const any_const_view& x,
                    const any_const_view& y, runtime_op op) {
  transform_any(where, &out, x, y, op);
}
void transform_into(const target& where, const any_view& out, const any_const_view& x, const any_value& y,
                    runtime_op op) {
  transform_any(where, &out, x, y, op);
}
void transform_into(const target& where, const any_view& out, const any_value& x, const any_const_view& y,
                    runtime_op op) {
  transform_any(where, &out, x, y, op);
}

}  // namespace heddle
