#pragma once

/// Of Thrust: how algorithms run. On the device, what treats elements apart has a thread for each of them, so
/// that races of the functions that it is given are seen; the others have one thread.

#include "functional.hpp"

#include <algorithm>

namespace thrust::heddle {

template <class... It>
place place_of(const It&...) {
  return {any_on_device<It...>, nullptr, true};
}

inline void finish(const place& where, cudaError_t error, const char* what) {
  check(error, what);
  if (where.waits) check(cudaStreamSynchronize(where.stream), what);
}

/// f() in one thread.
template <class F>
void run_once(const place& where, const char* what, F f) {
  if (!where.on_device || heddle_device::in_kernel()) {
    f();
    return;
  }
  finish(where, heddle_device::run_library(what, 1, 1, where.stream, f), what);
}

/// f(i) for i below n.
template <class F>
void run_each(const place& where, const char* what, std::ptrdiff_t n, F f) {
  if (n <= 0) return;
  if (!where.on_device || heddle_device::in_kernel()) {
    for (std::ptrdiff_t i = 0; i < n; ++i) f(i);
    return;
  }
  const auto each = [f](size_t i) { const_cast<F&>(f)(static_cast<std::ptrdiff_t>(i)); };
  finish(where, heddle_device::run_library_for_each(what, static_cast<size_t>(n), where.stream, each), what);
}

/// What f() returns, in one thread.
template <class F>
auto answer(const place& where, const char* what, F f) {
  using result = std::decay_t<decltype(f())>;
  if (!where.on_device || heddle_device::in_kernel()) return result(f());
  const heddle_device::library_memory<result> on_device(1);
  result* const to = on_device.data();
  run_once(where, what, [f, to] { *to = const_cast<F&>(f)(); });
  alignas(result) char bytes[sizeof(result)];
  check(cudaMemcpy(bytes, to, sizeof bytes, cudaMemcpyDeviceToHost), what);
  return *reinterpret_cast<result*>(bytes);
}

/// Elements that an algorithm keeps for a while, where it runs; in a kernel there are none.
template <class T>
class scratch {
 public:
  scratch(const place& where, std::ptrdiff_t n)
      : on_device_(where.on_device ? static_cast<size_t>(n) : 0), on_host_(where.on_device ? 0 : n) {}
  T* data() { return on_device_.data() != nullptr ? on_device_.data() : on_host_.data(); }

 private:
  heddle_device::library_memory<T> on_device_;
  std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> on_host_;
};
template <>
inline bool* scratch<bool>::data() {
  return on_device_.data() != nullptr ? on_device_.data() : reinterpret_cast<bool*>(on_host_.data());
}

template <class It>
inline constexpr bool is_pointer = std::is_pointer_v<std::decay_t<decltype(unwrapped(std::declval<It>()))>>;

/// Elements of the host, one after another, to wherever `to` is of the device.
template <class T, class Out>
void bring(const T* from, std::ptrdiff_t n, Out to) {
  auto out = unwrapped(to);
  if constexpr (std::is_same_v<decltype(out), T*> && std::is_trivially_copyable_v<T>) {
    check(cudaMemcpy(out, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyHostToDevice), "copy");
  } else {
    const heddle_device::library_memory<T> on_device(static_cast<size_t>(n));
    T* const own = on_device.data();
    check(cudaMemcpy(own, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyHostToDevice), "copy");
    run_each({true, nullptr, true}, "thrust::copy", n, [out, own](std::ptrdiff_t i) { out[i] = own[i]; });
  }
}
/// And back.
template <class T, class In>
void take(In first, std::ptrdiff_t n, T* to) {
  auto in = unwrapped(first);
  if constexpr (is_pointer<In> &&
                std::is_same_v<std::remove_const_t<std::remove_pointer_t<decltype(in)>>, T>) {
    check(cudaMemcpy(to, in, static_cast<size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost), "copy");
  } else {
    const heddle_device::library_memory<T> on_device(static_cast<size_t>(n));
    T* const own = on_device.data();
    run_each({true, nullptr, true}, "thrust::copy", n,
             [in, own](std::ptrdiff_t i) { own[i] = static_cast<T>(in[i]); });
    check(cudaMemcpy(to, own, static_cast<size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost), "copy");
  }
}

/// Sorts without keeping equal ones in their order, in place: for threads, which have no memory to spare.
template <class It, class Less, class Swap>
void heap_sort(It first, std::ptrdiff_t n, Less less, Swap swap_at) {
  const auto sift = [&](std::ptrdiff_t root, std::ptrdiff_t end) {
    for (std::ptrdiff_t child = 2 * root + 1; child < end; root = child, child = 2 * root + 1) {
      if (child + 1 < end && less(first[child], first[child + 1])) ++child;
      if (!less(first[root], first[child])) return;
      swap_at(root, child);
    }
  };
  for (std::ptrdiff_t root = n / 2; root-- > 0;) sift(root, n);
  for (std::ptrdiff_t end = n; end-- > 1;) {
    swap_at(0, end);
    sift(0, end);
  }
}

/// Merges runs of growing lengths: keys, and what `move_from_to` moves along with them.
template <class Key, class Less, class MoveOut, class MoveBack>
void merge_sort(Key* keys, std::ptrdiff_t n, Less less, MoveOut move_out, MoveBack move_back) {
  for (std::ptrdiff_t run = 1; run < n; run *= 2) {
    for (std::ptrdiff_t begin = 0; begin < n; begin += 2 * run) {
      const std::ptrdiff_t middle = std::min(begin + run, n), end = std::min(begin + 2 * run, n);
      // What is in order already stays.
      if (middle >= end || !less(keys[middle], keys[middle - 1])) continue;
      std::ptrdiff_t a = begin, b = middle;
      for (std::ptrdiff_t to = begin; to < end; ++to) {
        const bool takes_second = a == middle || (b < end && less(keys[b], keys[a]));
        move_out(takes_second ? b++ : a++, to);
      }
      for (std::ptrdiff_t i = begin; i < end; ++i) move_back(i);
    }
  }
}

}  // namespace thrust::heddle
