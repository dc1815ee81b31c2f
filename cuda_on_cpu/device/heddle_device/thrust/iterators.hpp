#pragma once

/// Of Thrust: tuples and iterators.

#include "memory.hpp"

#include <tuple>

namespace thrust {

using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

namespace heddle {

/// The address of what a device_ptr points to, or whatever else an iterator reads by: what threads use.
template <class It>
const It& unwrapped(const It& it) {
  return it;
}
template <class T>
T* unwrapped(const device_ptr<T>& p) {
  return p.get();
}

template <class It, class = void>
struct system_of {
  using type = host_system_tag;
};
template <class It>
struct system_of<It, std::void_t<typename It::iterator_system>> {
  using type = typename It::iterator_system;
};
template <class It>
using system_tag = typename system_of<std::decay_t<It>>::type;
/// Of the device where one of them is.
template <class... It>
inline constexpr bool any_on_device = (std::is_same_v<system_tag<It>, device_system_tag> || ...);
template <class... It>
using joint_system =
    std::conditional_t<any_on_device<It...>, device_system_tag,
                       std::conditional_t<(std::is_same_v<system_tag<It>, host_system_tag> || ...),
                                          host_system_tag, any_system_tag>>;

template <class It>
using difference = std::ptrdiff_t;
template <class It>
using value = typename std::iterator_traits<It>::value_type;

/// What every random access iterator has, of what it refers to at an offset: Self has at(n) and a member
/// offset_.
template <class Self>
struct arithmetic {
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }
  decltype(auto) operator*() const { return self().heddle_at(0); }
  decltype(auto) operator[](std::ptrdiff_t n) const { return self().heddle_at(n); }
  Self& operator+=(std::ptrdiff_t n) { return self().heddle_advance(n), self(); }
  Self& operator-=(std::ptrdiff_t n) { return self() += -n; }
  Self& operator++() { return self() += 1; }
  Self& operator--() { return self() += -1; }
  Self operator++(int) {
    Self before = self();
    ++*this;
    return before;
  }
  Self operator--(int) {
    Self before = self();
    --*this;
    return before;
  }
  friend Self operator+(Self it, std::ptrdiff_t n) { return it += n; }
  friend Self operator+(std::ptrdiff_t n, Self it) { return it += n; }
  friend Self operator-(Self it, std::ptrdiff_t n) { return it += -n; }
  friend std::ptrdiff_t operator-(const Self& a, const Self& b) { return a.heddle_distance_from(b); }
  friend bool operator==(const Self& a, const Self& b) { return a - b == 0; }
  friend bool operator!=(const Self& a, const Self& b) { return a - b != 0; }
  friend bool operator<(const Self& a, const Self& b) { return a - b < 0; }
  friend bool operator>(const Self& a, const Self& b) { return a - b > 0; }
  friend bool operator<=(const Self& a, const Self& b) { return a - b <= 0; }
  friend bool operator>=(const Self& a, const Self& b) { return a - b >= 0; }
};

}  // namespace heddle

template <class T, class System = any_system_tag, class... Rest>
class counting_iterator : public heddle::arithmetic<counting_iterator<T, System, Rest...>> {
 public:
  using value_type = T;
  using reference = T;
  using iterator_system = any_system_tag;
  counting_iterator() = default;
  explicit counting_iterator(T first) : first_(first) {}
  T heddle_at(std::ptrdiff_t n) const { return static_cast<T>(first_ + static_cast<T>(n)); }
  void heddle_advance(std::ptrdiff_t n) { first_ = heddle_at(n); }
  std::ptrdiff_t heddle_distance_from(const counting_iterator& other) const {
    return static_cast<std::ptrdiff_t>(first_) - static_cast<std::ptrdiff_t>(other.first_);
  }

 private:
  T first_{};
};
template <class T>
counting_iterator<T> make_counting_iterator(T first) {
  return counting_iterator<T>(first);
}

template <class T, class... Rest>
class constant_iterator : public heddle::arithmetic<constant_iterator<T, Rest...>> {
 public:
  using value_type = T;
  using reference = T;
  using iterator_system = any_system_tag;
  constant_iterator() = default;
  explicit constant_iterator(T of, std::ptrdiff_t at = 0) : of_(of), at_(at) {}
  T heddle_at(std::ptrdiff_t) const { return of_; }
  void heddle_advance(std::ptrdiff_t n) { at_ += n; }
  std::ptrdiff_t heddle_distance_from(const constant_iterator& other) const { return at_ - other.at_; }

 private:
  T of_{};
  std::ptrdiff_t at_ = 0;
};
template <class T>
constant_iterator<T> make_constant_iterator(T of, std::ptrdiff_t at = 0) {
  return constant_iterator<T>(of, at);
}

/// What is written to it is lost.
class discard_iterator : public heddle::arithmetic<discard_iterator> {
 public:
  struct nowhere {
    template <class T>
    const nowhere& operator=(const T&) const {
      return *this;
    }
  };
  using value_type = nowhere;
  using reference = nowhere;
  using iterator_system = any_system_tag;
  explicit discard_iterator(std::ptrdiff_t at = 0) : at_(at) {}
  nowhere heddle_at(std::ptrdiff_t) const { return {}; }
  void heddle_advance(std::ptrdiff_t n) { at_ += n; }
  std::ptrdiff_t heddle_distance_from(const discard_iterator& other) const { return at_ - other.at_; }

 private:
  std::ptrdiff_t at_;
};
inline discard_iterator make_discard_iterator(std::ptrdiff_t at = 0) {
  return discard_iterator(at);
}

template <class F, class It, class Reference = void, class Value = void>
class transform_iterator : public heddle::arithmetic<transform_iterator<F, It, Reference, Value>> {
 public:
  using reference = std::conditional_t<
      std::is_void_v<Reference>,
      decltype(std::declval<F&>()(std::declval<typename std::iterator_traits<It>::value_type>())), Reference>;
  using value_type = std::conditional_t<std::is_void_v<Value>, std::decay_t<reference>, Value>;
  using iterator_system = heddle::system_tag<It>;
  transform_iterator() = default;
  explicit transform_iterator(It of, F f = F()) : of_(of), f_(f) {}
  reference heddle_at(std::ptrdiff_t n) const {
    return const_cast<F&>(f_)(static_cast<typename std::iterator_traits<It>::reference>(of_[n]));
  }
  void heddle_advance(std::ptrdiff_t n) { of_ += n; }
  std::ptrdiff_t heddle_distance_from(const transform_iterator& other) const { return of_ - other.of_; }
  const It& base() const { return of_; }
  const F& functor() const { return f_; }

 private:
  It of_;
  F f_;
};
template <class F, class It>
transform_iterator<F, It> make_transform_iterator(It of, F f) {
  return transform_iterator<F, It>(of, f);
}

/// What is written to it goes through a function.
template <class F, class It>
class transform_output_iterator : public heddle::arithmetic<transform_output_iterator<F, It>> {
 public:
  struct element {
    It to;
    F f;
    template <class T>
    const element& operator=(const T& what) const {
      *to = const_cast<F&>(f)(what);
      return *this;
    }
  };
  using value_type = element;
  using reference = element;
  using iterator_system = heddle::system_tag<It>;
  transform_output_iterator(It to, F f) : to_(to), f_(f) {}
  element heddle_at(std::ptrdiff_t n) const { return {to_ + n, f_}; }
  void heddle_advance(std::ptrdiff_t n) { to_ += n; }
  std::ptrdiff_t heddle_distance_from(const transform_output_iterator& other) const {
    return to_ - other.to_;
  }
  const It& base() const { return to_; }
  const F& functor() const { return f_; }

 private:
  It to_;
  F f_;
};
template <class F, class It>
transform_output_iterator<F, It> make_transform_output_iterator(It to, F f) {
  return {to, f};
}

template <class Of, class At>
class permutation_iterator : public heddle::arithmetic<permutation_iterator<Of, At>> {
 public:
  using value_type = typename std::iterator_traits<Of>::value_type;
  using reference = typename std::iterator_traits<Of>::reference;
  using iterator_system = heddle::joint_system<Of, At>;
  permutation_iterator() = default;
  permutation_iterator(Of of, At at) : of_(of), at_(at) {}
  reference heddle_at(std::ptrdiff_t n) const {
    return of_[static_cast<std::ptrdiff_t>(
        static_cast<typename std::iterator_traits<At>::value_type>(at_[n]))];
  }
  void heddle_advance(std::ptrdiff_t n) { at_ += n; }
  std::ptrdiff_t heddle_distance_from(const permutation_iterator& other) const { return at_ - other.at_; }
  const Of& heddle_of() const { return of_; }
  const At& base() const { return at_; }

 private:
  Of of_;
  At at_;
};
template <class Of, class At>
permutation_iterator<Of, At> make_permutation_iterator(Of of, At at) {
  return {of, at};
}

template <class It>
class reverse_iterator : public heddle::arithmetic<reverse_iterator<It>> {
 public:
  using value_type = typename std::iterator_traits<It>::value_type;
  using reference = typename std::iterator_traits<It>::reference;
  using iterator_system = heddle::system_tag<It>;
  reverse_iterator() = default;
  explicit reverse_iterator(It end) : end_(end) {}
  reference heddle_at(std::ptrdiff_t n) const { return end_[-1 - n]; }
  void heddle_advance(std::ptrdiff_t n) { end_ -= n; }
  std::ptrdiff_t heddle_distance_from(const reverse_iterator& other) const { return other.end_ - end_; }
  const It& base() const { return end_; }

 private:
  It end_;
};
template <class It>
reverse_iterator<It> make_reverse_iterator(It end) {
  return reverse_iterator<It>(end);
}

template <class Tuple>
class zip_iterator;
template <class... It>
class zip_iterator<std::tuple<It...>> : public heddle::arithmetic<zip_iterator<std::tuple<It...>>> {
 public:
  using value_type = std::tuple<typename std::iterator_traits<It>::value_type...>;
  using reference = std::tuple<typename std::iterator_traits<It>::reference...>;
  using iterator_system = heddle::joint_system<It...>;
  using iterator_tuple = std::tuple<It...>;
  zip_iterator() = default;
  explicit zip_iterator(const std::tuple<It...>& all) : all_(all) {}
  template <class... Other>
  zip_iterator(const zip_iterator<std::tuple<Other...>>& other) : all_(other.get_iterator_tuple()) {}
  reference heddle_at(std::ptrdiff_t n) const {
    return std::apply([n](const It&... it) { return reference(it[n]...); }, all_);
  }
  void heddle_advance(std::ptrdiff_t n) {
    std::apply([n](It&... it) { ((it += n), ...); }, all_);
  }
  std::ptrdiff_t heddle_distance_from(const zip_iterator& other) const {
    return std::get<0>(all_) - std::get<0>(other.all_);
  }
  const std::tuple<It...>& get_iterator_tuple() const { return all_; }

 private:
  std::tuple<It...> all_;
};
template <class... It>
zip_iterator<std::tuple<It...>> make_zip_iterator(const std::tuple<It...>& all) {
  return zip_iterator<std::tuple<It...>>(all);
}
template <class... It>
zip_iterator<std::tuple<It...>> make_zip_iterator(It... all) {
  return zip_iterator<std::tuple<It...>>(std::make_tuple(all...));
}

namespace heddle {

template <class F, class It, class R, class V>
auto unwrapped(const transform_iterator<F, It, R, V>& it);
template <class F, class It>
auto unwrapped(const transform_output_iterator<F, It>& it);
template <class Of, class At>
auto unwrapped(const permutation_iterator<Of, At>& it);
template <class It>
auto unwrapped(const reverse_iterator<It>& it);
template <class It>
auto unwrapped(const std::reverse_iterator<It>& it);
template <class... It>
auto unwrapped(const zip_iterator<std::tuple<It...>>& it);

template <class F, class It, class R, class V>
auto unwrapped(const transform_iterator<F, It, R, V>& it) {
  auto of = unwrapped(it.base());
  return transform_iterator<F, decltype(of), R, V>(of, it.functor());
}
template <class F, class It>
auto unwrapped(const transform_output_iterator<F, It>& it) {
  auto to = unwrapped(it.base());
  return transform_output_iterator<F, decltype(to)>(to, it.functor());
}
template <class Of, class At>
auto unwrapped(const permutation_iterator<Of, At>& it) {
  return make_permutation_iterator(unwrapped(it.heddle_of()), unwrapped(it.base()));
}
template <class It>
auto unwrapped(const reverse_iterator<It>& it) {
  auto end = unwrapped(it.base());
  return reverse_iterator<decltype(end)>(end);
}
template <class It>
auto unwrapped(const std::reverse_iterator<It>& it) {
  auto end = unwrapped(it.base());
  return reverse_iterator<decltype(end)>(end);
}
template <class... It>
auto unwrapped(const zip_iterator<std::tuple<It...>>& it) {
  return std::apply([](const It&... of) { return make_zip_iterator(std::make_tuple(unwrapped(of)...)); },
                    it.get_iterator_tuple());
}
template <class It>
struct system_of<std::reverse_iterator<It>> {
  using type = system_tag<It>;
};

}  // namespace heddle

template <class It>
struct iterator_traits : std::iterator_traits<It> {};
template <class It>
struct iterator_value {
  using type = typename std::iterator_traits<It>::value_type;
};
template <class It>
using iterator_value_t = typename iterator_value<It>::type;
template <class It>
struct iterator_reference {
  using type = typename std::iterator_traits<It>::reference;
};
template <class It>
struct iterator_difference {
  using type = std::ptrdiff_t;
};
template <class It>
struct iterator_system {
  using type = heddle::system_tag<It>;
};
template <class It>
std::ptrdiff_t distance(It first, It last) {
  return last - first;
}
template <class It, class N>
void advance(It& it, N n) {
  it += n;
}
template <class It>
It next(It it, std::ptrdiff_t n = 1) {
  return it + n;
}
template <class It>
It prev(It it, std::ptrdiff_t n = 1) {
  return it - n;
}

}  // namespace thrust
