#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

/// Functions of an index, small enough to pass to any target, through which patterns read elements.
namespace heddle::impl {

/// i ↦ x[i], as operator Op sees it.
template <class T, class Op>
struct element_at {
  const T* x;
  HD_INLINE T operator()(std::size_t i) const { return lift<Op>(x[i]); }
};

/// i ↦ x[i].
template <class T>
struct element_of_array {
  const T* x;
  HD_INLINE const T& operator()(std::size_t i) const { return x[i]; }
};

/// i ↦ value: a scalar among arrays.
template <class T>
struct constant {
  T value;
  HD_INLINE const T& operator()(std::size_t) const { return value; }
};

template <std::size_t I, class Source>
struct numbered {
  Source source;
};

/// i ↦ f(source(i)…).
template <class F, class Numbers, class... Sources>
struct mapped_elements;
template <class F, std::size_t... I, class... Sources>
struct mapped_elements<F, std::index_sequence<I...>, Sources...> : numbered<I, Sources>... {
  F f;
  HD_INLINE mapped_elements(const F& mapping, const Sources&... sources)
      : numbered<I, Sources>{sources}..., f(mapping) {}
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  HD_INLINE auto operator()([[maybe_unused]] std::size_t i) const {
    return f(static_cast<const numbered<I, Sources>&>(*this).source(i)...);
  }
};

/// load(i), as operator Op sees it.
template <class Op, class Load>
struct lifted {
  Load load;
  HD_INLINE auto operator()(std::size_t i) const { return lift<Op>(load(i)); }
};

/// An argument of `transform`: the elements of an array, or a scalar, which is broadcast.
template <class A>
struct argument {
  using value = A;
  static constexpr bool is_array = false;
};
template <array_like A>
struct argument<A> {
  using value = element_of<A>;
  static constexpr bool is_array = true;
};
template <class T>
struct argument<element_reference<T>> {
  using value = T;
  static constexpr bool is_array = false;
};
template <class A>
using value_of_argument = typename argument<std::remove_cvref_t<A>>::value;

/// Whether f can be called with one element of each argument.
template <class F, class... A>
inline constexpr bool takes_elements = std::is_invocable_v<const F&, const value_of_argument<A>&...>;

/// Whether arrays are given as arrays: a pointer may be meant as a scalar, if f takes one.
template <class A, class F, class... All>
concept array_or_scalar = !not_an_array<std::remove_cvref_t<A>> ||
                          (std::is_trivially_copyable_v<std::remove_cvref_t<A>> && takes_elements<F, All...>);
template <class F, class... A>
inline constexpr bool takes_arguments = (array_or_scalar<A, F, A...> && ...);

/// The result of f for one element of each argument.
template <class F, class... A>
using transformed = std::remove_cvref_t<std::invoke_result_t<const F&, const value_of_argument<A>&...>>;

/// An argument where code on `where` can read it.
template <class A>
class staged_argument {
 public:
  staged_argument(const A& value, const target&) : value_(value) {}
  constant<A> source() const { return {value_}; }
  const A* data() const { return &value_; }

 private:
  A value_;  // not a reference: it may be an element of the output
};
template <array_like A>
class staged_argument<A> {
 public:
  staged_argument(const A& x, const target& where) : staged_(input(x), where) {}
  element_of_array<element_of<A>> source() const { return {staged_.data()}; }
  const element_of<A>* data() const { return staged_.data(); }

 private:
  staged_input<element_of<A>> staged_;
};

template <class T>
class staged_argument<element_reference<T>> : public staged_argument<T> {
 public:
  staged_argument(const element_reference<T>& value, const target& where)
      : staged_argument<T>(value, where) {}
};

template <class A, class T>
void check_argument_in_place(const A& value, const elements<T>& out) {
  if constexpr (argument<A>::is_array) check_in_place(input(value), out);
}

/// Several arguments, ready to be read on `where`.
template <class Numbers, class... A>
class staged_arguments;
template <std::size_t... I, class... A>
class staged_arguments<std::index_sequence<I...>, A...> : numbered<I, staged_argument<A>>... {
 public:
  explicit staged_arguments(const target& where, const A&... a)
      : numbered<I, staged_argument<A>>{staged_argument<A>(a, where)}... {}

  template <std::size_t J>
  const auto& get() const {
    return static_cast<const numbered<J, std::tuple_element_t<J, std::tuple<staged_argument<A>...>>>&>(*this)
        .source;
  }
  /// i ↦ f(argument(i)…).
  template <class F>
  auto map(const F& f) const {
    return mapped_elements<F, std::index_sequence<I...>, decltype(get<I>().source())...>(
        f, get<I>().source()...);
  }
};

/// The size, shape and target that the arrays among the arguments share; throws when shapes differ.
struct common {
  const char* pattern;
  bool found = false;
  heddle::shape lengths = {};
  std::size_t size = 0;
  std::size_t bytes = 0;
  target where = {};
  int position = 0;

  template <class A>
  void add(const A& argument_value) {
    ++position;
    if constexpr (argument<A>::is_array) {
      const auto elements = input(argument_value);
      bytes += elements.size * sizeof(element_of<A>);
      if (!found) {
        found = true;
        lengths = shape_of(argument_value);
        size = elements.size;
        where = elements.where;
      } else if (elements.size != size || !(shape_of(argument_value) == lengths)) {
        fail_shapes(pattern, position, shape_of(argument_value), lengths);
      }
    }
  }
  /// The pattern is empty where an operation names it.
  [[noreturn]] static void fail_shapes(const char* pattern, int position, const heddle::shape& have,
                                       const heddle::shape& first);
};

/// Whether a function can run on a GPU: nvcc compiled the call, or the library holds the code for it.
inline namespace HD_BUILD {
inline constexpr bool compiled_for_gpu =
#if defined(__CUDACC__)
    true;
#else
    false;
#endif
}  // namespace HD_BUILD

/// Throws: a host compiler compiled the call, which must be compiled with nvcc.
[[noreturn]] void fail_not_compiled_for_gpu();

/// Whether the library holds f on these arguments: two of one built-in type, by a built-in function.
template <class T, class F, class... Values>
inline constexpr bool on_library =
    sizeof...(Values) == 2 && (std::is_same_v<Values, T> && ...) && library_has<T, F>();

/// out[i] = f(x[i], y[i]) by a built-in function; an operand that is constant is one element for all i, and
/// is on the CPU. Arrays are on `where`.
void library_map(runtime_op f, dtype type, const void* x, bool x_is_constant, const void* y,
                 bool y_is_constant, std::size_t count, void* out, const target& where);

template <class T, class F, class... A, std::size_t... I>
void map_by_library(const target& where, std::size_t count, T* out,
                    const staged_arguments<std::index_sequence<I...>, A...>& arguments,
                    std::index_sequence<I...>) {
  constexpr bool is_constant[] = {!argument<A>::is_array...};
  library_map(function_of<F>, dtype_of<T>, arguments.template get<0>().data(), is_constant[0],
              arguments.template get<1>().data(), is_constant[1], count, out, where);
}

}  // namespace heddle::impl
