#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/call_along_lines.hpp>
#include <heddle/impl/patterns/copy_if/predicate.hpp>
#include <heddle/transform.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/copy_if/gpu.cuh>
#endif

namespace heddle {

template <element T>
struct partitioned;

}  // namespace heddle

namespace heddle::impl {

/// The elements that flags select, and how many they are: for outputs that have no room to spare. The
/// selection, its flags and its elements are on `where`.
class selection {
 public:
  /// Waits for the number of selected elements.
  selection(const bool* flags, std::size_t n, const target& where);

  std::size_t count() const noexcept { return count_; }

  /// Copies the selected elements of x, in order, to `out`, and with `all` the others after them.
  void copy(const void* x, std::size_t element_bytes, bool all, void* out) const;
  /// The indices of the selected elements.
  void indices(std::size_t* out) const;

 private:
  const bool* flags_;
  std::size_t size_, count_ = 0;
  target where_;
  memory before_;  ///< on a CPU, how many are selected before each tile
};

/// Sets flags[i] where x[i] differs from x[i − 1], and flags[0]. NaNs are equal, and −0 equals +0.
void library_flag_changes(dtype type, const void* x, std::size_t n, bool* flags, const target& where);

/// The array that make() makes, or none if there is no memory for it.
template <class Make>
auto made_if_possible(const Make& make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const error&) {
    return std::nullopt;
  }
}

/// Makes `found` an array of its first `count` elements. Its memory stays if they fill a quarter of it.
template <class Array>
void keep_first(Array& found, std::size_t count, std::size_t element_bytes) {
  if (count < found.size() / 4 + (found.size() % 4 != 0 ? 1 : 0)) {
    Array exact = [&] {
      if constexpr (requires { found.dtype(); }) {
        return Array(found.dtype(), {count}, found.where());
      } else {
        return Array(count, found.where());
      }
    }();
    copy(exact.data(), exact.where(), found.data(), found.where(), count * element_bytes);
    found = std::move(exact);
  } else {
    array_access::shorten(found, count);
  }
}

/// A call that chooses elements of any type by flags.
class flagged_call {
 public:
  flagged_call(const char* pattern, const untyped_elements& x, const elements<const bool>& flags,
               const target& requested);

  const target& where() const noexcept { return call_.where(); }
  std::size_t count();
  /// The chosen elements, and the others after them where all are wanted.
  void copy(bool all, void* out);
  /// Copies the chosen elements on a GPU, to room for all of them, and returns their number.
  std::size_t copy_to_room(void* out);

 private:
  call_along_lines call_;
  std::size_t element_bytes_;
  std::optional<staged_input<bool>> flags_;
  std::optional<selection> chosen_;
};

inline namespace HD_BUILD {

template <class X, class F, class T = element_of<X>>
partitioned<T> chosen_elements(const char* pattern, const target& requested, const X& x, const F& f,
                               bool all) {
  static_assert(std::is_invocable_r_v<bool, const F&, const T&>,
                "f must take an element and say whether it is chosen");
  const elements<const T> in = input(x);
  operation running(pattern, in.size, type_name<T>());
  const target where =
      resolve(requested, {2 * in.size * sizeof(T), in.size * sizeof(T), in.where, compiled_for_gpu});
  running.runs_on(where);
  const staged_input<T> staged(in, where);
#if defined(__CUDACC__)
  // One pass keeps elements in registers, and needs room for all of them.
  if constexpr (sizeof(T) <= 64 && std::is_copy_assignable_v<T>) {
    const auto make = [&](std::size_t n) { return array<T>(n, where); };
    auto found = made_if_possible([&] { return make(where.is_gpu() ? in.size : 0); });
    auto others = made_if_possible([&] { return make(where.is_gpu() && all ? in.size : 0); });
    if (where.is_gpu() && found && others) {
      const std::size_t count = gpu::select_in_order(where, gpu::elements_to_select<T>{staged.data()},
                                                     gpu::chosen_by_function<F>{f}, in.size, found->data(),
                                                     all ? others->data() : nullptr);
      if (all) {
        copy(found->data() + count, where, others->data(), where, (in.size - count) * sizeof(T));
      } else {
        keep_first(*found, count, sizeof(T));
      }
      return {std::move(*found), count};
    }
  }
#endif
  const array_view<const T> view(staged.data(), heddle::shape{in.size}, where);
  const array<bool> flags = transform(where, view, holds<F>{f});
  const selection chosen(flags.data(), in.size, where);
  partitioned<T> result{array<T>(all ? in.size : chosen.count(), where), chosen.count()};
  chosen.copy(staged.data(), sizeof(T), all, result.elements.data());
  return result;
}

}  // namespace HD_BUILD

template <class X, class Flags, class T = element_of<X>>
  requires(!std::is_same_v<element_of<Flags>, bool>)
partitioned<T> flagged_elements(const char*, const target&, const X&, const Flags&, bool) {
  static_assert(std::is_same_v<element_of<Flags>, bool>, "flags are an array of bool");
  return {};
}

template <class X, class Flags, class T = element_of<X>>
partitioned<T> flagged_elements(const char* pattern, const target& requested, const X& x, const Flags& flags,
                                bool all) {
  flagged_call call(pattern, untyped(x), input(flags), requested);
  if (call.where().is_gpu() && !all) {
    auto found = made_if_possible([&] { return array<T>(input(x).size, call.where()); });
    if (found) {
      const std::size_t count = call.copy_to_room(found->data());
      keep_first(*found, count, sizeof(T));
      return {std::move(*found), count};
    }
  }
  partitioned<T> result{array<T>(all ? input(x).size : call.count(), call.where()), call.count()};
  call.copy(all, result.elements.data());
  return result;
}

}  // namespace heddle::impl
