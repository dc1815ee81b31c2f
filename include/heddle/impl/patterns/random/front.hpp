#pragma once

#include <heddle/array.hpp>
#include <heddle/distributions.hpp>
#include <heddle/random_stream.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::impl {

/// The numbers that fill an array: uniform ones from `a` up to and without `b`, normal ones of mean `a` and
/// standard deviation `b`, exponential ones of mean `a`, integers from `low` on.
struct random_numbers {
  random::distribution of;
  dtype type;
  random::stream from;
  double a = 0, b = 0;
  std::uint64_t low = 0;
  random::integer_range below{1};
};

/// The numbers asked for, after checks; throws heddle::error for invalid bounds.
random_numbers uniform_numbers(dtype type, random::stream from, double low, double high);
random_numbers normal_numbers(dtype type, random::stream from, double mean, double deviation);
random_numbers exponential_numbers(dtype type, random::stream from, double mean);
random_numbers bits_numbers(dtype type, random::stream from);
/// Integers `low` ≤ x ≤ `last`, in 64 bits with the sign of the type.
random_numbers integer_numbers(dtype type, random::stream from, std::uint64_t low, std::uint64_t last);
/// Bounds in 64 bits with the sign of the type.
[[noreturn]] void fail_no_integers(std::uint64_t low, std::uint64_t high, bool is_signed);

/// Fills `count` elements on `where`.
void library_random(const random_numbers& numbers, std::size_t count, void* out, const target& where);

/// Fills `indices` with a permutation of 0 … n − 1.
void library_permutation(random::stream from, std::size_t n, std::size_t* indices, const target& where);

/// A new array of random numbers.
template <class T>
array<T> random_array(const target& requested, heddle::shape lengths, const random_numbers& numbers) {
  const std::size_t size = lengths.elements();
  operation running("random", size, type_name<T>());
  const target where = resolve(requested, {0, size * sizeof(T), target(), true});
  running.runs_on(where);
  array<T> out(std::move(lengths), where);
  library_random(numbers, size, out.data(), where);
  return out;
}

template <class T>
void random_into(const target& requested, const elements<T>& out, const random_numbers& numbers) {
  operation running("random", out.size, type_name<T>());
  const target where = resolve(requested, {0, out.size * sizeof(T), out.where, true});
  running.runs_on(where);
  staged_output<T> staged(out, where);
  library_random(numbers, out.size, staged.data(), where);
  staged.deliver();
}

template <class T>
concept real_number = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <std::integral T>
random_numbers integers_below(random::stream from, T low, T high) {
  if (!(low < high)) {
    fail_no_integers(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high), std::is_signed_v<T>);
  }
  return integer_numbers(dtype_of<T>, from, static_cast<std::uint64_t>(low),
                         static_cast<std::uint64_t>(high) - 1);
}
template <std::integral T>
random_numbers all_integers(random::stream from) {
  return integer_numbers(dtype_of<T>, from, static_cast<std::uint64_t>(std::numeric_limits<T>::min()),
                         static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
}

}  // namespace heddle::impl
