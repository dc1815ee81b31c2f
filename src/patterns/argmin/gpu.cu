#include "core/type_op_dispatch.hpp"
#include "patterns/argmin/gpu.cuh"
#include "patterns/argmin/gpu.hpp"
#include "target/gpu_devices.hpp"

#include <algorithm>

namespace heddle::gpu {

void find_first(dtype type, const void* x, axis_lines all, const void* extremum, const void* of_pieces,
                std::size_t piece, std::size_t* index, const target& where) {
  const current_device on(where);
  check(cudaMemsetAsync(index, 0xff, all.count() * sizeof *index, where.stream()), "cudaMemsetAsync");
  impl::dispatch_type_op<impl::family::order>(
      type, runtime_op::minimum, [&]<class T, class Op>(impl::type_tag<T>, Op) {
        const T* const elements = static_cast<const T*>(x);
        const T* const wanted = static_cast<const T*>(extremum);
        auto* const to = reinterpret_cast<unsigned long long*>(index);
        if (all.inner == 1 && all.length >= find_piece) {
          const std::size_t of_block = of_pieces == nullptr ? find_piece : piece;
          // Of pieces nearly all are passed over: a block takes several.
          const unsigned most = of_pieces == nullptr ? ~0u : 16 * multiprocessors(where);
          const unsigned grid = std::min(grid_for(all.elements(), of_block), most);
          find_first_equal_in_rows<<<grid, transform_threads, 0, where.stream()>>>(
              elements, all.outer, all.length, wanted, static_cast<const T*>(of_pieces), of_block, to);
        } else {
          const unsigned grid = grid_for(all.elements(), find_piece);
          find_first_equal<<<grid, transform_threads, 0, where.stream()>>>(elements, all, wanted, to);
        }
        check(cudaGetLastError(), "launch of find_first_equal");
      });
}

}  // namespace heddle::gpu
