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

template <class T>
HEDDLE_DEVICE T classic_atomic(T* address, T operand, T expected, atomic_operation operation, scope where) {
  return from_bits<T>(heddle_atomic(address, bits_of(operand), bits_of(expected),
                                    {operation, scalar_of<T>, where, order::relaxed, 1, 1}));
}

}  // namespace heddle_device

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
HEDDLE_ATOMIC(atomicAnd, unsigned long long, bit_and)
HEDDLE_ATOMIC(atomicOr, int, bit_or)
HEDDLE_ATOMIC(atomicOr, unsigned, bit_or)
HEDDLE_ATOMIC(atomicOr, unsigned long long, bit_or)
HEDDLE_ATOMIC(atomicXor, int, bit_xor)
HEDDLE_ATOMIC(atomicXor, unsigned, bit_xor)
HEDDLE_ATOMIC(atomicXor, unsigned long long, bit_xor)
HEDDLE_ATOMIC(atomicInc, unsigned, increment)
HEDDLE_ATOMIC(atomicDec, unsigned, decrement)
HEDDLE_ATOMIC_CAS(int)
HEDDLE_ATOMIC_CAS(unsigned)
HEDDLE_ATOMIC_CAS(unsigned long long)
HEDDLE_ATOMIC_CAS(unsigned short)
#undef HEDDLE_ATOMIC
#undef HEDDLE_ATOMIC_CAS

HEDDLE_DEVICE __half2 atomicAdd(__half2* address, __half2 value) {
  return heddle_device::from_bits<__half2>(
      heddle_atomic(address, heddle_device::bits_of(value), 0,
                    {heddle_device::atomic_operation::add, heddle_device::scalar::f16,
                     heddle_device::scope::device, heddle_device::order::relaxed, 2, 1}));
}
