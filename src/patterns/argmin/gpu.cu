#include "core/type_op_dispatch.hpp"
#include "patterns/argmin/extrema.cuh"
#include "patterns/argmin/gpu.cuh"
#include "patterns/argmin/gpu.hpp"
#include <heddle/impl/gpu/temp_storage.cuh>

#include <algorithm>

namespace heddle::gpu {
namespace {

/// Finds the extrema of rows in one launch. Blocks of all rows together fill the GPU once.
template <class State, class T, class Results>
void launch_find_extrema(const T* x, std::size_t rows, std::size_t length, const Results& results,
                         const target& where) {
  constexpr std::size_t blocks_a_multiprocessor = 2, least = extrema_threads * 16;
  const std::size_t blocks = multiprocessors(where) * blocks_a_multiprocessor;
  const std::size_t wanted = std::min((blocks + rows - 1) / rows, (length + least - 1) / least);
  const std::size_t part = (length / wanted + least - 1) / least * least, parts = (length + part - 1) / part;
  const std::size_t several = parts > 1 ? rows : 0;
  temp_storage scratch(where,
                       {.counters = several, .bytes = several * parts * sizeof(published_state<State>)});
  const unsigned grid = grid_for(rows * parts, 1);
  find_extrema<State><<<grid, extrema_threads, 0, where.stream()>>>(
      x, rows, length, parts, part,
      several == 0 ? nullptr : static_cast<published_state<State>*>(scratch.bytes()),
      several == 0 ? nullptr : scratch.counters(), results);
  check(cudaGetLastError(), "launch of find_extrema");
}

}  // namespace

void find_arg_of_rows(runtime_op op, dtype type, const void* x, std::size_t rows, std::size_t length,
                      std::size_t* index, const target& where) {
  const current_device on(where);
  impl::dispatch_type_op<impl::family::order>(type, op, [&]<class T, class Op>(impl::type_tag<T>, Op) {
    launch_find_extrema<arg_extremum<T, Op>>(static_cast<const T*>(x), rows, length, index, where);
  });
}

void find_minmax_of_rows(dtype type, const void* x, std::size_t rows, std::size_t length, void* smallest,
                         void* largest, const target& where) {
  const current_device on(where);
  impl::dispatch_type_op<impl::family::order>(
      type, runtime_op::minimum, [&]<class T, class Op>(impl::type_tag<T>, Op) {
        const two_results<T> results{static_cast<T*>(smallest), static_cast<T*>(largest)};
        launch_find_extrema<both_extrema<T>>(static_cast<const T*>(x), rows, length, results, where);
      });
}

void find_first(dtype type, const void* x, axis_lines all, const void* extremum, std::size_t* index,
                const target& where) {
  const current_device on(where);
  check(cudaMemsetAsync(index, 0xff, all.count() * sizeof *index, where.stream()), "cudaMemsetAsync");
  impl::dispatch_type_op<impl::family::order>(
      type, runtime_op::minimum, [&]<class T, class Op>(impl::type_tag<T>, Op) {
        find_first_equal<<<grid_for(all.elements(), find_piece), transform_threads, 0, where.stream()>>>(
            static_cast<const T*>(x), all, static_cast<const T*>(extremum),
            reinterpret_cast<unsigned long long*>(index));
        check(cudaGetLastError(), "launch of find_first_equal");
      });
}

}  // namespace heddle::gpu
