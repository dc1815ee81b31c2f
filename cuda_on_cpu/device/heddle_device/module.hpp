#pragma once

/// What the rewriting of a source (translation.cpp) leaves in it: places for shared variables, descriptions
/// of the module's variables and of the kernel that is to run.

#include "atomics.hpp"

#include <stddef.h>

namespace heddle_device {

template <class T>
struct without_qualifiers {
  using type = T;
  static constexpr bool is_const = false;
};
template <class T>
struct without_qualifiers<const T> : without_qualifiers<T> {
  static constexpr bool is_const = true;
};
template <class T>
struct without_qualifiers<volatile T> : without_qualifiers<T> {};
template <class T>
struct without_qualifiers<const volatile T> : without_qualifiers<const T> {};

/// What arrays of any number of dimensions consist of, without const and volatile.
template <class T>
struct element : without_qualifiers<T> {};
template <class T>
struct element<T[]> : element<T> {};
template <class T, size_t N>
struct element<T[N]> : element<T> {};

// The number that a type consists of: float4 of f32.
#define HEDDLE_VECTORS(NAME, T)                              \
  template <>                                                \
  inline constexpr scalar scalar_of<NAME##1> = scalar_of<T>; \
  template <>                                                \
  inline constexpr scalar scalar_of<NAME##2> = scalar_of<T>; \
  template <>                                                \
  inline constexpr scalar scalar_of<NAME##3> = scalar_of<T>; \
  template <>                                                \
  inline constexpr scalar scalar_of<NAME##4> = scalar_of<T>;
HEDDLE_VECTORS(char, signed char)
HEDDLE_VECTORS(uchar, unsigned char)
HEDDLE_VECTORS(short, short)
HEDDLE_VECTORS(ushort, unsigned short)
HEDDLE_VECTORS(int, int)
HEDDLE_VECTORS(uint, unsigned)
HEDDLE_VECTORS(long, long)
HEDDLE_VECTORS(ulong, unsigned long)
HEDDLE_VECTORS(longlong, long long)
HEDDLE_VECTORS(ulonglong, unsigned long long)
HEDDLE_VECTORS(float, float)
HEDDLE_VECTORS(double, double)
#undef HEDDLE_VECTORS
template <>
inline constexpr scalar scalar_of<__half2> = scalar::f16;

constexpr u32 bytes_of_scalar(scalar type) {
  constexpr u32 bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  return bytes[static_cast<int>(type)];
}

template <class T>
constexpr const char* spelled() {
  return __PRETTY_FUNCTION__;
}

template <class T, u32... N>
struct lengths_of {
  static constexpr u32 value[] = {N..., 0};
};
template <class T, size_t M, u32... N>
struct lengths_of<T[M], N...> : lengths_of<T, N..., u32{M}> {};

/// What an array of T consists of.
template <class T>
constexpr element_type elements_of() {
  if constexpr (__is_same(T, void)) {
    return {scalar::other, 0, nullptr, nullptr};
  } else {
    using type = typename element<T>::type;
    return {scalar_of<type>, static_cast<u32>(sizeof(type)), spelled<type>(), lengths_of<T>::value};
  }
}

/// The same of a variable, which may be an array.
template <class T>
struct variable_elements {
  static constexpr element_type value = elements_of<T>();
};
template <class T>
struct variable_elements<T[]> : variable_elements<T> {};
template <class T, size_t N>
struct variable_elements<T[N]> : variable_elements<T> {};
template <class T, size_t M, size_t N>
struct variable_elements<T[M][N]> {
  static constexpr element_type value = elements_of<T[N]>();
};
template <class T, size_t N>
struct variable_elements<T[][N]> {
  static constexpr element_type value = elements_of<T[N]>();
};

template <class T>
constexpr parameter describe_parameter_type(parameter_kind kind, bool is_const) {
  constexpr element_type of = elements_of<T>();
  constexpr u32 bytes = bytes_of_scalar(of.type);
  if constexpr (__is_same(T, void)) {
    return {kind, 0, is_const, 0, of};
  } else {
    return {kind, static_cast<u8>(bytes ? of.size / bytes : 0), is_const, static_cast<u32>(sizeof(T)), of};
  }
}

template <class P>
struct describe_parameter {
  static constexpr parameter value =
      describe_parameter_type<typename without_qualifiers<P>::type>(parameter_kind::value, false);
};
template <class T>
struct describe_parameter<T&> {
  static constexpr parameter value = describe_parameter_type<typename without_qualifiers<T>::type>(
      parameter_kind::reference, without_qualifiers<T>::is_const);
};
template <class T>
struct describe_parameter<T*> {
  static constexpr parameter value = describe_parameter_type<typename without_qualifiers<T>::type>(
      parameter_kind::pointer, without_qualifiers<T>::is_const);
};
template <class T>
struct describe_parameter<T* const> : describe_parameter<T*> {};
template <class T>
struct describe_parameter<T* __restrict__> : describe_parameter<T*> {};

template <class T>
T&& value_of_type();

template <class P>
struct argument_type : without_qualifiers<P> {};
template <class T>
struct argument_type<T&> : without_qualifiers<T> {};

/// How threads are given an argument. Each has its own copy, made of the launch's as bytes and never
/// destroyed. What is copied or destroyed by functions of its own is handed over as its address: then the
/// caller destroys it, which nobody does here (Itanium C++ ABI, 3.1.1).
template <class P>
struct passed {
  static constexpr bool is_by_address =
      !(__is_trivially_constructible(P, const P&) && __is_trivially_constructible(P, P&&) &&
        __has_trivial_destructor(P));
};
template <class T>
struct passed<T&> {
  static constexpr bool is_by_address = false;
};
template <class P, bool = passed<P>::is_by_address>
struct argument_copy {
  using parameter = P;
  __attribute__((no_sanitize("thread"), no_sanitize("undefined"))) explicit argument_copy(void* from)
      : from_(from) {}
  __attribute__((no_sanitize("thread"), no_sanitize("undefined"))) P get() const {
    return *static_cast<typename without_qualifiers<P>::type*>(from_);
  }
  void* from_;
};
template <class T>
struct argument_copy<T&, false> {
  using parameter = T&;
  explicit argument_copy(void* from) : from_(from) {}
  T& get() const { return *static_cast<T*>(from_); }
  void* from_;
};
template <class P>
struct argument_copy<P, true> {
  using parameter = void*;
  __attribute__((no_sanitize("thread"), no_sanitize("undefined"))) explicit argument_copy(void* from) {
    for (size_t i = 0; i < sizeof(P); ++i) bytes_[i] = static_cast<const volatile char*>(from)[i];
  }
  void* get() { return bytes_; }
  alignas(P) char bytes_[sizeof(P)];
};
/// Calls a kernel with a copy of each argument.
template <class... P>
__attribute__((no_sanitize("thread"), no_sanitize("undefined"))) void call_kernel(
    const void* function, argument_copy<P>... arguments) {
  reinterpret_cast<void (*)(typename argument_copy<P>::parameter...)>(const_cast<void*>(function))(
      arguments.get()...);
}

template <auto Function, u64 Bounds = 0>
struct entry;
template <class... P, void (*Function)(P...), u64 Bounds>
struct entry<Function, Bounds> {
  template <unsigned... I>
  struct indices {};
  template <class Indices>
  struct caller;
  template <unsigned... I>
  struct caller<indices<I...>> {
    __attribute__((no_sanitize("thread"), no_sanitize("undefined"))) static void call(
        void* const* arguments) {
      (void)arguments;
      if constexpr ((passed<P>::is_by_address || ...)) {
        call_kernel<P...>(reinterpret_cast<const void*>(Function), argument_copy<P>(arguments[I])...);
      } else {
        Function(argument_copy<P>(arguments[I]).get()...);
      }
    }
#ifndef HEDDLE_WATCHED
    static void run_block(void* const* arguments) {
      (void)arguments;
      run_threads(*static_cast<typename argument_type<P>::type*>(arguments[I])...);
    }
    /// The arguments are its own, so that they are known to stay as they are.
    __attribute__((flatten)) static void run_threads(P... arguments) {
      const index3 size = heddle_position.block_size;
      for (u32 z = 0; z < size.z; ++z) {
        for (u32 y = 0; y < size.y; ++y) {
          for (u32 x = 0; x < size.x; ++x) {
            heddle_position.thread = {x, y, z};
            Function(arguments...);
          }
        }
      }
    }
#endif
  };
#ifdef __clang__
  template <class T, T... I>
  using sequence = indices<I...>;
  using all = __make_integer_seq<sequence, unsigned, sizeof...(P)>;
#else
  using all = indices<__integer_pack(unsigned(sizeof...(P)))...>;
#endif
  static constexpr parameter parameters[sizeof...(P) + 1] = {describe_parameter<P>::value..., {}};
#ifdef HEDDLE_WATCHED
  static constexpr kernel value = {&caller<all>::call, parameters, sizeof...(P), nullptr, Bounds};
#else
  static constexpr kernel value = {&caller<all>::call, parameters, sizeof...(P), &caller<all>::run_block,
                                   Bounds};
#endif
};

/// The place of a shared variable of a function: Tag is a type of that function alone.
template <class Tag, class T, unsigned Alignment>
struct shared_place {
  static inline shared_variable variable = {Tag::name(), sizeof(T),
                                            Alignment > alignof(T) ? Alignment : unsigned(alignof(T)),
                                            variable_elements<T>::value};
};
template <class Tag, class T, unsigned Alignment>
struct shared_place<Tag, T[], Alignment> {
  static inline shared_variable variable = {Tag::name(), shared_variable::dynamic,
                                            Alignment > alignof(T) ? Alignment : unsigned(alignof(T)),
                                            variable_elements<T[]>::value};
};

/// A static one is a reference to the variable; a dynamic one, T[], a pointer to its first element.
template <class Tag, class T, unsigned Alignment>
struct shared_reference {
  using type = T&;
  static HEDDLE_DEVICE T& get() {
    return *static_cast<T*>(heddle_shared(&shared_place<Tag, T, Alignment>::variable));
  }
};
template <class Tag, class T, unsigned Alignment>
struct shared_reference<Tag, T[], Alignment> {
  static HEDDLE_DEVICE T* get() {
    return static_cast<T*>(heddle_shared(&shared_place<Tag, T[], Alignment>::variable));
  }
};

}  // namespace heddle_device

extern "C" {
// Where the linker puts the descriptions of the module's variables; nowhere when there are none.
extern const heddle_device::variable __start_heddle_variables[] __attribute__((weak, visibility("hidden")));
extern const heddle_device::variable __stop_heddle_variables[] __attribute__((weak, visibility("hidden")));
__attribute__((visibility("default"), weak,
               used)) extern const heddle_device::variable* const heddle_module_variables[2] = {
    __start_heddle_variables, __stop_heddle_variables};
// And those of the members of its structures.
extern const heddle_device::member __start_heddle_members[] __attribute__((weak, visibility("hidden")));
extern const heddle_device::member __stop_heddle_members[] __attribute__((weak, visibility("hidden")));
__attribute__((visibility("default"), weak,
               used)) extern const heddle_device::member* const heddle_module_members[2] = {
    __start_heddle_members, __stop_heddle_members};
}
