#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/impl/patterns/textbook/dispatch.hpp>
#include <heddle/reduce.hpp>

#include <cstddef>
#include <cstring>
#include <optional>

namespace heddle {

namespace {

/// The result of no elements.
any_value reduce_of_nothing(const std::optional<any_value>& first, runtime_op op, dtype type) {
  if (first) return *first;
  if (op == runtime_op::minimum || op == runtime_op::maximum) impl::fail_empty();
  return identity(op, type);
}

/// The initial value combined with *total, which is on the CPU; without one *total itself.
any_value combined(const std::optional<any_value>& first, runtime_op op, dtype type, const void* total) {
  if (!first) return {type, total};
  const std::size_t bytes = size_of(type);
  alignas(largest_element_bytes) std::byte both[2 * largest_element_bytes], result[largest_element_bytes];
  std::memcpy(both, first->data(), bytes);
  std::memcpy(both + bytes, total, bytes);
  impl::library_reduce(op, type, both, axis_lines{1, 2, 1}, result, target());
  return {type, result};
}

/// Reduces `all` lines of x, both on `where`, to elements of `type`.
void reduce_lines(const target& where, const void* x, dtype x_type, const axis_lines& all, runtime_op op,
                  const std::optional<any_value>& first, dtype type, void* out) {
  const auto reduce_to = [&](void* results) {
    if (type != x_type) return impl::library_sums(x_type, x, all, results, where);
    impl::library_reduce(op, type, x, all, results, where);
  };
  if (all.count() == 0) return;
  if (all.length == 0) {
    return any_view(out, type, shape{all.count()}, where).fill(reduce_of_nothing(first, op, type));
  }
  if (!first) return reduce_to(out);
  // A reduction of two rows, the initial values and the results, has the bits of one with both.
  any_array rows(type, {2, all.count()}, where);
  rows.row(0).fill(*first);
  reduce_to(rows.row(1).data());
  impl::library_reduce(op, type, rows.data(), axis_lines{1, 2, all.count()}, out, where);
}

void reduce_to_output(const target& requested, const any_view& out, const any_const_view& x,
                      const axis_lines& all, const shape& result, runtime_op op,
                      const std::optional<any_value>& init) {
  const dtype type = out.dtype();
  impl::require_monoid(op, x.dtype());
  const bool is_sum = op == runtime_op::plus && type == impl::sum_dtype(x.dtype());
  if (!is_sum) impl::require_type("the output", type, x.dtype());
  impl::require_shape(out.shape(), result);
  impl::check_apart(x.data(), x.bytes(), x.where(), out.data(), out.bytes(), out.where());
  operation running("reduce", x.size(), name(x.dtype()));
  const target where = resolve(requested, {x.bytes(), out.bytes(), x.where(), true});
  running.runs_on(where);
  const std::optional<any_value> first = impl::initial(init, op, type);
  const impl::staged_input<std::byte> staged(impl::bytes_of(x), where);
  impl::staged_output<std::byte> staged_out(impl::output_bytes(out), where);
  reduce_lines(where, staged.data(), x.dtype(), all, op, first, type, staged_out.data());
  staged_out.deliver();
}

}  // namespace

any_value identity(runtime_op op, dtype type) {
  impl::require_monoid(op, type);
  return with_type(type, [&]<class T>(T) {
    any_value found{T{}};
    impl::with_op(op, [&]<class Op>(Op) {
      if constexpr (impl::library_combines<T, Op>()) found = any_value(T(Op::template identity<T>()));
    });
    return found;
  });
}

any_value reduce(const target& requested, const any_const_view& x, runtime_op op,
                 const std::optional<any_value>& init, reduce_algorithm algorithm) {
  const dtype type = x.dtype();
  impl::call_along_lines call("reduce", impl::untyped(x), nullptr);
  impl::require_monoid(op, type);
  const std::optional<any_value> first = impl::initial(init, op, type);
  if (x.size() == 0) return reduce_of_nothing(first, op, type);
  call.choose_target(requested, {});
  const target& where = call.where();
  const auto reduce_to = [&](void* out) {
    if (algorithm == reduce_algorithm::single_pass) {
      impl::library_reduce(op, type, call.data(), call.lines(), out, where);
    } else {
      impl::library_reduce_by(algorithm, op, type, call.data(), x.size(), out, where);
    }
  };
  alignas(largest_element_bytes) std::byte total[largest_element_bytes];
  if (where.is_gpu()) {
    const memory on_gpu(size_of(type), where);
    reduce_to(on_gpu.data());
    heddle::copy(total, target(), on_gpu.data(), where, size_of(type));
  } else {
    reduce_to(total);
  }
  const any_value result = combined(first, op, type, total);
  if (algorithm == reduce_algorithm::single_pass) return result;
  return with_type(type, [&]<class T>(T) { return any_value(order::canonical(result.as<T>())); });
}
any_value reduce(const target& where, const any_const_view& x, runtime_op op, reduce_algorithm algorithm) {
  return reduce(where, x, op, std::nullopt, algorithm);
}

any_array reduce(const target& requested, const any_const_view& x, axis along_axis, runtime_op op,
                 const std::optional<any_value>& init) {
  const dtype type = x.dtype();
  impl::call_along_lines call("reduce", impl::untyped(x), &along_axis);
  impl::require_monoid(op, type);
  call.choose_target(requested, {.bytes_a_line = size_of(type)});
  const std::optional<any_value> first = impl::initial(init, op, type);
  any_array out(type, call.without_lines(), call.where());
  reduce_lines(call.where(), call.data(), type, call.lines(), op, first, type, out.data());
  return out;
}

void reduce_into(const target& where, const any_view& out, const any_const_view& x, runtime_op op,
                 const std::optional<any_value>& init) {
  if (out.size() != 1) impl::fail_sizes("the output of reduce", out.size(), 1);
  reduce_to_output(where, out, x, axis_lines{1, x.size(), 1}, out.shape(), op, init);
}
void reduce_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                 runtime_op op, const std::optional<any_value>& init) {
  const std::size_t axis = x.shape().resolve_axis(along_axis.index);
  reduce_to_output(where, out, x, along(x.shape(), axis), x.shape().without_axis(axis), op, init);
}

}  // namespace heddle
