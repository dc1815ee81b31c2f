#pragma once

/// Of Thrust: reductions, scans, sorting, and what makes sequences shorter or merges them.

#include "algorithms.hpp"

namespace thrust {
namespace heddle {

template <class It, class F, class T, class G>
T transform_reduce_at(const place& where, It first, It last, F f, T begin, G g) {
  const std::ptrdiff_t n = last - first;
  return answer(where, "thrust::reduce", [of = unwrapped(first), n, f, begin, g]() mutable {
    T result = begin;
    for (std::ptrdiff_t i = 0; i < n; ++i) result = g(result, f(of[i]));
    return result;
  });
}
struct as_it_is {
  template <class T>
  const T& operator()(const T& x) const {
    return x;
  }
};
template <class It, class T = value<It>, class G = plus<>>
T reduce_at(const place& where, It first, It last, T begin = T(), G g = G()) {
  return transform_reduce_at(where, first, last, as_it_is(), begin, g);
}
template <class It, class Predicate>
std::ptrdiff_t count_if_at(const place& where, It first, It last, Predicate p) {
  return transform_reduce_at(
      where, first, last, [p](const auto& x) mutable { return std::ptrdiff_t{p(x) ? 1 : 0}; },
      std::ptrdiff_t{0}, plus<>());
}
template <class It, class T>
std::ptrdiff_t count_at(const place& where, It first, It last, T what) {
  return count_if_at(where, first, last, [what](const value<It>& x) { return x == what; });
}
template <class It, class It2, class T, class F = plus<>, class G = multiplies<>>
T inner_product_at(const place& where, It first, It last, It2 second, T begin, F f = F(), G g = G()) {
  const std::ptrdiff_t n = last - first;
  return answer(where, "thrust::inner_product",
                [a = unwrapped(first), b = unwrapped(second), n, begin, f, g]() mutable {
                  T result = begin;
                  for (std::ptrdiff_t i = 0; i < n; ++i) result = f(result, g(a[i], b[i]));
                  return result;
                });
}
template <class In, class In2, class Out, class Out2, class Same = equal_to<>, class F = plus<>>
pair<Out, Out2> reduce_by_key_at(const place& where, In first, In last, In2 values, Out keys_to, Out2 to,
                                 Same same = Same(), F f = F()) {
  const std::ptrdiff_t n = last - first;
  const std::ptrdiff_t made =
      answer(where, "thrust::reduce_by_key",
             [in = unwrapped(first), of = unwrapped(values), out = unwrapped(keys_to), sums = unwrapped(to),
              n, same, f]() mutable {
               std::ptrdiff_t k = 0;
               for (std::ptrdiff_t i = 0; i < n; ++k) {
                 const value<In> key = in[i];
                 value<In2> sum = of[i];
                 value<In> before = key;
                 for (++i; i < n && same(before, static_cast<value<In>>(in[i])); ++i) {
                   sum = f(sum, of[i]);
                   before = in[i];
                 }
                 out[k] = key;
                 sums[k] = sum;
               }
               return k;
             });
  return {keys_to + made, to + made};
}

// --------------------------------------------------------------------------------------------------- scans

template <class T, class In, class Out, class F, class G>
Out scan(const place& where, const char* what, In first, In last, Out to, F f, bool has_begin, T begin,
         bool is_exclusive, G g) {
  const std::ptrdiff_t n = last - first;
  run_once(where, what,
           [in = unwrapped(first), out = unwrapped(to), n, f, has_begin, begin, is_exclusive, g]() mutable {
             T sum = begin;
             for (std::ptrdiff_t i = 0; i < n; ++i) {
               // In place what is read is written over.
               const T next = static_cast<T>(f(in[i]));
               if (is_exclusive) out[i] = sum;
               sum = i == 0 && !has_begin ? next : static_cast<T>(g(sum, next));
               if (!is_exclusive) out[i] = sum;
             }
           });
  return to + n;
}
template <class In, class Out, class G = plus<>>
Out inclusive_scan_at(const place& where, In first, In last, Out to, G g = G()) {
  return scan(where, "thrust::inclusive_scan", first, last, to, as_it_is(), false, value<In>(), false, g);
}
template <class In, class Out, class T, class G>
Out inclusive_scan_at(const place& where, In first, In last, Out to, T begin, G g) {
  return scan(where, "thrust::inclusive_scan", first, last, to, as_it_is(), true, begin, false, g);
}
template <class In, class Out, class T = value<In>, class G = plus<>>
Out exclusive_scan_at(const place& where, In first, In last, Out to, T begin = T(), G g = G()) {
  return scan(where, "thrust::exclusive_scan", first, last, to, as_it_is(), true, begin, true, g);
}
template <class In, class Out, class F, class G>
Out transform_inclusive_scan_at(const place& where, In first, In last, Out to, F f, G g) {
  using T = std::decay_t<decltype(f(std::declval<value<In>>()))>;
  return scan(where, "thrust::transform_inclusive_scan", first, last, to, f, false, T(), false, g);
}
template <class In, class Out, class F, class T, class G>
Out transform_exclusive_scan_at(const place& where, In first, In last, Out to, F f, T begin, G g) {
  return scan(where, "thrust::transform_exclusive_scan", first, last, to, f, true, begin, true, g);
}
template <class T, class Keys, class In, class Out, class Same, class G>
Out scan_by_key(const place& where, const char* what, Keys first, Keys last, In values, Out to, T begin,
                bool is_exclusive, Same same, G g) {
  const std::ptrdiff_t n = last - first;
  run_once(where, what,
           [keys = unwrapped(first), in = unwrapped(values), out = unwrapped(to), n, begin, is_exclusive,
            same, g]() mutable {
             T sum = begin;
             value<Keys> before{};
             for (std::ptrdiff_t i = 0; i < n; ++i) {
               const value<Keys> key = keys[i];
               const bool begins = i == 0 || !same(before, key);
               const T next = in[i];
               if (is_exclusive) {
                 if (begins) sum = begin;
                 out[i] = sum;
                 sum = g(sum, next);
               } else {
                 sum = begins ? next : static_cast<T>(g(sum, next));
                 out[i] = sum;
               }
               before = key;
             }
           });
  return to + n;
}
template <class Keys, class In, class Out, class Same = equal_to<>, class G = plus<>>
Out inclusive_scan_by_key_at(const place& where, Keys first, Keys last, In values, Out to, Same same = Same(),
                             G g = G()) {
  return scan_by_key(where, "thrust::inclusive_scan_by_key", first, last, values, to, value<In>(), false,
                     same, g);
}
template <class Keys, class In, class Out, class T = value<In>, class Same = equal_to<>, class G = plus<>>
Out exclusive_scan_by_key_at(const place& where, Keys first, Keys last, In values, Out to, T begin = T(),
                             Same same = Same(), G g = G()) {
  return scan_by_key(where, "thrust::exclusive_scan_by_key", first, last, values, to, begin, true, same, g);
}

// ------------------------------------------------------------------------------------------------- sorting

template <class Keys, class Values, class F>
void sort_pairs(const place& where, const char* what, Keys first, Keys last, Values values, bool has_values,
                F f) {
  const std::ptrdiff_t n = last - first;
  if (n < 2) return;
  using K = value<Keys>;
  using V = value<Values>;
  if (heddle_device::in_kernel()) {
    auto keys = unwrapped(first);
    auto of = unwrapped(values);
    const auto swap_at = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
      const K key = keys[i];
      keys[i] = static_cast<K>(keys[j]);
      keys[j] = key;
      if (!has_values) return;
      const V before = of[i];
      of[i] = static_cast<V>(of[j]);
      of[j] = before;
    };
    // Neighbours alone are exchanged, so that equal ones keep their order.
    for (std::ptrdiff_t i = 1; i < n; ++i) {
      for (std::ptrdiff_t j = i; j > 0 && f(static_cast<K>(keys[j]), static_cast<K>(keys[j - 1])); --j)
        swap_at(j, j - 1);
    }
    return;
  }
  scratch<K> keys_kept(where, n), keys_moved(where, n);
  scratch<V> values_kept(where, has_values ? n : 0), values_moved(where, has_values ? n : 0);
  run_once(
      where, what,
      [from = unwrapped(first), of = unwrapped(values), keys = keys_kept.data(), moved = keys_moved.data(),
       own = values_kept.data(), own_moved = values_moved.data(), n, has_values, f]() mutable {
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          keys[i] = from[i];
          if (has_values) own[i] = of[i];
        }
        merge_sort(
            keys, n, f,
            [&](std::ptrdiff_t i, std::ptrdiff_t to) {
              moved[to] = keys[i];
              if (has_values) own_moved[to] = own[i];
            },
            [&](std::ptrdiff_t i) {
              keys[i] = moved[i];
              if (has_values) own[i] = own_moved[i];
            });
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          from[i] = keys[i];
          if (has_values) of[i] = own[i];
        }
      });
}
template <class It, class F = less<>>
void sort_at(const place& where, It first, It last, F f = F()) {
  sort_pairs(where, "thrust::sort", first, last, first, false, f);
}
template <class It, class F = less<>>
void stable_sort_at(const place& where, It first, It last, F f = F()) {
  sort_pairs(where, "thrust::stable_sort", first, last, first, false, f);
}
template <class Keys, class Values, class F = less<>>
void sort_by_key_at(const place& where, Keys first, Keys last, Values values, F f = F()) {
  sort_pairs(where, "thrust::sort_by_key", first, last, values, true, f);
}
template <class Keys, class Values, class F = less<>>
void stable_sort_by_key_at(const place& where, Keys first, Keys last, Values values, F f = F()) {
  sort_pairs(where, "thrust::stable_sort_by_key", first, last, values, true, f);
}

// --------------------------------------------------------------------------------------------- fewer
// elements

template <class In, class Stencil, class Out, class Predicate>
Out keep(const place& where, const char* what, In first, In last, Stencil stencil, Out to, Predicate p) {
  const std::ptrdiff_t n = last - first;
  return to + answer(where, what,
                     [in = unwrapped(first), by = unwrapped(stencil), out = unwrapped(to), n, p]() mutable {
                       std::ptrdiff_t kept = 0;
                       for (std::ptrdiff_t i = 0; i < n; ++i) {
                         if (!p(by[i])) continue;
                         const value<In> of = in[i];
                         out[kept++] = of;
                       }
                       return kept;
                     });
}
template <class In, class Out, class Predicate>
Out copy_if_at(const place& where, In first, In last, Out to, Predicate p) {
  return keep(where, "thrust::copy_if", first, last, first, to, p);
}
template <class In, class Stencil, class Out, class Predicate>
Out copy_if_at(const place& where, In first, In last, Stencil stencil, Out to, Predicate p) {
  return keep(where, "thrust::copy_if", first, last, stencil, to, p);
}
template <class In, class Predicate>
In remove_if_at(const place& where, In first, In last, Predicate p) {
  return keep(where, "thrust::remove_if", first, last, first, first, not_fn(p));
}
template <class In, class Stencil, class Predicate>
In remove_if_at(const place& where, In first, In last, Stencil stencil, Predicate p) {
  return keep(where, "thrust::remove_if", first, last, stencil, first, not_fn(p));
}
template <class In, class Out, class Predicate>
Out remove_copy_if_at(const place& where, In first, In last, Out to, Predicate p) {
  return keep(where, "thrust::remove_copy_if", first, last, first, to, not_fn(p));
}
template <class In, class T>
In remove_at(const place& where, In first, In last, T what) {
  return remove_if_at(where, first, last, [what](const value<In>& x) { return x == what; });
}
template <class In, class In2, class Out, class Out2, class Same>
pair<Out, Out2> firsts(const place& where, In first, In last, In2 values, bool has_values, Out to,
                       Out2 values_to, Same same) {
  const std::ptrdiff_t n = last - first;
  const std::ptrdiff_t kept = answer(where, "thrust::unique",
                                     [in = unwrapped(first), of = unwrapped(values), out = unwrapped(to),
                                      out2 = unwrapped(values_to), n, has_values, same]() mutable {
                                       std::ptrdiff_t k = 0;
                                       value<In> before{};
                                       for (std::ptrdiff_t i = 0; i < n; ++i) {
                                         const value<In> now = in[i];
                                         if (i == 0 || !same(before, now)) {
                                           if (has_values) {
                                             const value<In2> with = of[i];
                                             out2[k] = with;
                                           }
                                           out[k++] = now;
                                         }
                                         before = now;
                                       }
                                       return k;
                                     });
  return {to + kept, values_to + (has_values ? kept : 0)};
}
template <class It, class Same = equal_to<>>
It unique_at(const place& where, It first, It last, Same same = Same()) {
  return firsts(where, first, last, first, false, first, first, same).first;
}
template <class It, class Out, class Same = equal_to<>>
Out unique_copy_at(const place& where, It first, It last, Out to, Same same = Same()) {
  return firsts(where, first, last, first, false, to, first, same).first;
}
template <class It, class It2, class Same = equal_to<>>
pair<It, It2> unique_by_key_at(const place& where, It first, It last, It2 values, Same same = Same()) {
  return firsts(where, first, last, values, true, first, values, same);
}
template <class It, class It2, class Out, class Out2, class Same = equal_to<>,
          std::enable_if_t<!std::is_invocable_v<Out2, value<It>, value<It>>, int> = 0>
pair<Out, Out2> unique_by_key_copy_at(const place& where, It first, It last, It2 values, Out to,
                                      Out2 values_to, Same same = Same()) {
  return firsts(where, first, last, values, true, to, values_to, same);
}
template <class It, class Stencil, class Predicate>
It partition_by(const place& where, It first, It last, Stencil stencil, Predicate p) {
  const std::ptrdiff_t n = last - first;
  scratch<value<It>> others(where, n);
  return first +
         answer(where, "thrust::partition",
                [of = unwrapped(first), by = unwrapped(stencil), own = others.data(), n, p]() mutable {
                  std::ptrdiff_t kept = 0, left = 0;
                  for (std::ptrdiff_t i = 0; i < n; ++i) {
                    const value<It> now = of[i];
                    if (p(by[i])) {
                      of[kept++] = now;
                    } else {
                      own[left++] = now;
                    }
                  }
                  for (std::ptrdiff_t i = 0; i < left; ++i) of[kept + i] = own[i];
                  return kept;
                });
}
template <class It, class Predicate>
It partition_at(const place& where, It first, It last, Predicate p) {
  return partition_by(where, first, last, first, p);
}
template <class It, class Stencil, class Predicate>
It partition_at(const place& where, It first, It last, Stencil stencil, Predicate p) {
  return partition_by(where, first, last, stencil, p);
}
template <class It, class... A>
It stable_partition_at(const place& where, It first, It last, A... how) {
  return partition_at(where, first, last, how...);
}
template <class In, class Out, class Out2, class Predicate>
pair<Out, Out2> partition_copy_at(const place& where, In first, In last, Out to, Out2 others, Predicate p) {
  return {keep(where, "thrust::partition_copy", first, last, first, to, p),
          keep(where, "thrust::partition_copy", first, last, first, others, not_fn(p))};
}

// -------------------------------------------------------------------------------------- of two in order

/// Walks through both: which of an element of the first alone, of both, of the second alone are kept.
template <class A, class B, class Out, class F>
Out walk(const place& where, const char* what, A first, A last, B second, B second_last, Out to,
         bool of_first, bool of_both, bool of_second, bool is_merge, F f) {
  const std::ptrdiff_t n = last - first, m = second_last - second;
  return to + answer(where, what,
                     [a = unwrapped(first), b = unwrapped(second), out = unwrapped(to), n, m, of_first,
                      of_both, of_second, is_merge, f]() mutable {
                       std::ptrdiff_t i = 0, j = 0, k = 0;
                       while (i < n || j < m) {
                         const bool takes_second = i == n || (j < m && f(b[j], a[i]));
                         const bool takes_both =
                             !is_merge && i < n && j < m && !takes_second && !f(a[i], b[j]);
                         if (takes_second ? of_second : takes_both ? of_both : of_first) {
                           if (takes_second) {
                             out[k++] = b[j];
                           } else {
                             out[k++] = a[i];
                           }
                         }
                         if (!takes_second) ++i;
                         if (takes_second || takes_both) ++j;
                       }
                       return k;
                     });
}
#define HEDDLE_OF_TWO(NAME, OF_FIRST, OF_BOTH, OF_SECOND, IS_MERGE)                                          \
  template <class A, class B, class Out, class F = less<>>                                                   \
  Out NAME##_at(const place& where, A first, A last, B second, B second_last, Out to, F f = F()) {           \
    return walk(where, "thrust::" #NAME, first, last, second, second_last, to, OF_FIRST, OF_BOTH, OF_SECOND, \
                IS_MERGE, f);                                                                                \
  }
HEDDLE_OF_TWO(merge, true, true, true, true)
HEDDLE_OF_TWO(set_union, true, true, true, false)
HEDDLE_OF_TWO(set_intersection, false, true, false, false)
HEDDLE_OF_TWO(set_difference, true, false, false, false)
HEDDLE_OF_TWO(set_symmetric_difference, true, false, true, false)
#undef HEDDLE_OF_TWO

}  // namespace heddle

HEDDLE_ALGORITHM(reduce)
HEDDLE_ALGORITHM(transform_reduce)
HEDDLE_ALGORITHM(count)
HEDDLE_ALGORITHM(count_if)
HEDDLE_ALGORITHM(inner_product)
HEDDLE_ALGORITHM(reduce_by_key)
HEDDLE_ALGORITHM(inclusive_scan)
HEDDLE_ALGORITHM(exclusive_scan)
HEDDLE_ALGORITHM(transform_inclusive_scan)
HEDDLE_ALGORITHM(transform_exclusive_scan)
HEDDLE_ALGORITHM(inclusive_scan_by_key)
HEDDLE_ALGORITHM(exclusive_scan_by_key)
HEDDLE_ALGORITHM(sort)
HEDDLE_ALGORITHM(stable_sort)
HEDDLE_ALGORITHM(sort_by_key)
HEDDLE_ALGORITHM(stable_sort_by_key)
HEDDLE_ALGORITHM(copy_if)
HEDDLE_ALGORITHM(remove)
HEDDLE_ALGORITHM(remove_if)
HEDDLE_ALGORITHM(remove_copy_if)
HEDDLE_ALGORITHM(unique)
HEDDLE_ALGORITHM(unique_copy)
HEDDLE_ALGORITHM(unique_by_key)
HEDDLE_ALGORITHM(unique_by_key_copy)
HEDDLE_ALGORITHM(partition)
HEDDLE_ALGORITHM(stable_partition)
HEDDLE_ALGORITHM(partition_copy)
HEDDLE_ALGORITHM(merge)
HEDDLE_ALGORITHM(set_union)
HEDDLE_ALGORITHM(set_intersection)
HEDDLE_ALGORITHM(set_difference)
HEDDLE_ALGORITHM(set_symmetric_difference)
#undef HEDDLE_ALGORITHM

}  // namespace thrust
