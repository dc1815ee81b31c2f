#pragma once

#include <heddle/array_like.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace heddle::impl {

/// The elements of an array_like in C order, without their shape, which costs more to make.
template <class T>
struct elements {
  T* data;
  std::size_t size;
  target where;
};

template <array_like X>
elements<const element_of<X>> input(const X& x) {
  if constexpr (requires { x.where(); }) {
    return {x.data(), x.size(), x.where()};
  } else {
    return {std::data(x), std::size(x), target()};
  }
}
template <array_like X>
auto output(X& x) {
  using Given = std::remove_pointer_t<decltype(std::data(x))>;
  static_assert(!std::is_const_v<Given>, "the output of a pattern must not be const");
  using T = std::remove_const_t<Given>;
  T* const data = const_cast<T*>(std::data(x));  // so that the line above is the only error
  if constexpr (requires { x.where(); }) {
    return elements<T>{data, x.size(), x.where()};
  } else {
    return elements<T>{data, std::size(x), target()};
  }
}
template <array_like X>
shape shape_of(const X& x) {
  if constexpr (requires { x.shape(); }) {
    return x.shape();
  } else {
    return shape{std::size(x)};
  }
}

[[noreturn]] void fail_overlap();

/// Throws when `out` shares some of its elements with x but does not begin with them: a pattern that works in
/// place reads each element before it writes it, and no other.
template <class T, class U>
void check_in_place(const elements<const T>& x, const elements<U>& out) {
  if (!same_memory(x.where, out.where)) return;
  const auto* const from = reinterpret_cast<const std::byte*>(x.data);
  const auto* const to = reinterpret_cast<const std::byte*>(out.data);
  const bool apart = from + x.size * sizeof(T) <= to || to + out.size * sizeof(U) <= from;
  if (!apart && !(from == to && sizeof(T) == sizeof(U))) fail_overlap();
}

/// Input elements where code on `where` can read them: as they are, or a copy that lives as long as this.
template <class T>
class staged_input {
 public:
  staged_input(const elements<const T>& x, const target& where)
      : data_(x.data), from_(x.where), where_(where) {
    if (same_memory(x.where, where)) {
      order(x.where, where);
    } else {
      copy_ = memory(x.size * sizeof(T), where);
      copy(copy_.data(), where, x.data, x.where, x.size * sizeof(T));
      data_ = static_cast<const T*>(copy_.data());
      from_ = where;
    }
  }
  /// The owner may free the elements on its own stream, which has to wait until they have been read.
  ~staged_input() { order_or_wait(where_, from_); }
  staged_input(const staged_input&) = delete;
  staged_input& operator=(const staged_input&) = delete;

  const T* data() const noexcept { return data_; }

 private:
  const T* data_;
  target from_, where_;
  memory copy_;
};

/// Output elements where code on `where` can write them; `deliver` copies them to the output where that is
/// elsewhere.
template <class T>
class staged_output {
 public:
  staged_output(const elements<T>& out, const target& where) : out_(out), where_(where), data_(out.data) {
    if (same_memory(out.where, where)) {
      order(out.where, where);
    } else {
      copy_ = memory(out.size * sizeof(T), where);
      data_ = static_cast<T*>(copy_.data());
    }
  }
  T* data() const noexcept { return data_; }
  void deliver() {
    if (copy_.data() != nullptr) {
      copy(out_.data, out_.where, data_, where_, out_.size * sizeof(T));
    } else {
      order(where_, out_.where);
    }
  }

 private:
  elements<T> out_;
  target where_;
  T* data_;
  memory copy_;
};

}  // namespace heddle::impl
