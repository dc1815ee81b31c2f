#pragma once

/// Of Thrust: functions, placeholders and random numbers.

#include "iterators.hpp"

#include <cmath>
#include <cstdint>

namespace thrust {

template <class Argument, class Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};

#define HEDDLE_BINARY(NAME, EXPRESSION)                                                                    \
  template <class T = void>                                                                                \
  struct NAME {                                                                                            \
    using first_argument_type = T;                                                                         \
    using second_argument_type = T;                                                                        \
    constexpr auto operator()(const T& a, const T& b) const -> decltype(EXPRESSION) { return EXPRESSION; } \
  };                                                                                                       \
  template <>                                                                                              \
  struct NAME<void> {                                                                                      \
    template <class A, class B>                                                                            \
    constexpr auto operator()(const A& a, const B& b) const -> std::decay_t<decltype(EXPRESSION)> {        \
      return EXPRESSION;                                                                                   \
    }                                                                                                      \
  };
#define HEDDLE_ARITHMETIC(NAME, OPERATOR)                                                         \
  template <class T = void>                                                                       \
  struct NAME {                                                                                   \
    using first_argument_type = T;                                                                \
    using second_argument_type = T;                                                               \
    using result_type = T;                                                                        \
    constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(a OPERATOR b); } \
  };                                                                                              \
  template <>                                                                                     \
  struct NAME<void> {                                                                             \
    template <class A, class B>                                                                   \
    constexpr auto operator()(const A& a, const B& b) const {                                     \
      return a OPERATOR b;                                                                        \
    }                                                                                             \
  };
HEDDLE_ARITHMETIC(plus, +)
HEDDLE_ARITHMETIC(minus, -)
HEDDLE_ARITHMETIC(multiplies, *)
HEDDLE_ARITHMETIC(divides, /)
HEDDLE_ARITHMETIC(modulus, %)
HEDDLE_ARITHMETIC(bit_and, &)
HEDDLE_ARITHMETIC(bit_or, |)
HEDDLE_ARITHMETIC(bit_xor, ^)
HEDDLE_BINARY(equal_to, a == b)
HEDDLE_BINARY(not_equal_to, a != b)
HEDDLE_BINARY(less, a < b)
HEDDLE_BINARY(greater, a > b)
HEDDLE_BINARY(less_equal, a <= b)
HEDDLE_BINARY(greater_equal, a >= b)
HEDDLE_BINARY(logical_and, a&& b)
HEDDLE_BINARY(logical_or, a || b)
HEDDLE_BINARY(maximum, a < b ? b : a)
HEDDLE_BINARY(minimum, b < a ? b : a)
HEDDLE_BINARY(project1st, (void(b), a))
HEDDLE_BINARY(project2nd, (void(a), b))
#undef HEDDLE_BINARY
#undef HEDDLE_ARITHMETIC

#define HEDDLE_UNARY(NAME, EXPRESSION)                                                                       \
  template <class T = void>                                                                                  \
  struct NAME {                                                                                              \
    using argument_type = T;                                                                                 \
    using result_type = T;                                                                                   \
    constexpr auto operator()(const T& a) const -> std::decay_t<decltype(EXPRESSION)> { return EXPRESSION; } \
  };                                                                                                         \
  template <>                                                                                                \
  struct NAME<void> {                                                                                        \
    template <class T>                                                                                       \
    constexpr auto operator()(const T& a) const {                                                            \
      return EXPRESSION;                                                                                     \
    }                                                                                                        \
  };
HEDDLE_UNARY(negate, -a)
HEDDLE_UNARY(square, a* a)
HEDDLE_UNARY(logical_not, !a)
HEDDLE_UNARY(identity, a)
#undef HEDDLE_UNARY

template <class F>
struct heddle_not {
  F f;
  template <class... T>
  bool operator()(const T&... what) const {
    return !const_cast<F&>(f)(what...);
  }
};
template <class F>
heddle_not<F> not_fn(F f) {
  return {f};
}
template <class F>
heddle_not<F> not1(F f) {
  return {f};
}
template <class F>
heddle_not<F> not2(F f) {
  return {f};
}

/// Calls a function of several arguments with the parts of a tuple.
template <class F>
class zip_function {
 public:
  explicit zip_function(F f) : f_(f) {}
  template <class Tuple>
  decltype(auto) operator()(Tuple&& all) const {
    return std::apply(const_cast<F&>(f_), static_cast<Tuple&&>(all));
  }

 private:
  F f_;
};
template <class F>
zip_function<F> make_zip_function(F f) {
  return zip_function<F>(f);
}

namespace heddle {
/// A function of placeholders: what _1 + 2 is.
template <class F>
struct expression {
  F f;
  template <class... T>
  auto operator()(const T&... arguments) const {
    return f(std::tie(arguments...));
  }
};
template <class T>
auto evaluated(const T& constant, const void*) {
  return [constant](const auto&) { return constant; };
}
template <class F>
auto evaluated(const expression<F>& e, const void*) {
  return e.f;
}
template <class T>
struct is_expression : std::false_type {};
template <class F>
struct is_expression<expression<F>> : std::true_type {};
template <class F>
expression<F> expression_of(F f) {
  return {f};
}
template <std::size_t I>
struct argument {
  template <class Tuple>
  auto operator()(const Tuple& all) const {
    return std::get<I>(all);
  }
};
#define HEDDLE_PLACED(OPERATOR)                                                                             \
  template <class A, class B, class = std::enable_if_t<is_expression<A>::value || is_expression<B>::value>> \
  auto operator OPERATOR(const A& a, const B& b) {                                                          \
    return expression_of([fa = evaluated(a, nullptr), fb = evaluated(b, nullptr)](const auto& all) {        \
      return fa(all) OPERATOR fb(all);                                                                      \
    });                                                                                                     \
  }
HEDDLE_PLACED(+)
HEDDLE_PLACED(-)
HEDDLE_PLACED(*)
HEDDLE_PLACED(/)
HEDDLE_PLACED(%)
HEDDLE_PLACED(==)
HEDDLE_PLACED(!=)
HEDDLE_PLACED(<)
HEDDLE_PLACED(>)
HEDDLE_PLACED(<=)
HEDDLE_PLACED(>=)
HEDDLE_PLACED(&&)
HEDDLE_PLACED(||)
HEDDLE_PLACED(&)
HEDDLE_PLACED(|)
HEDDLE_PLACED(^)
#undef HEDDLE_PLACED
template <class F>
auto operator-(const expression<F>& a) {
  return expression_of([f = a.f](const auto& all) { return -f(all); });
}
template <class F>
auto operator!(const expression<F>& a) {
  return expression_of([f = a.f](const auto& all) { return !f(all); });
}
}  // namespace heddle
namespace placeholders {
inline constexpr heddle::expression<heddle::argument<0>> _1{};
inline constexpr heddle::expression<heddle::argument<1>> _2{};
inline constexpr heddle::expression<heddle::argument<2>> _3{};
}  // namespace placeholders

namespace random {
/// x becomes a·x + c modulo m; modulo 2^64 where m is 0.
template <class T, T A, T C, T M>
class linear_congruential_engine {
 public:
  using result_type = T;
  static constexpr T multiplier = A, increment = C, modulus = M, default_seed = 1;
  static constexpr T min = C == 0 ? 1 : 0, max = M - 1;
  explicit linear_congruential_engine(T seed = default_seed) { this->seed(seed); }
  void seed(T seed = default_seed) { x_ = C % M == 0 && seed % M == 0 ? 1 : seed % M; }
  T operator()() {
    x_ = static_cast<T>((std::uint64_t{A} * x_ + C) % M);
    return x_;
  }
  /// Of n steps, in the logarithm of n.
  void discard(unsigned long long n) {
    std::uint64_t a = A, c = C, whole_a = 1, whole_c = 0;
    for (; n != 0; n >>= 1) {
      if (n & 1) {
        whole_a = whole_a * a % M;
        whole_c = (whole_c * a + c) % M;
      }
      c = (a * c + c) % M;
      a = a * a % M;
    }
    x_ = static_cast<T>((whole_a * x_ + whole_c) % M);
  }

 private:
  T x_;
};
using minstd_rand0 = linear_congruential_engine<std::uint32_t, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

template <class T = double>
class uniform_real_distribution {
 public:
  using result_type = T;
  explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
  template <class Engine>
  T operator()(Engine& engine) const {
    const T part =
        static_cast<T>(engine() - Engine::min) / (T(1) + static_cast<T>(Engine::max - Engine::min));
    return part * (b_ - a_) + a_;
  }

 private:
  T a_, b_;
};
template <class T = int>
class uniform_int_distribution {
 public:
  using result_type = T;
  explicit uniform_int_distribution(T a = 0, T b = std::numeric_limits<T>::max()) : a_(a), b_(b) {}
  template <class Engine>
  T operator()(Engine& engine) const {
    const double part = uniform_real_distribution<double>(a_, static_cast<double>(b_) + 1)(engine);
    return static_cast<T>(std::floor(part));
  }

 private:
  T a_, b_;
};
template <class T = double>
class normal_distribution {
 public:
  using result_type = T;
  explicit normal_distribution(T mean = 0, T deviation = 1) : mean_(mean), deviation_(deviation) {}
  template <class Engine>
  T operator()(Engine& engine) const {
    const double range = 1.0 + (Engine::max - Engine::min);
    const double part = (static_cast<double>(engine() - Engine::min) + 0.5) / range;
    return mean_ + deviation_ * static_cast<T>(normcdfinv(part));
  }

 private:
  T mean_, deviation_;
};
}  // namespace random
using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

}  // namespace thrust
