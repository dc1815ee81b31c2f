#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/patterns/textbook/front.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>

namespace heddle::cpu::textbook {

/// One result that all threads combine into. One that fits a word is updated by compare-and-swap.
template <class T>
class shared_result {
 public:
  void put(const T& value) {
    heddle::textbook::traffic<T>::written();
    word_.store(packed(value), std::memory_order_relaxed);
  }
  template <class Op>
  void combine(const T& value, const Op& op) {
    heddle::textbook::traffic<T>::read();
    heddle::textbook::traffic<T>::written();
    word seen = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(seen, packed(op(unpacked(seen), value)), std::memory_order_relaxed)) {
    }
  }
  T get() const { return unpacked(word_.load(std::memory_order_relaxed)); }

 private:
  using word = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

  static word packed(const T& value) {
    word bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  static T unpacked(word bits) {
    order::uninitialized<T, 1> value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value[0];
  }

  std::atomic<word> word_;
};

/// One that does not fit a word has a lock.
template <class T>
  requires(sizeof(T) > 8)
class shared_result<T> {
 public:
  void put(const T& value) {
    heddle::textbook::traffic<T>::written();
    value_[0] = value;
  }
  template <class Op>
  void combine(const T& value, const Op& op) {
    heddle::textbook::traffic<T>::read();
    heddle::textbook::traffic<T>::written();
    const std::lock_guard lock(mutex_);  // released when the operator throws, too
    value_[0] = op(value_[0], value);
  }
  T get() const { return value_[0]; }

 private:
  std::mutex mutex_;
  order::uninitialized<T, 1> value_;
};

}  // namespace heddle::cpu::textbook
