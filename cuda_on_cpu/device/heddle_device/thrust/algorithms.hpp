#pragma once

/// Of Thrust: algorithms that treat elements apart, and those that look for something. Each takes a policy or
/// finds the place by its iterators.

#include "execution.hpp"

namespace thrust {

/// NAME(policy, arguments…) and NAME(arguments…), by what NAME##_at(place, arguments…) does.
#define HEDDLE_ALGORITHM(NAME)                                                            \
  template <class Policy, class... A, heddle::if_policy<Policy> = 0>                      \
  auto NAME(const Policy& policy, const A&... arguments) {                                \
    return heddle::NAME##_at(static_cast<heddle::place>(policy), arguments...);           \
  }                                                                                       \
  template <class First, class... A, heddle::unless_policy<First> = 0>                    \
  auto NAME(const First& first, const A&... arguments) {                                  \
    return heddle::NAME##_at(heddle::place_of(first, arguments...), first, arguments...); \
  }

namespace heddle {

template <class In, class Out>
Out copy_at(const place& where, In first, In last, Out to) {
  const std::ptrdiff_t n = last - first;
  if (n <= 0) return to;
  constexpr bool from_device = any_on_device<In>, to_device = any_on_device<Out>;
  constexpr bool from_host = std::is_same_v<system_tag<In>, host_system_tag>,
                 to_host = std::is_same_v<system_tag<Out>, host_system_tag>;
  using T = value<In>;
  if constexpr (from_device && to_host) {
    if (!where.is_given && !heddle_device::in_kernel()) {
      std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> all(static_cast<size_t>(n));
      take(first, n, reinterpret_cast<T*>(all.data()));
      return std::copy(reinterpret_cast<T*>(all.data()), reinterpret_cast<T*>(all.data()) + n, to);
    }
  } else if constexpr (from_host && to_device) {
    if (!where.is_given && !heddle_device::in_kernel()) {
      // A pointer may be into managed memory, which the host reads as well.
      std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> all(first, last);
      bring(reinterpret_cast<const T*>(all.data()), n, to);
      return to + n;
    }
  }
  constexpr bool writes_in_order =
      std::is_same_v<typename std::iterator_traits<Out>::iterator_category, std::output_iterator_tag>;
  if constexpr (!writes_in_order && (std::is_same_v<typename std::iterator_traits<In>::iterator_category,
                                                    std::random_access_iterator_tag> ||
                                     std::is_pointer_v<In>)) {
    run_each(where, "thrust::copy", n,
             [in = unwrapped(first), out = unwrapped(to)](std::ptrdiff_t i) mutable { out[i] = in[i]; });
    return to + n;
  } else {
    return std::copy(first, last, to);
  }
}
template <class In, class N, class Out>
Out copy_n_at(const place& where, In first, N n, Out to) {
  return copy_at(where, first, first + static_cast<std::ptrdiff_t>(n), to);
}
template <class It, class T>
void fill_at(const place& where, It first, It last, T of) {
  const value<It> what(of);
  run_each(where, "thrust::fill", last - first,
           [to = unwrapped(first), what](std::ptrdiff_t i) mutable { to[i] = what; });
}
template <class It, class N, class T>
It fill_n_at(const place& where, It first, N n, T of) {
  fill_at(where, first, first + static_cast<std::ptrdiff_t>(n), of);
  return first + static_cast<std::ptrdiff_t>(n);
}
template <class It, class F>
It for_each_at(const place& where, It first, It last, F f) {
  run_each(where, "thrust::for_each", last - first,
           [of = unwrapped(first), f](std::ptrdiff_t i) mutable { f(of[i]); });
  return last;
}
template <class It, class N, class F>
It for_each_n_at(const place& where, It first, N n, F f) {
  return for_each_at(where, first, first + static_cast<std::ptrdiff_t>(n), f);
}
template <class It, class F>
void generate_at(const place& where, It first, It last, F f) {
  run_each(where, "thrust::generate", last - first,
           [to = unwrapped(first), f](std::ptrdiff_t i) mutable { to[i] = f(); });
}
template <class It, class F>
void tabulate_at(const place& where, It first, It last, F f) {
  run_each(where, "thrust::tabulate", last - first,
           [to = unwrapped(first), f](std::ptrdiff_t i) mutable { to[i] = f(i); });
}
template <class It, class T = value<It>, class Step = T>
void sequence_at(const place& where, It first, It last, T begin = T(0), Step step = Step(1)) {
  using V = value<It>;
  tabulate_at(where, first, last,
              [begin, step](std::ptrdiff_t i) { return static_cast<V>(begin + static_cast<V>(i) * step); });
}
template <class In, class Out, class F>
Out transform_at(const place& where, In first, In last, Out to, F f) {
  run_each(where, "thrust::transform", last - first,
           [in = unwrapped(first), out = unwrapped(to), f](std::ptrdiff_t i) mutable { out[i] = f(in[i]); });
  return to + (last - first);
}
template <class In, class In2, class Out, class F>
Out transform_at(const place& where, In first, In last, In2 second, Out to, F f) {
  run_each(where, "thrust::transform", last - first,
           [in = unwrapped(first), with = unwrapped(second), out = unwrapped(to),
            f](std::ptrdiff_t i) mutable { out[i] = f(in[i], with[i]); });
  return to + (last - first);
}
template <class In, class Out, class F, class Predicate>
Out transform_if_at(const place& where, In first, In last, Out to, F f, Predicate p) {
  run_each(where, "thrust::transform_if", last - first,
           [in = unwrapped(first), out = unwrapped(to), f, p](std::ptrdiff_t i) mutable {
             if (p(in[i])) out[i] = f(in[i]);
           });
  return to + (last - first);
}
template <class In, class Stencil, class Out, class F, class Predicate>
Out transform_if_at(const place& where, In first, In last, Stencil stencil, Out to, F f, Predicate p) {
  run_each(
      where, "thrust::transform_if", last - first,
      [in = unwrapped(first), by = unwrapped(stencil), out = unwrapped(to), f, p](std::ptrdiff_t i) mutable {
        if (p(by[i])) out[i] = f(in[i]);
      });
  return to + (last - first);
}
template <class Map, class In, class Out>
Out gather_at(const place& where, Map first, Map last, In from, Out to) {
  run_each(where, "thrust::gather", last - first,
           [map = unwrapped(first), in = unwrapped(from), out = unwrapped(to)](std::ptrdiff_t i) mutable {
             out[i] = in[static_cast<std::ptrdiff_t>(map[i])];
           });
  return to + (last - first);
}
template <class Map, class Stencil, class In, class Out>
Out gather_if_at(const place& where, Map first, Map last, Stencil stencil, In from, Out to) {
  run_each(where, "thrust::gather_if", last - first,
           [map = unwrapped(first), by = unwrapped(stencil), in = unwrapped(from),
            out = unwrapped(to)](std::ptrdiff_t i) mutable {
             if (by[i]) out[i] = in[static_cast<std::ptrdiff_t>(map[i])];
           });
  return to + (last - first);
}
template <class In, class Map, class Out>
void scatter_at(const place& where, In first, In last, Map at, Out to) {
  run_each(where, "thrust::scatter", last - first,
           [in = unwrapped(first), map = unwrapped(at), out = unwrapped(to)](std::ptrdiff_t i) mutable {
             out[static_cast<std::ptrdiff_t>(map[i])] = in[i];
           });
}
template <class In, class Map, class Stencil, class Out>
void scatter_if_at(const place& where, In first, In last, Map at, Stencil stencil, Out to) {
  run_each(where, "thrust::scatter_if", last - first,
           [in = unwrapped(first), map = unwrapped(at), by = unwrapped(stencil),
            out = unwrapped(to)](std::ptrdiff_t i) mutable {
             if (by[i]) out[static_cast<std::ptrdiff_t>(map[i])] = in[i];
           });
}
template <class It, class T>
void replace_at(const place& where, It first, It last, T from, T to) {
  run_each(where, "thrust::replace", last - first,
           [of = unwrapped(first), from, to](std::ptrdiff_t i) mutable {
             if (of[i] == from) of[i] = to;
           });
}
template <class It, class Predicate, class T>
void replace_if_at(const place& where, It first, It last, Predicate p, T to) {
  run_each(where, "thrust::replace_if", last - first,
           [of = unwrapped(first), p, to](std::ptrdiff_t i) mutable {
             if (p(of[i])) of[i] = to;
           });
}
template <class It, class Stencil, class Predicate, class T>
void replace_if_at(const place& where, It first, It last, Stencil stencil, Predicate p, T to) {
  run_each(where, "thrust::replace_if", last - first,
           [of = unwrapped(first), by = unwrapped(stencil), p, to](std::ptrdiff_t i) mutable {
             if (p(by[i])) of[i] = to;
           });
}
template <class It>
void reverse_at(const place& where, It first, It last) {
  const std::ptrdiff_t n = last - first;
  run_each(where, "thrust::reverse", n / 2, [of = unwrapped(first), n](std::ptrdiff_t i) mutable {
    value<It> before = of[i];
    of[i] = static_cast<value<It>>(of[n - 1 - i]);
    of[n - 1 - i] = before;
  });
}
template <class It, class It2>
It2 swap_ranges_at(const place& where, It first, It last, It2 second) {
  run_each(where, "thrust::swap_ranges", last - first,
           [a = unwrapped(first), b = unwrapped(second)](std::ptrdiff_t i) mutable {
             value<It> before = a[i];
             a[i] = static_cast<value<It>>(b[i]);
             b[i] = before;
           });
  return second + (last - first);
}
template <class In, class Out, class F = minus<>>
Out adjacent_difference_at(const place& where, In first, In last, Out to, F f = F()) {
  const std::ptrdiff_t n = last - first;
  run_once(where, "thrust::adjacent_difference",
           [in = unwrapped(first), out = unwrapped(to), n, f]() mutable {
             value<In> before{};
             for (std::ptrdiff_t i = 0; i < n; ++i) {
               const value<In> now = in[i];
               if (i == 0) {
                 out[i] = now;
               } else {
                 out[i] = f(now, before);
               }
               before = now;
             }
           });
  return to + n;
}

// ------------------------------------------------------------------------------------------ looking for

template <class It, class Predicate>
It find_if_at(const place& where, It first, It last, Predicate p) {
  const std::ptrdiff_t n = last - first;
  return first + answer(where, "thrust::find_if", [of = unwrapped(first), n, p]() mutable {
           std::ptrdiff_t i = 0;
           while (i < n && !p(of[i])) ++i;
           return i;
         });
}
template <class It, class Predicate>
It find_if_not_at(const place& where, It first, It last, Predicate p) {
  return find_if_at(where, first, last, not_fn(p));
}
template <class It, class T>
It find_at(const place& where, It first, It last, T what) {
  return find_if_at(where, first, last, [what](const value<It>& x) { return x == what; });
}
template <class It, class Predicate>
bool any_of_at(const place& where, It first, It last, Predicate p) {
  return find_if_at(where, first, last, p) != last;
}
template <class It, class Predicate>
bool all_of_at(const place& where, It first, It last, Predicate p) {
  return find_if_not_at(where, first, last, p) == last;
}
template <class It, class Predicate>
bool none_of_at(const place& where, It first, It last, Predicate p) {
  return !any_of_at(where, first, last, p);
}
template <class It, class It2, class F = equal_to<>>
pair<It, It2> mismatch_at(const place& where, It first, It last, It2 second, F f = F()) {
  const std::ptrdiff_t n = last - first;
  const std::ptrdiff_t at =
      answer(where, "thrust::mismatch", [a = unwrapped(first), b = unwrapped(second), n, f]() mutable {
        std::ptrdiff_t i = 0;
        while (i < n && f(a[i], b[i])) ++i;
        return i;
      });
  return {first + at, second + at};
}
template <class It, class It2, class F = equal_to<>>
bool equal_at(const place& where, It first, It last, It2 second, F f = F()) {
  if constexpr (any_on_device<It> != any_on_device<It2> && std::is_same_v<system_tag<It2>, host_system_tag>) {
    host_vector<value<It>> own(static_cast<size_t>(last - first));
    take(first, last - first, own.data());
    return mismatch_at({false, nullptr, true}, own.begin(), own.end(), second, f).first == own.end();
  } else {
    return mismatch_at(where, first, last, second, f).first == last;
  }
}
template <class It, class F = less<>>
It is_sorted_until_at(const place& where, It first, It last, F f = F()) {
  const std::ptrdiff_t n = last - first;
  return first + answer(where, "thrust::is_sorted", [of = unwrapped(first), n, f]() mutable {
           std::ptrdiff_t i = n < 1 ? 0 : 1;
           while (i < n && !f(of[i], of[i - 1])) ++i;
           return i;
         });
}
template <class It, class F = less<>>
bool is_sorted_at(const place& where, It first, It last, F f = F()) {
  return is_sorted_until_at(where, first, last, f) == last;
}
template <class It, class F>
pair<It, It> extremes(const place& where, It first, It last, F f) {
  const std::ptrdiff_t n = last - first;
  const auto found = answer(where, "thrust::minmax_element", [of = unwrapped(first), n, f]() mutable {
    std::ptrdiff_t least = 0, most = 0;
    for (std::ptrdiff_t i = 1; i < n; ++i) {
      if (f(of[i], of[least])) least = i;
      if (f(of[most], of[i])) most = i;
    }
    return std::array<std::ptrdiff_t, 2>{least, most};
  });
  return {first + found[0], first + found[1]};
}
template <class It, class F = less<>>
pair<It, It> minmax_element_at(const place& where, It first, It last, F f = F()) {
  return extremes(where, first, last, f);
}
template <class It, class F = less<>>
It min_element_at(const place& where, It first, It last, F f = F()) {
  return extremes(where, first, last, f).first;
}
template <class It, class F = less<>>
It max_element_at(const place& where, It first, It last, F f = F()) {
  return extremes(where, first, last, f).second;
}

/// The first of n elements in order that p is false for.
template <class It, class Predicate>
std::ptrdiff_t border(It of, std::ptrdiff_t n, Predicate p) {
  std::ptrdiff_t low = 0;
  while (n > 0) {
    const std::ptrdiff_t half = n / 2;
    if (p(of[low + half])) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}
#define HEDDLE_SEARCH(NAME, IS_BEFORE)                                                                 \
  template <class It, class T, class F = less<>,                                                       \
            std::enable_if_t<!std::is_same_v<std::decay_t<T>, It>, int> = 0>                           \
  It NAME##_at(const place& where, It first, It last, T what, F f = F()) {                             \
    const std::ptrdiff_t n = last - first;                                                             \
    return first + answer(where, "thrust::" #NAME, [of = unwrapped(first), n, what, f]() mutable {     \
             return border(of, n, [&](const value<It>& x) { return IS_BEFORE; });                      \
           });                                                                                         \
  }                                                                                                    \
  template <class It, class In, class Out, class F = less<>>                                           \
  Out NAME##_at(const place& where, It first, It last, In wanted, In wanted_last, Out to, F f = F()) { \
    const std::ptrdiff_t n = last - first;                                                             \
    run_each(where, "thrust::" #NAME, wanted_last - wanted,                                            \
             [of = unwrapped(first), in = unwrapped(wanted), out = unwrapped(to), n,                   \
              f](std::ptrdiff_t i) mutable {                                                           \
               const value<In> what = in[i];                                                           \
               out[i] = static_cast<std::ptrdiff_t>(                                                   \
                   border(of, n, [&](const value<It>& x) { return IS_BEFORE; }));                      \
             });                                                                                       \
    return to + (wanted_last - wanted);                                                                \
  }
HEDDLE_SEARCH(lower_bound, f(x, what))
HEDDLE_SEARCH(upper_bound, !f(what, x))
#undef HEDDLE_SEARCH
template <class It, class T, class F = less<>>
bool binary_search_at(const place& where, It first, It last, T what, F f = F()) {
  const std::ptrdiff_t n = last - first;
  return answer(where, "thrust::binary_search", [of = unwrapped(first), n, what, f]() mutable {
    const std::ptrdiff_t at = border(of, n, [&](const value<It>& x) { return f(x, what); });
    return at < n && !f(what, of[at]);
  });
}

}  // namespace heddle

HEDDLE_ALGORITHM(copy)
HEDDLE_ALGORITHM(copy_n)
HEDDLE_ALGORITHM(fill)
HEDDLE_ALGORITHM(fill_n)
HEDDLE_ALGORITHM(for_each)
HEDDLE_ALGORITHM(for_each_n)
HEDDLE_ALGORITHM(generate)
HEDDLE_ALGORITHM(tabulate)
HEDDLE_ALGORITHM(sequence)
HEDDLE_ALGORITHM(transform)
HEDDLE_ALGORITHM(transform_if)
HEDDLE_ALGORITHM(gather)
HEDDLE_ALGORITHM(gather_if)
HEDDLE_ALGORITHM(scatter)
HEDDLE_ALGORITHM(scatter_if)
HEDDLE_ALGORITHM(replace)
HEDDLE_ALGORITHM(replace_if)
HEDDLE_ALGORITHM(reverse)
HEDDLE_ALGORITHM(swap_ranges)
HEDDLE_ALGORITHM(adjacent_difference)
HEDDLE_ALGORITHM(find)
HEDDLE_ALGORITHM(find_if)
HEDDLE_ALGORITHM(find_if_not)
HEDDLE_ALGORITHM(any_of)
HEDDLE_ALGORITHM(all_of)
HEDDLE_ALGORITHM(none_of)
HEDDLE_ALGORITHM(mismatch)
HEDDLE_ALGORITHM(equal)
HEDDLE_ALGORITHM(is_sorted)
HEDDLE_ALGORITHM(is_sorted_until)
HEDDLE_ALGORITHM(min_element)
HEDDLE_ALGORITHM(max_element)
HEDDLE_ALGORITHM(minmax_element)
HEDDLE_ALGORITHM(lower_bound)
HEDDLE_ALGORITHM(upper_bound)
HEDDLE_ALGORITHM(binary_search)

template <class It, class T>
void uninitialized_fill(It first, It last, const T& what) {
  fill(first, last, what);
}
template <class In, class Out>
Out uninitialized_copy(In first, In last, Out to) {
  return copy(first, last, to);
}

template <class T, class Allocator>
template <class It, class>
void device_vector<T, Allocator>::assign(It first, It last) {
  const auto n = static_cast<size_t>(std::distance(first, last));
  make_room(n, false);
  size_ = n;
  if constexpr (std::is_same_v<typename std::iterator_traits<It>::iterator_category,
                               std::random_access_iterator_tag> ||
                std::is_pointer_v<It>) {
    heddle::copy_at({true, nullptr, true}, first, last, begin());
  } else {
    const std::vector<T> all(first, last);
    heddle::copy_at({true, nullptr, true}, all.begin(), all.end(), begin());
  }
}

}  // namespace thrust
