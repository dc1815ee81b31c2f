#pragma once

/// Of Thrust: policies, pointers into memory of the device, and vectors.

#include "errors.hpp"

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace thrust {

namespace heddle {

/// Where an algorithm runs.
struct place {
  bool on_device;
  cudaStream_t stream;
  bool waits;
  bool is_given = false;  // by a policy: pointers are into its memory
};

template <bool OnDevice>
struct policy {
  cudaStream_t stream = nullptr;
  bool waits = true;
  policy on(cudaStream_t s) const { return {s, waits}; }
  template <class Allocator>
  policy operator()(Allocator&&) const {
    return *this;
  }
  operator place() const { return {OnDevice, stream, waits, true}; }
};
template <class T>
struct is_policy : std::false_type {};
template <bool OnDevice>
struct is_policy<policy<OnDevice>> : std::true_type {};
template <class T>
using if_policy = std::enable_if_t<is_policy<std::decay_t<T>>::value, int>;
template <class T>
using unless_policy = std::enable_if_t<!is_policy<std::decay_t<T>>::value, int>;

}  // namespace heddle

struct host_system_tag {};
struct device_system_tag {};
struct any_system_tag {};
inline constexpr heddle::policy<true> device{};
inline constexpr heddle::policy<false> host{}, seq{};
namespace cuda {
inline constexpr heddle::policy<true> par{};
inline constexpr heddle::policy<true> par_nosync{nullptr, false};
using tag = device_system_tag;
}  // namespace cuda
namespace system::cuda {
using thrust::cuda::par;
using thrust::cuda::par_nosync;
}  // namespace system::cuda
namespace cuda_cub {
using thrust::cuda::par;
using thrust::cuda::par_nosync;
}  // namespace cuda_cub

template <class T>
class device_ptr;

/// What a device_ptr points to. The host reads and writes it by copies.
template <class T>
class device_reference {
 public:
  using value_type = std::remove_cv_t<T>;
  using pointer = device_ptr<T>;
  explicit device_reference(T* at) : at_(at) {}
  device_reference(const device_reference&) = default;
  operator value_type() const {
    if (heddle_device::in_kernel()) return *at_;
    value_type result{};
    heddle::check(cudaMemcpy(&result, at_, sizeof result, cudaMemcpyDeviceToHost), "reading an element");
    return result;
  }
  const device_reference& operator=(const value_type& value) const {
    if (heddle_device::in_kernel()) {
      *at_ = value;
    } else {
      heddle::check(cudaMemcpy(at_, &value, sizeof value, cudaMemcpyHostToDevice), "writing an element");
    }
    return *this;
  }
  const device_reference& operator=(const device_reference& other) const {
    return *this = static_cast<value_type>(other);
  }
  device_ptr<T> operator&() const { return device_ptr<T>(at_); }
#define HEDDLE_ASSIGN(OPERATOR)                                                            \
  const device_reference& operator OPERATOR## = (const value_type& value) const {          \
    return *this = static_cast<value_type>(static_cast<value_type>(*this) OPERATOR value); \
  }
  HEDDLE_ASSIGN(+)
  HEDDLE_ASSIGN(-)
  HEDDLE_ASSIGN(*)
  HEDDLE_ASSIGN(/)
  HEDDLE_ASSIGN(%)
  HEDDLE_ASSIGN(&)
  HEDDLE_ASSIGN(|)
  HEDDLE_ASSIGN(^)
#undef HEDDLE_ASSIGN
  const device_reference& operator++() const { return *this += value_type(1); }
  const device_reference& operator--() const { return *this -= value_type(1); }
  T* heddle_address() const { return at_; }

 private:
  T* at_;
};
using std::swap;  // of any other type, as programs call it after 'using namespace thrust'
template <class T>
void swap(device_reference<T> a, device_reference<T> b) {
  const auto before = static_cast<typename device_reference<T>::value_type>(a);
  a = b;
  b = before;
}

template <class T>
class device_ptr {
 public:
  using value_type = std::remove_cv_t<T>;
  using element_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = device_reference<T>;
  using pointer = device_ptr;
  using iterator_category = std::random_access_iterator_tag;
  using iterator_system = device_system_tag;
  constexpr device_ptr() = default;
  constexpr device_ptr(std::nullptr_t) {}
  template <class U>
  explicit constexpr device_ptr(U* at) : at_(at) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  constexpr device_ptr(const device_ptr<U>& other) : at_(other.get()) {}
  constexpr T* get() const { return at_; }
  reference operator*() const { return reference(at_); }
  reference operator[](std::ptrdiff_t i) const { return reference(at_ + i); }
  T* operator->() const { return at_; }
  device_ptr& operator+=(std::ptrdiff_t n) { return at_ += n, *this; }
  device_ptr& operator-=(std::ptrdiff_t n) { return at_ -= n, *this; }
  device_ptr& operator++() { return ++at_, *this; }
  device_ptr& operator--() { return --at_, *this; }
  device_ptr operator++(int) { return device_ptr(at_++); }
  device_ptr operator--(int) { return device_ptr(at_--); }
  device_ptr operator+(std::ptrdiff_t n) const { return device_ptr(at_ + n); }
  device_ptr operator-(std::ptrdiff_t n) const { return device_ptr(at_ - n); }
  friend device_ptr operator+(std::ptrdiff_t n, device_ptr p) { return p + n; }
  template <class U>
  std::ptrdiff_t operator-(const device_ptr<U>& other) const {
    return at_ - other.get();
  }
  explicit operator bool() const { return at_ != nullptr; }
#define HEDDLE_COMPARE(OPERATOR)                             \
  template <class U>                                         \
  bool operator OPERATOR(const device_ptr<U>& other) const { \
    return at_ OPERATOR other.get();                         \
  }
  HEDDLE_COMPARE(==)
  HEDDLE_COMPARE(!=)
  HEDDLE_COMPARE(<)
  HEDDLE_COMPARE(>)
  HEDDLE_COMPARE(<=)
  HEDDLE_COMPARE(>=)
#undef HEDDLE_COMPARE
  bool operator==(std::nullptr_t) const { return at_ == nullptr; }
  bool operator!=(std::nullptr_t) const { return at_ != nullptr; }

 private:
  T* at_ = nullptr;
};
template <>
class device_ptr<void> {
 public:
  device_ptr() = default;
  template <class U>
  explicit device_ptr(U* at) : at_(at) {}
  void* get() const { return at_; }

 private:
  void* at_ = nullptr;
};
/// Nothing is known of an element until it is written.
template <class T>
struct device_allocator {
  using value_type = T;
};
template <class T>
using device_malloc_allocator = device_allocator<T>;

template <class T>
T* raw_pointer_cast(device_ptr<T> p) {
  return p.get();
}
template <class T>
T* raw_pointer_cast(T* p) {
  return p;
}
template <class T>
T& raw_reference_cast(device_reference<T> r) {
  return *r.heddle_address();
}
template <class T>
T& raw_reference_cast(T& r) {
  return r;
}
template <class T>
device_ptr<T> device_pointer_cast(T* p) {
  return device_ptr<T>(p);
}
template <class T>
device_ptr<T> device_pointer_cast(const device_ptr<T>& p) {
  return p;
}
template <class T>
device_ptr<T> device_malloc(size_t n) {
  T* made = nullptr;
  heddle::check(heddle_device::allocate(heddle_device::memory_kind::device, &made, n * sizeof(T),
                                        heddle_device::named<T>("device_malloc")),
                "device_malloc");
  return device_ptr<T>(made);
}
inline device_ptr<void> device_malloc(size_t bytes) {
  return device_ptr<void>(device_malloc<unsigned char>(bytes).get());
}
template <class T>
void device_free(device_ptr<T> p) {
  heddle::check(cudaFree(p.get()), "device_free");
}
template <class T>
void device_delete(device_ptr<T> p, size_t = 1) {
  device_free(p);
}

/// A vector of the host. Its elements are where std::vector has them.
template <class T, class Allocator = std::allocator<T>>
class host_vector : public std::vector<T, Allocator> {
  static_assert(!std::is_same_v<T, bool>, "heddle: thrust::host_vector<bool> is not supported: use char");

 public:
  using base = std::vector<T, Allocator>;
  using base::base;
  host_vector() = default;
  host_vector(const base& other) : base(other) {}
  template <class V, class = typename V::heddle_is_device_vector>
  host_vector(const V& other) {
    *this = other;
  }
  template <class V, class = typename V::heddle_is_device_vector>
  host_vector& operator=(const V& other) {
    std::vector<typename V::value_type> all(other.size());
    other.heddle_read(all.data());
    this->assign(all.begin(), all.end());
    return *this;
  }
};

/// A vector whose elements are in memory of the device.
template <class T, class Allocator = device_allocator<T>>
class device_vector {
 public:
  using heddle_is_device_vector = void;
  using value_type = T;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using pointer = device_ptr<T>;
  using const_pointer = device_ptr<const T>;
  using reference = device_reference<T>;
  using const_reference = device_reference<const T>;

  device_vector() = default;
  explicit device_vector(size_t n) : device_vector(n, T()) {}
  device_vector(size_t n, const T& value) { assign(n, value); }
  device_vector(const device_vector& other) { *this = other; }
  device_vector(device_vector&& other) noexcept { swap(other); }
  device_vector(std::initializer_list<T> all) { assign(all.begin(), all.end()); }
  template <class U, class A>
  device_vector(const std::vector<U, A>& all) {
    assign(all.begin(), all.end());
  }
  template <class U, class A>
  device_vector(const device_vector<U, A>& other) {
    assign(other.begin(), other.end());
  }
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  device_vector(It first, It last) {
    assign(first, last);
  }
  ~device_vector() {
    if (data_ != nullptr) (void)cudaFree(data_);
  }
  device_vector& operator=(const device_vector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept {
    swap(other);
    return *this;
  }
  template <class U, class A>
  device_vector& operator=(const std::vector<U, A>& all) {
    assign(all.begin(), all.end());
    return *this;
  }
  template <class U, class A>
  device_vector& operator=(const device_vector<U, A>& other) {
    assign(other.begin(), other.end());
    return *this;
  }

  void assign(size_t n, const T& value) {
    make_room(n, false);
    size_ = n;
    fill(0, n, value);
  }
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  void assign(It first, It last);

  iterator begin() { return iterator(data_); }
  iterator end() { return iterator(data_ + size_); }
  const_iterator begin() const { return const_iterator(data_); }
  const_iterator end() const { return const_iterator(data_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  reference operator[](size_t i) { return reference(data_ + i); }
  const_reference operator[](size_t i) const { return const_reference(data_ + i); }
  reference front() { return (*this)[0]; }
  const_reference front() const { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }
  const_reference back() const { return (*this)[size_ - 1]; }
  pointer data() { return pointer(data_); }
  const_pointer data() const { return const_pointer(data_); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  size_t max_size() const { return static_cast<size_t>(-1) / sizeof(T); }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void reserve(size_t n) { make_room(n, true); }
  void shrink_to_fit() {
    device_vector own(*this);
    swap(own);
  }
  void resize(size_t n, const T& value = T()) {
    make_room(n, true);
    if (n > size_) fill(size_, n, value);
    size_ = n;
  }
  void push_back(const T& value) { resize(size_ + 1, value); }
  void pop_back() { --size_; }
  iterator erase(iterator first, iterator last) {
    std::vector<T> all(size_);
    heddle_read(all.data());
    const std::ptrdiff_t at = first - begin();
    all.erase(all.begin() + at, all.begin() + (last - begin()));
    assign(all.begin(), all.end());
    return begin() + at;
  }
  iterator erase(iterator at) { return erase(at, at + 1); }
  template <class... A>
  iterator insert(const_iterator at, A&&... what) {
    std::vector<T> all(size_);
    heddle_read(all.data());
    const std::ptrdiff_t offset = at.get() - data_;
    all.insert(all.begin() + offset, static_cast<A&&>(what)...);
    assign(all.begin(), all.end());
    return begin() + offset;
  }
  void swap(device_vector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void heddle_read(T* to) const {
    if (size_ != 0)
      heddle::check(cudaMemcpy(to, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "device_vector");
  }

 private:
  void make_room(size_t n, bool keeps) {
    if (n <= capacity_) return;
    const size_t twice = keeps && size_ != 0 && n < 2 * capacity_ ? 2 * capacity_ : n;
    T* made = nullptr;
    heddle::check(heddle_device::allocate(heddle_device::memory_kind::device, &made, twice * sizeof(T),
                                          heddle_device::named<T>("device_vector")),
                  "device_vector");
    if (keeps && size_ != 0)
      heddle::check(cudaMemcpy(made, data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice), "device_vector");
    if (data_ != nullptr) (void)cudaFree(data_);
    data_ = made;
    capacity_ = twice;
  }
  void fill(size_t first, size_t last, const T& value) {
    // The elements of a vector of bool have no addresses.
    const std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> all(last - first, value);
    if (!all.empty())
      heddle::check(cudaMemcpy(data_ + first, all.data(), all.size() * sizeof(T), cudaMemcpyHostToDevice),
                    "device_vector");
  }

  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};
template <class T, class A>
bool operator==(const device_vector<T, A>& a, const device_vector<T, A>& b) {
  return host_vector<T>(a) == host_vector<T>(b);
}
template <class T, class A, class B>
bool operator==(const device_vector<T, A>& a, const std::vector<T, B>& b) {
  return host_vector<T>(a) == host_vector<T>(b.begin(), b.end());
}
template <class T, class A, class B>
bool operator==(const std::vector<T, B>& a, const device_vector<T, A>& b) {
  return b == a;
}
template <class T, class A, class V>
bool operator!=(const device_vector<T, A>& a, const V& b) {
  return !(a == b);
}
template <class T, class A>
void swap(device_vector<T, A>& a, device_vector<T, A>& b) {
  a.swap(b);
}

}  // namespace thrust
