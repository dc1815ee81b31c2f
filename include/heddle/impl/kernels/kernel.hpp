#pragma once

#include <heddle/array.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

struct dimensions;
class kernel_function;
struct expression_options;
struct untyped_argument;

}  // namespace heddle

namespace heddle::impl {

/// The types of numbers that are compared with a kernel's signature.
enum class number : std::uint8_t { other, boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };

template <class T>
constexpr number number_of() {
  if constexpr (has_dtype<T> && !std::is_same_v<T, wchar_t>) {
    constexpr number known[] = {number::boolean, number::i8,    number::i16,  number::i32, number::i64,
                                number::u8,      number::u16,   number::u32,  number::u64, number::f32,
                                number::f64,     number::other, number::other};
    return known[static_cast<int>(dtype_of<T>)];
  } else {
    return number::other;
  }
}

/// A parameter of a kernel, as far as it is known.
struct parameter_description {
  std::string name;  ///< empty where it has none
  bool is_pointer = false, is_const = false;
  bool is_known = true;         ///< false: only its size
  number type = number::other;  ///< of it, or of what it points to
  unsigned components = 1;      ///< float4 has 4
  std::size_t size = 0;         ///< bytes of it, or of what it points to; 0 where that is not known
  std::string type_name;        ///< of a type that is no number: "point"; empty where it is not known
  bool is_void = false;         ///< a pointer to anything

  /// As CUDA C++ writes it: "const float*".
  std::string text() const;
};

/// A type as __cxa_demangle writes it, or a declaration: "float const*", "unsigned int", "float4*", "point".
parameter_description parameter_in(std::string_view type);

/// An argument of a launch.
struct kernel_argument {
  const void* value = nullptr;  ///< where the number, the structure or the pointer is
  number type = number::other;  ///< of it, or of what it points to
  std::size_t size = 0;         ///< bytes of it, or of what it points to; 0 where that is not known
  bool is_pointer = false, is_const = false;
  const target* where = nullptr;  ///< of an array
};

/// Holds an argument while it is passed: a number or a structure, a pointer, an array.
template <class A>
class passed_argument {
 public:
  static_assert(std::is_trivially_copyable_v<A>,
                "a kernel takes numbers, structures that can be copied byte by byte, pointers and arrays");
  explicit passed_argument(const A& value) : value_(value) {}
  kernel_argument describe() const { return {&value_, number_of<A>(), sizeof(A)}; }

 private:
  A value_;
};
template <class T>
class passed_argument<T*> {
 public:
  explicit passed_argument(T* pointer) : pointer_(pointer) {}
  kernel_argument describe() const {
    using value = std::remove_cv_t<T>;
    std::size_t size = 0;
    if constexpr (!std::is_void_v<T>) size = sizeof(T);
    return {&pointer_, number_of<value>(), size, true, std::is_const_v<T>};
  }

 private:
  T* pointer_;
};
template <>
class passed_argument<std::nullptr_t> : public passed_argument<void*> {
 public:
  explicit passed_argument(std::nullptr_t) : passed_argument<void*>(nullptr) {}
};
template <array_like X>
class passed_argument<X> {
 public:
  explicit passed_argument(X& x) : data_(x.data()) {
    if constexpr (requires { x.where(); }) where_ = x.where();
  }
  kernel_argument describe() const {
    using T = std::remove_pointer_t<decltype(data_)>;
    return {&data_, number_of<std::remove_const_t<T>>(), sizeof(T), true, std::is_const_v<T>, &where_};
  }

 private:
  decltype(std::declval<X&>().data()) data_;
  target where_;
};
template <class A>
using passed =
    passed_argument<std::conditional_t<array_like<A>, std::remove_reference_t<A>, std::decay_t<A>>>;

class function_state;
class module_state;

void launch(const function_state& function, const target& where, const dimensions& grid,
            const dimensions& block, std::size_t shared_bytes, const kernel_argument* arguments,
            std::size_t count);

/// The state of a kernel, which src/kernels/module_state.hpp defines.
const function_state& state_of(const kernel_function& kernel) noexcept;

/// An argument of a kernel that is made of expressions: a number, or all elements of an array.
struct expression_argument {
  kernel_argument is;
  void* data = nullptr;  ///< the elements, of an array
  heddle::shape lengths;
  bool is_array = false;
};

template <class A>
expression_argument expression_argument_of(const passed_argument<A>& passed, A& argument) {
  if constexpr (array_like<A>) {
    return {passed.describe(), const_cast<void*>(static_cast<const void*>(argument.data())),
            shape_of(argument), true};
  } else {
    static_assert(!std::is_pointer_v<A>, "an expression takes numbers and arrays, which know their size");
    return {passed.describe(), nullptr, {}, false};
  }
}

/// A parameter of an expression.
struct expression_parameter {
  std::string name, type;       ///< as the source writes them
  parameter_description known;  ///< what is known of the type
  bool is_written = false;
};

/// Parameters, expressions and what was compiled of them.
class expression_state;
const std::vector<expression_parameter>& parameters_of(const expression_state& state) noexcept;
std::shared_ptr<expression_state> elementwise_expression(const std::string& parameters,
                                                         const std::string& operation,
                                                         const expression_options& options);
std::shared_ptr<expression_state> combining_expression(bool scans, dtype type, const std::string& parameters,
                                                       const std::string& map, const std::string& combine,
                                                       const std::string& identity,
                                                       const expression_options& options);

/// The target that a call runs on, and the shape of the arrays; throws unless the arguments fit.
struct expression_call {
  target where;
  heddle::shape lengths;
};
/// `size` counts the elements where no argument is an array.
expression_call prepare(const expression_state& state, const target& requested,
                        const expression_argument* arguments, std::size_t count,
                        std::optional<std::size_t> size = {});
void run_elementwise(expression_state& state, const expression_call& call,
                     const expression_argument* arguments);
void run_reduction(expression_state& state, const expression_call& call, const expression_argument* arguments,
                   void* out);
void run_scan(expression_state& state, const expression_call& call, const expression_argument* arguments,
              bool exclusive, void* out);

std::vector<expression_argument> expression_arguments(std::span<const untyped_argument> arguments);

/// Calls f(arguments as an array, their number).
template <class F, class... Arguments>
decltype(auto) with_expression_arguments(const F& f, Arguments&... arguments) {
  const std::tuple<passed_argument<Arguments>...> passed{passed_argument<Arguments>(arguments)...};
  return std::apply(
      [&](const auto&... each) -> decltype(auto) {
        const expression_argument all[sizeof...(Arguments) + 1] = {expression_argument_of(each, arguments)...,
                                                                   {}};
        return f(static_cast<const expression_argument*>(all), sizeof...(Arguments));
      },
      passed);
}

}  // namespace heddle::impl
