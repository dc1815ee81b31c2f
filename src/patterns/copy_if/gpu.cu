#include "core/type_op_dispatch.hpp"
#include "gpu/with_word.cuh"
#include "patterns/copy_if/gpu.cuh"
#include "patterns/copy_if/gpu.hpp"
#include <heddle/gather.hpp>
#include <heddle/impl/patterns/copy_if/gpu.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <algorithm>
#include <cstdint>

namespace heddle::gpu {
std::size_t count_flags(const bool* flags, std::size_t n, const target& where) {
  const current_device on(where);
  const memory storage(sizeof(unsigned long long), where);
  auto* const count = static_cast<unsigned long long*>(storage.data());
  check(cudaMemsetAsync(count, 0, sizeof *count, where.stream()), "cudaMemsetAsync");
  const unsigned grid = std::min(grid_for(n, 16 * flag_threads), 8 * multiprocessors(where));
  count_flags<<<grid, flag_threads, 0, where.stream()>>>(flags, n, count);
  check(cudaGetLastError(), "launch of count_flags");
  unsigned long long found;
  heddle::copy(&found, target(), count, where, sizeof found);
  return found;
}

namespace {

/// Calls f with the elements, where a thread reads and writes each as one word; returns whether it does.
template <class F>
bool with_elements(const void* x, std::size_t element_bytes, const void* out, const F& f) {
  bool is_word = false;
  with_word(element_bytes, x, out, [&]<class Word>(Word) {
    if (sizeof(Word) != element_bytes) return;
    f(elements_to_select<Word>{static_cast<const Word*>(x)});
    is_word = true;
  });
  return is_word;
}

/// Copies elements of any size by their indices, and returns how many are chosen.
std::size_t copy_by_indices(const bool* flags, std::size_t n, const void* x, std::size_t element_bytes,
                            void* out, void* others, const target& where) {
  const memory storage((others == nullptr ? 1 : 2) * n * sizeof(std::size_t), where);
  auto* const chosen = static_cast<std::size_t*>(storage.data());
  std::size_t* const not_chosen = others == nullptr ? nullptr : chosen + n;
  const std::size_t found =
      select_in_order(where, indices_to_select{}, chosen_by_flags{flags}, n, chosen, not_chosen);
  impl::library_gather(x, {1, n, 1}, element_bytes, {dtype::uint64, chosen, found}, out, where);
  if (others != nullptr) {
    impl::library_gather(x, {1, n, 1}, element_bytes, {dtype::uint64, not_chosen, n - found}, others, where);
  }
  return found;
}

}  // namespace

void copy_chosen_and_others(const bool* flags, std::size_t n, const void* x, std::size_t element_bytes,
                            void* out, void* others, const target& where) {
  const bool copied = with_elements(x, element_bytes, out, [&]<class T>(const elements_to_select<T>& from) {
    select_in_order(where, from, chosen_by_flags{flags}, n, static_cast<T*>(out), static_cast<T*>(others),
                    nullptr);
  });
  if (!copied) copy_by_indices(flags, n, x, element_bytes, out, others, where);
}

std::size_t copy_chosen(const bool* flags, std::size_t n, const void* x, std::size_t element_bytes, void* out,
                        const target& where) {
  std::size_t count = 0;
  const bool copied = with_elements(x, element_bytes, out, [&]<class T>(const elements_to_select<T>& from) {
    T* const no_others = nullptr;
    count = select_in_order(where, from, chosen_by_flags{flags}, n, static_cast<T*>(out), no_others);
  });
  return copied ? count : copy_by_indices(flags, n, x, element_bytes, out, nullptr, where);
}

void indices_of_flags(const bool* flags, std::size_t n, std::size_t* out, const target& where) {
  std::size_t* const no_others = nullptr;
  select_in_order(where, indices_to_select{}, chosen_by_flags{flags}, n, out, no_others, nullptr);
}

std::size_t copy_first_of_runs(dtype type, const void* x, std::size_t n, void* out, const target& where) {
  std::size_t count = 0;
  impl::dispatch_type_op<impl::family::arithmetic>(
      type == dtype::boolean ? dtype::uint8 : type, runtime_op::plus,
      [&]<class T, class Op>(impl::type_tag<T>, Op) {
        const T* const from = static_cast<const T*>(x);
        T* const no_others = nullptr;
        count = select_in_order(where, elements_to_select<T>{from}, chosen_if_first_of_run<T>{from}, n,
                                static_cast<T*>(out), no_others);
      });
  return count;
}

void flag_changes(dtype type, const void* x, std::size_t n, bool* flags, const target& where) {
  // The sums of types that differ in their sign share code, and so do their differences.
  impl::dispatch_type_op<impl::family::arithmetic>(
      type == dtype::boolean ? dtype::uint8 : type, runtime_op::plus,
      [&]<class T, class Op>(impl::type_tag<T>, Op) {
        transform(where, change_at<T>{static_cast<const T*>(x)}, n, flags);
      });
}

void flag_offsets(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags,
                  const target& where) {
  const current_device on(where);
  check(cudaMemsetAsync(flags, 0, n, where.stream()), "cudaMemsetAsync");
  flag_offsets<<<grid_for(count + 1, flag_threads), flag_threads, 0, where.stream()>>>(offsets, count, n,
                                                                                       flags);
  check(cudaGetLastError(), "launch of flag_offsets");
}

}  // namespace heddle::gpu
