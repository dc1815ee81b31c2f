#include <heddle/any.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/argmin.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/overlap.hpp>
#include <heddle/impl/textbook_dispatch.hpp>
#include <heddle/lower_bound.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/segmented_reduce.hpp>
#include <heddle/top_k.hpp>
#include <heddle/transform.hpp>
#include <heddle/unique.hpp>

#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

namespace heddle {

// ------------------------------------------------------------------------------------------------ operators

namespace {

/// Calls f with the operator; not called for runtime_op::none.
template <class F>
void with_op(runtime_op op, const F& f) {
  switch (op) {
    case runtime_op::plus:
      return f(plus{});
    case runtime_op::multiplies:
      return f(multiplies{});
    case runtime_op::minimum:
      return f(minimum{});
    case runtime_op::maximum:
      return f(maximum{});
    case runtime_op::logical_and:
      return f(logical_and{});
    case runtime_op::logical_or:
      return f(logical_or{});
    case runtime_op::logical_xor:
      return f(logical_xor{});
    case runtime_op::bit_and:
      return f(bit_and{});
    case runtime_op::bit_or:
      return f(bit_or{});
    case runtime_op::bit_xor:
      return f(bit_xor{});
    case runtime_op::minus:
      return f(minus{});
    case runtime_op::none:
      return;
  }
}

void require_op(runtime_op op, dtype type) {
  if (!is_defined(op, type)) fail(fmt::format("{} is not defined on {}", name(op), name(type)));
}

/// Throws where `op` does not combine elements of that type.
void require_monoid(runtime_op op, dtype type) {
  require_op(op, type);
  if (op == runtime_op::minus) fail("minus is not associative: it can neither reduce nor scan");
}

void require_type(const char* what, dtype have, dtype wanted) {
  if (have != wanted) fail(fmt::format("{} is {}, where the input is {}", what, name(have), name(wanted)));
}

void require_shape(const shape& have, const shape& result) {
  if (!(have == result)) {
    fail(fmt::format("the output has shape {}, where the result has {}", have.text(), result.text()));
  }
}

bool is_logical_op(runtime_op op) {
  return op == runtime_op::logical_and || op == runtime_op::logical_or || op == runtime_op::logical_xor;
}

/// An initial value as elements of that type: for logical operators 0 or 1.
std::optional<any_value> initial(const std::optional<any_value>& init, runtime_op op, dtype type) {
  if (!init) return {};
  const any_value first = init->converted(type);
  if (!is_logical_op(op)) return first;
  return with_type(type, [&]<class T>(T) { return any_value(T(first.as<T>() != T(0))); });
}

/// What combining nothing gives.
any_value reduce_of_nothing(const std::optional<any_value>& first, runtime_op op, dtype type) {
  if (first) return *first;
  if (op == runtime_op::minimum || op == runtime_op::maximum) impl::fail_empty();
  return identity(op, type);
}

impl::elements<const std::byte> bytes_of(const any_const_view& x) {
  return {static_cast<const std::byte*>(x.data()), x.bytes(), x.where()};
}
impl::elements<std::byte> output_bytes(const any_view& out) {
  return {static_cast<std::byte*>(out.data()), out.bytes(), out.where()};
}

}  // namespace

any_value identity(runtime_op op, dtype type) {
  require_monoid(op, type);
  return with_type(type, [&]<class T>(T) {
    any_value found{T{}};
    with_op(op, [&]<class Op>(Op) {
      if constexpr (impl::library_combines<T, Op>()) found = any_value(T(Op::template identity<T>()));
    });
    return found;
  });
}

// ------------------------------------------------------------------------------------------------ reduce

namespace {

/// The initial value combined with *total, which is on the CPU; without one *total itself.
any_value combined(const std::optional<any_value>& first, runtime_op op, dtype type, const void* total) {
  if (!first) return {type, total};
  const std::size_t bytes = size_of(type);
  alignas(16) std::byte both[32], result[16];
  std::memcpy(both, first->data(), bytes);
  std::memcpy(both + bytes, total, bytes);
  impl::library_reduce(op, type, both, segments{1, 2, 1}, result, target());
  return {type, result};
}

/// The type that sums of `type` are widened to.
dtype wide_type(dtype type) {
  return type >= dtype::complex64 ? dtype::complex128 : dtype::float64;
}

/// Reduces `all` segments of x, both on `where`, to elements of `type`.
void reduce_segments_into(const target& where, const void* x, dtype x_type, const segments& all,
                          runtime_op op, const std::optional<any_value>& first, dtype type, void* out) {
  const auto reduce_to = [&](void* results) {
    if (type != x_type) return impl::library_wide_sums(x_type, x, all, results, where);
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
  impl::library_reduce(op, type, rows.data(), segments{1, 2, all.count()}, out, where);
}

void reduce_to_output(const target& requested, const any_view& out, const any_const_view& x,
                      const segments& all, const shape& result, runtime_op op,
                      const std::optional<any_value>& init) {
  const dtype type = out.dtype();
  require_monoid(op, x.dtype());
  const bool is_wider = op == runtime_op::plus && type == wide_type(x.dtype());
  if (!is_wider) require_type("the output", type, x.dtype());
  require_shape(out.shape(), result);
  impl::check_apart(x.data(), x.bytes(), x.where(), out.data(), out.bytes(), out.where());
  operation running("reduce", x.size(), name(x.dtype()));
  const target where = resolve(requested, {x.bytes(), out.bytes(), x.where(), true});
  running.runs_on(where);
  const std::optional<any_value> first = initial(init, op, type);
  const impl::staged_input<std::byte> staged(bytes_of(x), where);
  impl::staged_output<std::byte> staged_out(output_bytes(out), where);
  reduce_segments_into(where, staged.data(), x.dtype(), all, op, first, type, staged_out.data());
  staged_out.deliver();
}

}  // namespace

any_value reduce(const target& requested, const any_const_view& x, runtime_op op,
                 const std::optional<any_value>& init, reduce_algorithm algorithm) {
  const dtype type = x.dtype();
  operation running("reduce", x.size(), name(type));
  require_monoid(op, type);
  const std::optional<any_value> first = initial(init, op, type);
  if (x.size() == 0) return reduce_of_nothing(first, op, type);
  const target where = resolve(requested, {x.bytes(), 0, x.where(), true});
  running.runs_on(where);
  const impl::staged_input<std::byte> staged(bytes_of(x), where);
  const auto reduce_to = [&](void* out) {
    if (algorithm == reduce_algorithm::single_pass) {
      impl::library_reduce(op, type, staged.data(), segments{1, x.size(), 1}, out, where);
    } else {
      impl::library_reduce_by(algorithm, op, type, staged.data(), x.size(), out, where);
    }
  };
  alignas(16) std::byte total[16];
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
  operation running("reduce", x.size(), name(type));
  require_monoid(op, type);
  const std::size_t axis = x.shape().resolve_axis(along_axis.index);
  const segments all = along(x.shape(), axis);
  const target where = resolve(requested, {x.bytes(), all.count() * size_of(type), x.where(), true});
  running.runs_on(where);
  const std::optional<any_value> first = initial(init, op, type);
  any_array out(type, x.shape().without_axis(axis), where);
  const impl::staged_input<std::byte> staged(bytes_of(x), where);
  reduce_segments_into(where, staged.data(), type, all, op, first, type, out.data());
  return out;
}

void reduce_into(const target& where, const any_view& out, const any_const_view& x, runtime_op op,
                 const std::optional<any_value>& init) {
  if (out.size() != 1) impl::fail_sizes("the output of reduce", out.size(), 1);
  reduce_to_output(where, out, x, segments{1, x.size(), 1}, out.shape(), op, init);
}
void reduce_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                 runtime_op op, const std::optional<any_value>& init) {
  const std::size_t axis = x.shape().resolve_axis(along_axis.index);
  reduce_to_output(where, out, x, along(x.shape(), axis), x.shape().without_axis(axis), op, init);
}

namespace {

/// Complex elements as their real and imaginary parts, with one more axis; others as they are.
any_const_view parts_of(const any_const_view& x) {
  if (x.dtype() < dtype::complex64) return x;
  std::vector<std::size_t> lengths(x.shape().begin(), x.shape().end());
  lengths.push_back(2);
  return {x.data(), x.dtype() == dtype::complex64 ? dtype::float32 : dtype::float64, shape(lengths),
          x.where()};
}

bool logical_of_all(const char* pattern, runtime_op op, const target& where, const any_const_view& x) {
  const operation running(pattern, x.size(), name(x.dtype()));
  const any_const_view parts = parts_of(x);
  const bool is_complex = parts.shape().axes() > x.shape().axes();
  const any_value found = is_complex && op == runtime_op::logical_and
                              ? reduce(where, reduce(where, parts, axis{-1}, runtime_op::logical_or), op)
                              : reduce(where, parts, op);
  return found.to<bool>();
}

array<bool> logical_along(const char* pattern, runtime_op op, const target& where, const any_const_view& x,
                          axis along_axis) {
  const operation running(pattern, x.size(), name(x.dtype()));
  const axis from_front{static_cast<std::ptrdiff_t>(x.shape().resolve_axis(along_axis.index))};
  const any_const_view parts = parts_of(x);
  const bool is_complex = parts.shape().axes() > x.shape().axes();
  const any_array found =
      is_complex ? reduce(where, reduce(where, parts, axis{-1}, runtime_op::logical_or), from_front, op)
                 : reduce(where, x, from_front, op);
  array<bool> result(found.shape(), found.where());
  impl::library_to_bool(found.data(), size_of(found.dtype()), found.size(), result.data(), result.where());
  return result;
}

}  // namespace

bool any(const target& where, const any_const_view& x) {
  return logical_of_all("any", runtime_op::logical_or, where, x);
}
bool all(const target& where, const any_const_view& x) {
  return logical_of_all("all", runtime_op::logical_and, where, x);
}
array<bool> any(const target& where, const any_const_view& x, axis along_axis) {
  return logical_along("any", runtime_op::logical_or, where, x, along_axis);
}
array<bool> all(const target& where, const any_const_view& x, axis along_axis) {
  return logical_along("all", runtime_op::logical_and, where, x, along_axis);
}

any_array segmented_reduce(const target& requested, const any_const_view& x,
                           const array_view<const std::size_t>& offsets, runtime_op op) {
  const dtype type = x.dtype();
  operation running("segmented_reduce", x.size(), name(type));
  require_monoid(op, type);
  const target where = resolve(requested, {x.bytes(), 0, x.where(), true});
  running.runs_on(where);
  const std::size_t count = offsets.size() == 0 ? 0 : offsets.size() - 1;
  if (!offsets.where().is_gpu()) impl::check_offsets(offsets.data(), count, x.size());
  any_array out(type, {count}, where);
  if (count == 0) return out;
  const impl::staged_input<std::byte> staged(bytes_of(x), where);
  const impl::staged_input<std::size_t> bounds(impl::input(offsets), where);
  if (offsets.where().is_gpu() && !where.is_gpu()) impl::check_offsets(bounds.data(), count, x.size());
  out.fill(identity(op, type));
  impl::library_segmented_reduce(op, type, staged.data(), x.size(), bounds.data(), count, out.data(), where);
  return out;
}

std::pair<any_array, any_array> reduce_by_key(const target& requested, const any_const_view& keys,
                                              const any_const_view& values, runtime_op op) {
  const dtype type = values.dtype();
  operation running("reduce_by_key", keys.size(), name(type));
  require_monoid(op, type);
  const target where = resolve(requested, {3 * keys.bytes() + values.bytes(), 0, values.where(), true});
  running.runs_on(where);
  if (values.size() != keys.size()) impl::fail_sizes("the values", values.size(), keys.size());
  if (keys.size() == 0) return {any_array(keys.dtype(), {0}, where), any_array(type, {0}, where)};
  const impl::staged_input<std::byte> staged_keys(bytes_of(keys), where);
  const impl::staged_input<std::byte> staged_values(bytes_of(values), where);
  array<bool> flags(keys.size(), where);
  impl::library_flag_changes(keys.dtype(), staged_keys.data(), keys.size(), flags.data(), where);
  const impl::selection firsts(flags.data(), keys.size(), where);
  const std::size_t count = firsts.count();
  std::pair<any_array, any_array> result{any_array(keys.dtype(), {count}, where),
                                         any_array(type, {count}, where)};
  firsts.copy(staged_keys.data(), size_of(keys.dtype()), false, result.first.data());
  array<std::size_t> offsets(count + 1, where);
  firsts.places(offsets.data());
  offsets.set(keys.size(), count);
  impl::library_segmented_reduce(op, type, staged_values.data(), values.size(), offsets.data(), count,
                                 result.second.data(), where);
  return result;
}

// ------------------------------------------------------------------------------------------------ scan

namespace {

struct scan_call {
  bool exclusive;
  runtime_op op;
  const std::optional<any_value>& init;
  scan_algorithm algorithm = scan_algorithm::single_pass;
  const axis* along_axis = nullptr;

  const char* pattern() const { return exclusive ? "exclusive_scan" : "inclusive_scan"; }
};

target scan_place(const target& requested, const any_const_view& x) {
  return resolve(requested, {x.bytes(), x.bytes(), x.where(), true});
}

void scan_to(const scan_call& call, const target& where, const any_view& out, const any_const_view& x) {
  const dtype type = x.dtype();
  operation running(call.pattern(), x.size(), name(type));
  running.runs_on(where);
  require_monoid(call.op, type);
  require_type("the output", out.dtype(), type);
  if (out.size() != x.size()) impl::fail_sizes("the output", out.size(), x.size());
  segments all{1, x.size(), 1};
  if (call.along_axis != nullptr) {
    require_shape(out.shape(), x.shape());
    all = along(x.shape(), x.shape().resolve_axis(call.along_axis->index));
  }
  std::optional<any_value> first = initial(call.init, call.op, type);
  if (x.size() == 0) return;
  if (!first && call.exclusive) first = identity(call.op, type);
  const void* const begin = first ? first->data() : nullptr;
  impl::check_in_place(bytes_of(x), output_bytes(out));
  const impl::staged_input<std::byte> staged(bytes_of(x), where);
  impl::staged_output<std::byte> staged_out(output_bytes(out), where);
  if (call.algorithm == scan_algorithm::single_pass) {
    impl::library_scan(call.op, type, call.exclusive, staged.data(), all, begin, staged_out.data(), where);
  } else {
    impl::library_scan_by(call.algorithm, call.op, type, call.exclusive, staged.data(), x.size(), begin,
                          staged_out.data(), where);
  }
  staged_out.deliver();
}

any_array scanned(const scan_call& call, const target& requested, const any_const_view& x) {
  const target where = scan_place(requested, x);
  operation running(call.pattern(), x.size(), name(x.dtype()));
  running.runs_on(where);
  any_array out(x.dtype(), x.shape(), where);
  scan_to(call, where, out, x);
  return out;
}

}  // namespace

any_array inclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         const std::optional<any_value>& init, scan_algorithm algorithm) {
  return scanned({false, op, init, algorithm}, where, x);
}
any_array inclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         scan_algorithm algorithm) {
  return scanned({false, op, std::nullopt, algorithm}, where, x);
}
any_array inclusive_scan(const target& where, const any_const_view& x, axis along_axis, runtime_op op,
                         const std::optional<any_value>& init) {
  return scanned({false, op, init, scan_algorithm::single_pass, &along_axis}, where, x);
}
void inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, runtime_op op,
                         const std::optional<any_value>& init, scan_algorithm algorithm) {
  scan_to({false, op, init, algorithm}, scan_place(where, x), out, x);
}
void inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                         runtime_op op, const std::optional<any_value>& init) {
  scan_to({false, op, init, scan_algorithm::single_pass, &along_axis}, scan_place(where, x), out, x);
}

any_array exclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         const std::optional<any_value>& init, scan_algorithm algorithm) {
  return scanned({true, op, init, algorithm}, where, x);
}
any_array exclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         scan_algorithm algorithm) {
  return scanned({true, op, std::nullopt, algorithm}, where, x);
}
any_array exclusive_scan(const target& where, const any_const_view& x, axis along_axis, runtime_op op,
                         const std::optional<any_value>& init) {
  return scanned({true, op, init, scan_algorithm::single_pass, &along_axis}, where, x);
}
void exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, runtime_op op,
                         const std::optional<any_value>& init, scan_algorithm algorithm) {
  scan_to({true, op, init, algorithm}, scan_place(where, x), out, x);
}
void exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                         runtime_op op, const std::optional<any_value>& init) {
  scan_to({true, op, init, scan_algorithm::single_pass, &along_axis}, scan_place(where, x), out, x);
}

// ------------------------------------------------------------------------------------------------ transform

namespace {

/// An input of transform where code on `where` can read it: an array, or a scalar on the CPU.
class staged_operand {
 public:
  staged_operand(const any_const_view& x, const target& where) : data_(nullptr), is_constant_(false) {
    staged_.emplace(bytes_of(x), where);
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
  require_type(position == 1 ? "input 1" : "input 2", x.dtype(), first.dtype());
  if (!(x.shape() == first.shape())) {
    impl::common::fail_shapes("transform", position, x.shape(), first.shape());
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
  impl::check_in_place(bytes_of(x), output_bytes(out));
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
  require_op(op, type);
  check_operand(x, 1, first);
  check_operand(y, 2, first);
  if (out != nullptr) {
    require_type("the output", out->dtype(), type);
    if (!(out->shape() == first.shape()))
      impl::common::fail_shapes("transform", 0, out->shape(), first.shape());
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
  impl::staged_output<std::byte> staged_out(output_bytes(to), where);
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

// ------------------------------------------------------------------------------------------------ order

namespace {

/// Calls f with the elements of x by their static type, which has an order; f returns R.
template <class R, class F>
R visit_ordered(const char* pattern, const any_const_view& x, const F& f) {
  return with_type(x.dtype(), [&]<class T>(T) -> R {
    if constexpr (is_complex<T>) {
      fail(fmt::format("{} of {}: complex numbers have no order", pattern, name(x.dtype())));
    } else {
      return f(x.as<T>());
    }
  });
}

}  // namespace

any_array sort(const target& where, const any_const_view& x, sort_order order) {
  return visit_ordered<any_array>("sort", x, [&](const auto& v) { return sort(where, v, order); });
}
any_array sort(const target& where, const any_const_view& x, axis along_axis, sort_order order) {
  return visit_ordered<any_array>("sort", x,
                                  [&](const auto& v) { return sort(where, v, along_axis, order); });
}
void sort_into(const target& where, const any_view& out, const any_const_view& x, sort_order order) {
  require_type("the output", out.dtype(), x.dtype());
  visit_ordered<void>(
      "sort", x, [&]<class T>(const array_view<const T>& v) { sort_into(where, out.as<T>(), v, order); });
}
void sort_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
               sort_order order) {
  require_type("the output", out.dtype(), x.dtype());
  visit_ordered<void>("sort", x, [&]<class T>(const array_view<const T>& v) {
    sort_into(where, out.as<T>(), v, along_axis, order);
  });
}

array<std::size_t> argsort(const target& where, const any_const_view& x, sort_order order) {
  return visit_ordered<array<std::size_t>>("argsort", x,
                                           [&](const auto& v) { return argsort(where, v, order); });
}
array<std::size_t> argsort(const target& where, const any_const_view& x, axis along_axis, sort_order order) {
  return visit_ordered<array<std::size_t>>(
      "argsort", x, [&](const auto& v) { return argsort(where, v, along_axis, order); });
}

any_top_elements top_k(const target& where, const any_const_view& x, std::size_t k, sort_order order) {
  return visit_ordered<any_top_elements>("top_k", x, [&](const auto& v) {
    auto top = top_k(where, v, k, order);
    return any_top_elements{std::move(top.values), std::move(top.indices)};
  });
}
any_top_elements top_k(const target& where, const any_const_view& x, std::size_t k, axis along_axis,
                       sort_order order) {
  return visit_ordered<any_top_elements>("top_k", x, [&](const auto& v) {
    auto top = top_k(where, v, k, along_axis, order);
    return any_top_elements{std::move(top.values), std::move(top.indices)};
  });
}

any_array unique(const target& where, const any_const_view& x) {
  return visit_ordered<any_array>("unique", x, [&](const auto& v) { return unique(where, v); });
}
any_array unique_consecutive(const target& where, const any_const_view& x) {
  return visit(x, [&](const auto& v) { return any_array(unique_consecutive(where, v)); });
}

namespace {

array<std::size_t> bounds_of(const char* pattern, impl::bound which, const target& requested,
                             const any_const_view& sorted, const any_const_view& values, sort_order order) {
  operation running(pattern, values.size(), name(values.dtype()));
  if (sorted.dtype() >= dtype::complex64) {
    fail("complex numbers have no order");
  }
  if (values.dtype() != sorted.dtype()) {
    fail(fmt::format("the values are {}, where the sorted elements are {}", name(values.dtype()),
                     name(sorted.dtype())));
  }
  const target where =
      resolve(requested, {sorted.bytes() + values.bytes(), values.size() * sizeof(std::size_t),
                          sorted.bytes() > values.bytes() ? sorted.where() : values.where(), true});
  running.runs_on(where);
  array<std::size_t> places(values.shape(), where);
  if (values.size() == 0) return places;
  const impl::staged_input<std::byte> staged(bytes_of(sorted), where), staged_values(bytes_of(values), where);
  impl::library_bounds(sorted.dtype(), staged.data(), sorted.size(), order, which, staged_values.data(),
                       values.size(), places.data(), where);
  return places;
}

any_partitioned flagged(const char* pattern, const target& requested, const any_const_view& x,
                        const array_view<const bool>& flags, bool all) {
  operation running(pattern, x.size(), name(x.dtype()));
  const target where = resolve(requested, {2 * x.bytes(), x.bytes(), x.where(), true});
  running.runs_on(where);
  if (flags.size() != x.size()) impl::fail_sizes("the flags", flags.size(), x.size());
  const impl::staged_input<std::byte> staged(bytes_of(x), where);
  const impl::staged_input<bool> staged_flags(impl::input(flags), where);
  const impl::selection chosen(staged_flags.data(), x.size(), where);
  any_partitioned result{any_array(x.dtype(), {all ? x.size() : chosen.count()}, where), chosen.count()};
  chosen.copy(staged.data(), size_of(x.dtype()), all, result.elements.data());
  return result;
}

}  // namespace

array<std::size_t> lower_bound(const target& where, const any_const_view& sorted,
                               const any_const_view& values, sort_order order) {
  return bounds_of("lower_bound", impl::bound::lower, where, sorted, values, order);
}
array<std::size_t> upper_bound(const target& where, const any_const_view& sorted,
                               const any_const_view& values, sort_order order) {
  return bounds_of("upper_bound", impl::bound::upper, where, sorted, values, order);
}

any_array copy_if(const target& where, const any_const_view& x, const array_view<const bool>& flags) {
  return flagged("copy_if", where, x, flags, false).elements;
}
any_partitioned partition(const target& where, const any_const_view& x, const array_view<const bool>& flags) {
  return flagged("partition", where, x, flags, true);
}

std::size_t argmin(const target& where, const any_const_view& x) {
  return visit_ordered<std::size_t>("argmin", x, [&](const auto& v) { return argmin(where, v); });
}
std::size_t argmax(const target& where, const any_const_view& x) {
  return visit_ordered<std::size_t>("argmax", x, [&](const auto& v) { return argmax(where, v); });
}
array<std::size_t> argmin(const target& where, const any_const_view& x, axis along_axis) {
  return visit_ordered<array<std::size_t>>("argmin", x,
                                           [&](const auto& v) { return argmin(where, v, along_axis); });
}
array<std::size_t> argmax(const target& where, const any_const_view& x, axis along_axis) {
  return visit_ordered<array<std::size_t>>("argmax", x,
                                           [&](const auto& v) { return argmax(where, v, along_axis); });
}

// ------------------------------------------------------------------------------------------------ statistics

std::vector<double> edges_of(dtype type, const even_bins& bins) {
  return impl::edges_of(type, bins).values;
}

namespace {

any_array weighted_histogram(const target& requested, const any_const_view& x, const impl::bin_edges& edges,
                             const any_const_view& weights) {
  operation running("histogram", x.size(), name(x.dtype()));
  if (!(x.shape() == weights.shape())) impl::fail_weights(x.shape(), weights.shape());
  const std::size_t bytes = x.bytes() + 8 * (weights.bytes() + x.size() * sizeof(std::size_t));
  const target where = resolve(requested, {bytes, 0, x.where(), true});
  running.runs_on(where);
  any_array sums(weights.dtype(), {edges.bins()}, where);
  const impl::staged_input<std::byte> staged(bytes_of(x), where), staged_weights(bytes_of(weights), where);
  impl::library_weighted_histogram(x.dtype(), staged.data(), x.size(), edges, weights.dtype(),
                                   staged_weights.data(), sums.data(), where);
  return sums;
}

void require_order(const char* pattern, const any_const_view& x) {
  visit_ordered<void>(pattern, x, [](const auto&) {});
}

}  // namespace

array<std::uint64_t> histogram(const target& where, const any_const_view& x, const even_bins& bins) {
  return visit_ordered<array<std::uint64_t>>("histogram", x,
                                             [&](const auto& v) { return histogram(where, v, bins); });
}
array<std::uint64_t> histogram(const target& where, const any_const_view& x,
                               const std::vector<double>& edges) {
  return visit_ordered<array<std::uint64_t>>("histogram", x,
                                             [&](const auto& v) { return histogram(where, v, edges); });
}
any_array histogram(const target& where, const any_const_view& x, const even_bins& bins,
                    const any_const_view& weights) {
  require_order("histogram", x);
  return weighted_histogram(where, x, impl::edges_of(x.dtype(), bins), weights);
}
any_array histogram(const target& where, const any_const_view& x, const std::vector<double>& edges,
                    const any_const_view& weights) {
  require_order("histogram", x);
  return weighted_histogram(where, x, impl::edges_of(edges.data(), edges.size()), weights);
}

any_value mean(const target& where, const any_const_view& x) {
  return visit(x, [&](const auto& v) { return any_value(mean(where, v)); });
}
any_array mean(const target& where, const any_const_view& x, axis along_axis) {
  return visit(x, [&](const auto& v) { return any_array(mean(where, v, along_axis)); });
}
any_value variance(const target& where, const any_const_view& x, std::size_t ddof) {
  return visit(x, [&](const auto& v) { return any_value(variance(where, v, ddof)); });
}
any_array variance(const target& where, const any_const_view& x, axis along_axis, std::size_t ddof) {
  return visit(x, [&](const auto& v) { return any_array(variance(where, v, along_axis, ddof)); });
}
minmax_result<any_value> minmax(const target& where, const any_const_view& x) {
  return visit_ordered<minmax_result<any_value>>("minmax", x, [&](const auto& v) {
    const auto both = minmax(where, v);
    return minmax_result<any_value>{both.min, both.max};
  });
}
minmax_result<any_array> minmax(const target& where, const any_const_view& x, axis along_axis) {
  return visit_ordered<minmax_result<any_array>>("minmax", x, [&](const auto& v) {
    auto both = minmax(where, v, along_axis);
    return minmax_result<any_array>{std::move(both.min), std::move(both.max)};
  });
}

// ------------------------------------------------------------------------------------------------ numerics

namespace {

[[noreturn]] void fail_type(const char* pattern, dtype type, const char* types) {
  fail(fmt::format("{} of {}: the type is {}", pattern, name(type), types));
}

/// Calls f with the elements of x by their static type, a real or a complex one, which `real` and `complex`
/// say.
template <class R, bool Real, bool Complex, class F>
R visit_floating(const char* pattern, const any_const_view& x, const F& f) {
  if constexpr (Real) {
    if (x.dtype() == dtype::float32) return f(x.as<float>());
    if (x.dtype() == dtype::float64) return f(x.as<double>());
  }
  if constexpr (Complex) {
    if (x.dtype() == dtype::complex64) return f(x.as<std::complex<float>>());
    if (x.dtype() == dtype::complex128) return f(x.as<std::complex<double>>());
  }
  fail_type(pattern, x.dtype(),
            Real && Complex ? "float32, float64, complex64 or complex128"
            : Real          ? "float32 or float64"
                            : "complex64 or complex128");
}

template <class T>
using complex_like_of = impl::complex_for<array_view<const T>>;

}  // namespace

any_array fft(const target& where, const any_const_view& x, const fft_axes& axes) {
  return visit_floating<any_array, true, true>("fft", x, [&](const auto& v) { return fft(where, v, axes); });
}
any_array ifft(const target& where, const any_const_view& x, const fft_axes& axes) {
  return visit_floating<any_array, true, true>("ifft", x,
                                               [&](const auto& v) { return ifft(where, v, axes); });
}
any_array rfft(const target& where, const any_const_view& x, const fft_axes& axes) {
  return visit_floating<any_array, true, false>("rfft", x,
                                                [&](const auto& v) { return rfft(where, v, axes); });
}
any_array irfft(const target& where, const any_const_view& x, const fft_axes& axes, std::size_t length) {
  return visit_floating<any_array, false, true>("irfft", x,
                                                [&](const auto& v) { return irfft(where, v, axes, length); });
}
void fft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  visit_floating<void, true, true>("fft", x, [&]<class T>(const array_view<const T>& v) {
    fft_into(where, out.as<complex_like_of<T>>(), v, axes);
  });
}
void ifft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  visit_floating<void, true, true>("ifft", x, [&]<class T>(const array_view<const T>& v) {
    ifft_into(where, out.as<complex_like_of<T>>(), v, axes);
  });
}
void rfft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes) {
  visit_floating<void, true, false>("rfft", x, [&]<class T>(const array_view<const T>& v) {
    rfft_into(where, out.as<complex_like_of<T>>(), v, axes);
  });
}
void irfft_into(const target& where, const any_view& out, const any_const_view& x, const fft_axes& axes,
                std::size_t length) {
  visit_floating<void, false, true>("irfft", x, [&]<class T>(const array_view<const T>& v) {
    irfft_into(where, out.as<typename T::value_type>(), v, axes, length);
  });
}
shape fft_shape(const shape& lengths, const fft_axes& axes) {
  return impl::task_of(impl::fft_kind::forward, true, lengths, axes, 0).result();
}
shape rfft_shape(const shape& lengths, const fft_axes& axes) {
  return impl::task_of(impl::fft_kind::real_forward, true, lengths, axes, 0).result();
}
shape irfft_shape(const shape& lengths, const fft_axes& axes, std::size_t length) {
  return impl::task_of(impl::fft_kind::real_inverse, true, lengths, axes, length).result();
}

any_array matmul(const target& where, const any_const_view& a, const any_const_view& b,
                 matmul_algorithm algorithm) {
  return visit_floating<any_array, true, true>("matmul", a, [&]<class T>(const array_view<const T>& m) {
    require_type("the second matrix", b.dtype(), a.dtype());
    return matmul(where, m, b.as<T>(), algorithm);
  });
}
void matmul_into(const target& where, const any_view& c, const any_const_view& a, const any_const_view& b,
                 matmul_algorithm algorithm) {
  visit_floating<void, true, true>("matmul", a, [&]<class T>(const array_view<const T>& m) {
    require_type("the second matrix", b.dtype(), a.dtype());
    require_type("the product", c.dtype(), a.dtype());
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
