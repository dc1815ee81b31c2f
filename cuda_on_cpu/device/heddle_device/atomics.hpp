#pragma once

/// Atomic functions, at the scopes of a block, of the device and of the system.

#include "half.hpp"

namespace heddle_device {

template <class T>
inline constexpr scalar scalar_of = scalar::other;
template <class T>
inline constexpr scalar scalar_of<const T> = scalar_of<T>;
template <class T>
inline constexpr scalar scalar_of<volatile T> = scalar_of<T>;
template <class T>
inline constexpr scalar scalar_of<const volatile T> = scalar_of<T>;
template <>
inline constexpr scalar scalar_of<bool> = scalar::boolean;
template <>
inline constexpr scalar scalar_of<char> = scalar::i8;
template <>
inline constexpr scalar scalar_of<signed char> = scalar::i8;
template <>
inline constexpr scalar scalar_of<unsigned char> = scalar::u8;
template <>
inline constexpr scalar scalar_of<short> = scalar::i16;
template <>
inline constexpr scalar scalar_of<unsigned short> = scalar::u16;
template <>
inline constexpr scalar scalar_of<int> = scalar::i32;
template <>
inline constexpr scalar scalar_of<unsigned> = scalar::u32;
template <>
inline constexpr scalar scalar_of<long> = scalar::i64;
template <>
inline constexpr scalar scalar_of<unsigned long> = scalar::u64;
template <>
inline constexpr scalar scalar_of<long long> = scalar::i64;
template <>
inline constexpr scalar scalar_of<unsigned long long> = scalar::u64;
template <>
inline constexpr scalar scalar_of<float> = scalar::f32;
template <>
inline constexpr scalar scalar_of<double> = scalar::f64;
template <>
inline constexpr scalar scalar_of<__half> = scalar::f16;

template <class T>
HEDDLE_DEVICE unsigned long long bits_of(T value) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(unsigned long long, value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(unsigned, value);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(unsigned short, value);
  } else {
    static_assert(sizeof(T) == 1, "heddle: values of 1, 2, 4 or 8 bytes are expected here");
    return __builtin_bit_cast(unsigned char, value);
  }
}
template <class T>
HEDDLE_DEVICE T from_bits(unsigned long long bits) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, static_cast<unsigned>(bits));
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(T, static_cast<unsigned short>(bits));
  } else {
    static_assert(sizeof(T) == 1, "heddle: values of 1, 2, 4 or 8 bytes are expected here");
    return __builtin_bit_cast(T, static_cast<unsigned char>(bits));
  }
}

#ifndef HEDDLE_WATCHED

/// What an operation that the processor does not have as one instruction makes of `before`.
template <class T>
HEDDLE_DEVICE T combined(atomic_operation operation, T before, T operand) {
  switch (operation) {
    case atomic_operation::add:
      return before + operand;
    case atomic_operation::subtract:
      return before - operand;
    case atomic_operation::minimum:
      return operand < before ? operand : before;
    case atomic_operation::maximum:
      return before < operand ? operand : before;
    case atomic_operation::increment:
      return before >= operand ? static_cast<T>(0) : before + static_cast<T>(1);
    case atomic_operation::decrement:
      return before == static_cast<T>(0) || before > operand ? operand : before - static_cast<T>(1);
    default:
      return operand;
  }
}

template <class Bits, class Next>
HEDDLE_ATOMICS Bits exchange_until_done(volatile Bits* address, Next next) {
  Bits before = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &before, next(before), true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  return before;
}

/// `Bits` is the unsigned integer of T's size.
template <class T, class Bits>
HEDDLE_ATOMICS unsigned long long atomic_on(const volatile void* at, unsigned long long operand,
                                            unsigned long long expected, atomic_operation operation) {
  auto* const address = static_cast<volatile Bits*>(const_cast<volatile void*>(at));
  const Bits bits = static_cast<Bits>(operand);
  constexpr bool is_integer = __is_same(T, int) || __is_same(T, unsigned) || __is_same(T, long long) ||
                              __is_same(T, unsigned long long);
  switch (operation) {
    case atomic_operation::load:
      return __atomic_load_n(address, __ATOMIC_ACQUIRE);
    case atomic_operation::store:
      __atomic_store_n(address, bits, __ATOMIC_SEQ_CST);
      return 0;
    case atomic_operation::exchange:
      return __atomic_exchange_n(address, bits, __ATOMIC_SEQ_CST);
    case atomic_operation::compare_exchange: {
      Bits before = static_cast<Bits>(expected);
      __atomic_compare_exchange_n(address, &before, bits, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      return before;
    }
    case atomic_operation::bit_and:
      return __atomic_fetch_and(address, bits, __ATOMIC_SEQ_CST);
    case atomic_operation::bit_or:
      return __atomic_fetch_or(address, bits, __ATOMIC_SEQ_CST);
    case atomic_operation::bit_xor:
      return __atomic_fetch_xor(address, bits, __ATOMIC_SEQ_CST);
    case atomic_operation::add:
      if constexpr (is_integer) return __atomic_fetch_add(address, bits, __ATOMIC_SEQ_CST);
      break;
    case atomic_operation::subtract:
      if constexpr (is_integer) return __atomic_fetch_sub(address, bits, __ATOMIC_SEQ_CST);
      break;
    default:
      break;
  }
  return exchange_until_done(address, [&](Bits before) {
    return static_cast<Bits>(bits_of<T>(combined<T>(operation, from_bits<T>(before), from_bits<T>(operand))));
  });
}

HEDDLE_ATOMICS unsigned long long atomic_on_halves(const volatile void* at, unsigned long long operand,
                                                   atomic_operation operation, int components) {
  const auto part = [](unsigned bits, int i) { return half_to_float(static_cast<u16>(bits >> (16 * i))); };
  const auto sum = [&](unsigned before) {
    unsigned result = 0;
    for (int i = 0; i < components; ++i) {
      result |= unsigned(float_to_half(combined(operation, part(before, i), part(unsigned(operand), i))))
                << (16 * i);
    }
    return result;
  };
  void* const address = const_cast<void*>(at);
  if (components == 2) return exchange_until_done(static_cast<volatile unsigned*>(address), sum);
  return exchange_until_done(static_cast<volatile u16*>(address),
                             [&](u16 before) { return static_cast<u16>(sum(before)); });
}

#endif

template <class T>
HEDDLE_DEVICE T classic_atomic(T* address, T operand, T expected, atomic_operation operation, scope where) {
  return from_bits<T>(heddle_atomic(address, bits_of(operand), bits_of(expected),
                                    {operation, scalar_of<T>, where, order::relaxed, 1, 1}));
}

}  // namespace heddle_device

#ifndef HEDDLE_WATCHED
/// What a thread waits for is done by another of its block only when that goes on: after so many atomics.
HEDDLE_DEVICE unsigned long long heddle_atomic(const volatile void* address, unsigned long long operand,
                                               unsigned long long expected,
                                               heddle_device::atomic_request request) {
  using heddle_device::atomic_on;
  using heddle_device::scalar;
  if (++heddle_atomics_so_far % 64 == 0) heddle_sleep(0);
  const auto operation = request.operation;
  switch (request.type) {
    case scalar::f16:
      if (operation == heddle_device::atomic_operation::add ||
          operation == heddle_device::atomic_operation::subtract)
        return heddle_device::atomic_on_halves(address, operand, operation, request.components);
      return atomic_on<unsigned short, unsigned short>(address, operand, expected, operation);
    case scalar::boolean:
    case scalar::u8:
      return atomic_on<unsigned char, unsigned char>(address, operand, expected, operation);
    case scalar::i8:
      return atomic_on<signed char, unsigned char>(address, operand, expected, operation);
    case scalar::i16:
      return atomic_on<short, unsigned short>(address, operand, expected, operation);
    case scalar::u16:
      return atomic_on<unsigned short, unsigned short>(address, operand, expected, operation);
    case scalar::i32:
      return atomic_on<int, unsigned>(address, operand, expected, operation);
    case scalar::u32:
      return atomic_on<unsigned, unsigned>(address, operand, expected, operation);
    case scalar::i64:
      return atomic_on<long long, unsigned long long>(address, operand, expected, operation);
    case scalar::u64:
    case scalar::other:
      return atomic_on<unsigned long long, unsigned long long>(address, operand, expected, operation);
    case scalar::f32:
      return atomic_on<float, unsigned>(address, operand, expected, operation);
    case scalar::f64:
      return atomic_on<double, unsigned long long>(address, operand, expected, operation);
  }
  return 0;
}
#endif

#define HEDDLE_ATOMIC(NAME, T, OPERATION)                                            \
  HEDDLE_DEVICE T NAME(T* address, T value) {                                        \
    return heddle_device::classic_atomic(address, value, static_cast<T>(0),          \
                                         heddle_device::atomic_operation::OPERATION, \
                                         heddle_device::scope::device);              \
  }                                                                                  \
  HEDDLE_DEVICE T NAME##_block(T* address, T value) {                                \
    return heddle_device::classic_atomic(address, value, static_cast<T>(0),          \
                                         heddle_device::atomic_operation::OPERATION, \
                                         heddle_device::scope::block);               \
  }                                                                                  \
  HEDDLE_DEVICE T NAME##_system(T* address, T value) {                               \
    return heddle_device::classic_atomic(address, value, static_cast<T>(0),          \
                                         heddle_device::atomic_operation::OPERATION, \
                                         heddle_device::scope::system);              \
  }
#define HEDDLE_ATOMIC_CAS(T)                                                                \
  HEDDLE_DEVICE T atomicCAS(T* address, T expected, T value) {                              \
    return heddle_device::classic_atomic(address, value, expected,                          \
                                         heddle_device::atomic_operation::compare_exchange, \
                                         heddle_device::scope::device);                     \
  }                                                                                         \
  HEDDLE_DEVICE T atomicCAS_block(T* address, T expected, T value) {                        \
    return heddle_device::classic_atomic(address, value, expected,                          \
                                         heddle_device::atomic_operation::compare_exchange, \
                                         heddle_device::scope::block);                      \
  }                                                                                         \
  HEDDLE_DEVICE T atomicCAS_system(T* address, T expected, T value) {                       \
    return heddle_device::classic_atomic(address, value, expected,                          \
                                         heddle_device::atomic_operation::compare_exchange, \
                                         heddle_device::scope::system);                     \
  }

HEDDLE_ATOMIC(atomicAdd, int, add)
HEDDLE_ATOMIC(atomicAdd, unsigned, add)
HEDDLE_ATOMIC(atomicAdd, unsigned long long, add)
HEDDLE_ATOMIC(atomicAdd, float, add)
HEDDLE_ATOMIC(atomicAdd, double, add)
HEDDLE_ATOMIC(atomicAdd, __half, add)
HEDDLE_ATOMIC(atomicSub, int, subtract)
HEDDLE_ATOMIC(atomicSub, unsigned, subtract)
HEDDLE_ATOMIC(atomicExch, int, exchange)
HEDDLE_ATOMIC(atomicExch, unsigned, exchange)
HEDDLE_ATOMIC(atomicExch, unsigned long long, exchange)
HEDDLE_ATOMIC(atomicExch, float, exchange)
HEDDLE_ATOMIC(atomicMin, int, minimum)
HEDDLE_ATOMIC(atomicMin, unsigned, minimum)
HEDDLE_ATOMIC(atomicMin, long long, minimum)
HEDDLE_ATOMIC(atomicMin, unsigned long long, minimum)
HEDDLE_ATOMIC(atomicMax, int, maximum)
HEDDLE_ATOMIC(atomicMax, unsigned, maximum)
HEDDLE_ATOMIC(atomicMax, long long, maximum)
HEDDLE_ATOMIC(atomicMax, unsigned long long, maximum)
HEDDLE_ATOMIC(atomicAnd, int, bit_and)
HEDDLE_ATOMIC(atomicAnd, unsigned, bit_and)
HEDDLE_ATOMIC(atomicAnd, long long, bit_and)
HEDDLE_ATOMIC(atomicAnd, unsigned long long, bit_and)
HEDDLE_ATOMIC(atomicOr, int, bit_or)
HEDDLE_ATOMIC(atomicOr, unsigned, bit_or)
HEDDLE_ATOMIC(atomicOr, long long, bit_or)
HEDDLE_ATOMIC(atomicOr, unsigned long long, bit_or)
HEDDLE_ATOMIC(atomicXor, int, bit_xor)
HEDDLE_ATOMIC(atomicXor, unsigned, bit_xor)
HEDDLE_ATOMIC(atomicXor, long long, bit_xor)
HEDDLE_ATOMIC(atomicXor, unsigned long long, bit_xor)
HEDDLE_ATOMIC(atomicInc, unsigned, increment)
HEDDLE_ATOMIC(atomicDec, unsigned, decrement)
HEDDLE_ATOMIC_CAS(int)
HEDDLE_ATOMIC_CAS(unsigned)
HEDDLE_ATOMIC_CAS(unsigned long long)
HEDDLE_ATOMIC_CAS(unsigned short)
#undef HEDDLE_ATOMIC
#undef HEDDLE_ATOMIC_CAS

#define HEDDLE_ATOMIC_PAIR(NAME, SCOPE)                                                         \
  HEDDLE_DEVICE __half2 NAME(__half2* address, __half2 value) {                                 \
    return heddle_device::from_bits<__half2>(                                                   \
        heddle_atomic(address, heddle_device::bits_of(value), 0,                                \
                      {heddle_device::atomic_operation::add, heddle_device::scalar::f16,        \
                       heddle_device::scope::SCOPE, heddle_device::order::relaxed, 2, 1}));     \
  }                                                                                             \
  /* Each number is added for itself. */                                                        \
  HEDDLE_DEVICE float2 NAME(float2* address, float2 value) {                                    \
    return {NAME(&address->x, value.x), NAME(&address->y, value.y)};                            \
  }                                                                                             \
  HEDDLE_DEVICE float4 NAME(float4* address, float4 value) {                                    \
    return {NAME(&address->x, value.x), NAME(&address->y, value.y), NAME(&address->z, value.z), \
            NAME(&address->w, value.w)};                                                        \
  }
HEDDLE_ATOMIC_PAIR(atomicAdd, device)
HEDDLE_ATOMIC_PAIR(atomicAdd_block, block)
HEDDLE_ATOMIC_PAIR(atomicAdd_system, system)
#undef HEDDLE_ATOMIC_PAIR

// The compiler's own atomics of CUDA 13, whose orders and scopes are numbers.
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

namespace heddle_device {

constexpr order order_of_number(int number) {
  return number == __NV_ATOMIC_RELAXED                                    ? order::relaxed
         : number == __NV_ATOMIC_ACQUIRE || number == __NV_ATOMIC_CONSUME ? order::acquire
         : number == __NV_ATOMIC_RELEASE                                  ? order::release
                                                                          : order::acquire_release;
}
constexpr scope scope_of_number(int number) {
  return number == __NV_THREAD_SCOPE_THREAD   ? scope::thread
         : number == __NV_THREAD_SCOPE_BLOCK  ? scope::block
         : number == __NV_THREAD_SCOPE_SYSTEM ? scope::system
                                              : scope::device;
}
template <class T>
HEDDLE_DEVICE T builtin_atomic(const T* address, atomic_operation operation, T operand, T expected, int order,
                               int scope) {
  return from_bits<T>(
      heddle_atomic(address, bits_of(operand), bits_of(expected),
                    {operation, scalar_of<T>, scope_of_number(scope), order_of_number(order), 1, 0}));
}

}  // namespace heddle_device

template <class T>
HEDDLE_DEVICE T __nv_atomic_load_n(const T* from, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return heddle_device::builtin_atomic(from, heddle_device::atomic_operation::load, T(), T(), order, scope);
}
template <class T>
HEDDLE_DEVICE void __nv_atomic_load(const T* from, T* value, int order,
                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *value = __nv_atomic_load_n(from, order, scope);
}
template <class T, class V>
HEDDLE_DEVICE void __nv_atomic_store_n(T* to, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  heddle_device::builtin_atomic(to, heddle_device::atomic_operation::store, T(value), T(), order, scope);
}
template <class T>
HEDDLE_DEVICE void __nv_atomic_store(T* to, T* value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(to, *value, order, scope);
}
template <class T, class V>
HEDDLE_DEVICE T __nv_atomic_exchange_n(T* at, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return heddle_device::builtin_atomic(at, heddle_device::atomic_operation::exchange, T(value), T(), order,
                                       scope);
}
template <class T>
HEDDLE_DEVICE void __nv_atomic_exchange(T* at, T* value, T* before, int order,
                                        int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *before = __nv_atomic_exchange_n(at, *value, order, scope);
}
template <class T, class V>
HEDDLE_DEVICE bool __nv_atomic_compare_exchange_n(T* at, T* expected, V value, bool, int order, int,
                                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
  const T before = heddle_device::builtin_atomic(at, heddle_device::atomic_operation::compare_exchange,
                                                 T(value), *expected, order, scope);
  if (heddle_device::bits_of(before) == heddle_device::bits_of(*expected)) return true;
  *expected = before;
  return false;
}
template <class T>
HEDDLE_DEVICE bool __nv_atomic_compare_exchange(T* at, T* expected, T* value, bool weak, int order,
                                                int failed, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(at, expected, *value, weak, order, failed, scope);
}
#define HEDDLE_BUILTIN_ATOMIC(NAME, OPERATION)                                                             \
  template <class T, class V>                                                                              \
  HEDDLE_DEVICE T __nv_atomic_fetch_##NAME(T* at, V value, int order,                                      \
                                           int scope = __NV_THREAD_SCOPE_SYSTEM) {                         \
    return heddle_device::builtin_atomic(at, heddle_device::atomic_operation::OPERATION, T(value), T(),    \
                                         order, scope);                                                    \
  }                                                                                                        \
  template <class T, class V>                                                                              \
  HEDDLE_DEVICE void __nv_atomic_##NAME(T* at, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
    __nv_atomic_fetch_##NAME(at, value, order, scope);                                                     \
  }
HEDDLE_BUILTIN_ATOMIC(add, add)
HEDDLE_BUILTIN_ATOMIC(sub, subtract)
HEDDLE_BUILTIN_ATOMIC(and, bit_and)
HEDDLE_BUILTIN_ATOMIC(or, bit_or)
HEDDLE_BUILTIN_ATOMIC(xor, bit_xor)
HEDDLE_BUILTIN_ATOMIC(min, minimum)
HEDDLE_BUILTIN_ATOMIC(max, maximum)
#undef HEDDLE_BUILTIN_ATOMIC
HEDDLE_DEVICE void __nv_atomic_thread_fence(int, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  heddle_fence(heddle_device::scope_of_number(scope));
}
