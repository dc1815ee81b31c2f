#pragma once

#include <heddle/array_like.hpp>
#include <heddle/extent.hpp>
#include <heddle/target.hpp>

#include <iterator>
#include <type_traits>

/// Error messages of the compiler for a call that no pattern takes: one line that says what to write instead.
namespace heddle::impl {

/// Types that may be passed for an array but are no array_like: pointers, iterators, and ranges of elements
/// that are not contiguous, or are no objects, as those of std::vector<bool>.
template <class X>
concept not_an_array =
    !array_like<X> && (std::is_pointer_v<X> ? !std::is_function_v<std::remove_pointer_t<X>>
                                            : std::input_or_output_iterator<X> || requires(const X& x) {
                                                x.begin();
                                                x.end();
                                              });

/// An array whose elements no target can copy, such as std::vector<std::string>.
template <class X>
concept array_of_no_elements = array_like<X> && !element<element_of<X>>;

template <class X>
inline constexpr bool is_extent = false;
template <int Axes>
inline constexpr bool is_extent<extent<Axes>> = true;

/// Parameters of the overloads below. They take arguments by conversion, so that a user's own overload is
/// preferred, even one that converts too.
struct argument_not_an_array {
  template <class X>
    requires not_an_array<X>
  argument_not_an_array(const X&) {}
};
struct argument_of_no_elements {
  template <class X>
    requires array_of_no_elements<X>
  argument_of_no_elements(const X&) {}
};
struct other_argument {
  template <class X>
    requires(!not_an_array<X> && !array_of_no_elements<X>)
  other_argument(const X&) {}
};
struct argument_before_a_target {
  template <class X>
    requires(array_like<X> || not_an_array<X> || is_extent<X>)
  argument_before_a_target(const X&) {}
};
struct any_argument {
  template <class... X>
  any_argument(const X&...) {}
};

/// The result of a call that does not compile: whatever is made of it, one error is enough.
struct any_result {
  template <class T>
  operator T() const;
};

template <int...>
inline constexpr bool never = false;

}  // namespace heddle::impl

#define HD_NOT_AN_ARRAY                                                                                     \
  "an argument is no array: write std::span(pointer, size) for a pointer, hd::array_view(first, last) for " \
  "iterators, and hd::array(range) for std::vector<bool> and for other ranges that are not contiguous"

#define HD_NO_ELEMENTS                                                                                 \
  "the elements of an array must be trivially copyable, to be copied from one target to another, and " \
  "std::string and std::vector are not"

#define HD_NO_ORDER                                                                                         \
  "the elements have no order of their own: give a function of two of them that returns whether the first " \
  "comes before the second, such as [] HD_FN(const auto& a, const auto& b) { return a.key < b.key; }"

#define HD_MORE_ARGUMENTS                                                                            \
  heddle::impl::any_argument = {}, heddle::impl::any_argument = {}, heddle::impl::any_argument = {}, \
  heddle::impl::any_argument = {}, heddle::impl::any_argument = {}

/// Overloads of a pattern for calls that no other one takes: the target is missing, or a pointer, an iterator
/// or a std::vector<bool> is passed for an array, or the elements of an array cannot be copied. `Reach` is
/// that of stencil<2>(…).
#define HD_EXPLAIN_MISUSE(PATTERN)                                                                    \
  template <int... Reach>                                                                             \
  heddle::impl::any_result PATTERN(heddle::impl::argument_before_a_target, HD_MORE_ARGUMENTS) {       \
    static_assert(heddle::impl::never<Reach...>,                                                      \
                  #PATTERN ": the target comes first: write " #PATTERN                                \
                           "(hd::target::parallel(), ...), or another target");                       \
    return {};                                                                                        \
  }                                                                                                   \
  template <int... Reach>                                                                             \
  heddle::impl::any_result PATTERN(const heddle::target&, heddle::impl::argument_not_an_array,        \
                                   HD_MORE_ARGUMENTS) {                                               \
    static_assert(heddle::impl::never<Reach...>, #PATTERN ": " HD_NOT_AN_ARRAY);                      \
    return {};                                                                                        \
  }                                                                                                   \
  template <int... Reach>                                                                             \
  heddle::impl::any_result PATTERN(const heddle::target&, heddle::impl::argument_of_no_elements,      \
                                   HD_MORE_ARGUMENTS) {                                               \
    static_assert(heddle::impl::never<Reach...>, #PATTERN ": " HD_NO_ELEMENTS);                       \
    return {};                                                                                        \
  }                                                                                                   \
  template <int... Reach>                                                                             \
  heddle::impl::any_result PATTERN(const heddle::target&, heddle::impl::other_argument,               \
                                   heddle::impl::argument_of_no_elements, HD_MORE_ARGUMENTS) {        \
    static_assert(heddle::impl::never<Reach...>, #PATTERN ": " HD_NO_ELEMENTS);                       \
    return {};                                                                                        \
  }                                                                                                   \
  template <int... Reach>                                                                             \
  heddle::impl::any_result PATTERN(const heddle::target&, heddle::impl::other_argument,               \
                                   heddle::impl::argument_not_an_array, HD_MORE_ARGUMENTS) {          \
    static_assert(heddle::impl::never<Reach...>, #PATTERN ": " HD_NOT_AN_ARRAY);                      \
    return {};                                                                                        \
  }                                                                                                   \
  template <int... Reach>                                                                             \
  heddle::impl::any_result PATTERN(const heddle::target&, heddle::impl::other_argument,               \
                                   heddle::impl::other_argument, heddle::impl::argument_not_an_array, \
                                   HD_MORE_ARGUMENTS) {                                               \
    static_assert(heddle::impl::never<Reach...>, #PATTERN ": " HD_NOT_AN_ARRAY);                      \
    return {};                                                                                        \
  }
