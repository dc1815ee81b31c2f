#include "cuda/families.hpp"

namespace heddle::cuda {

void reduce(detail::function op, dtype type, const void* x, segments all, void* out, const target& where) {
  with_family(op, type,
              [&]<detail::family Family>() { reduce_family<Family>(op, type, x, all, out, where); });
}

void fold_tiles(detail::function op, dtype type, const void* x, std::size_t count, void* out,
                const target& where) {
  with_family(op, type,
              [&]<detail::family Family>() { fold_tiles_family<Family>(op, type, x, count, out, where); });
}

void segmented_reduce(detail::function op, dtype type, const void* x, std::size_t n,
                      const std::size_t* offsets, std::size_t count, void* out, const target& where) {
  with_family(op, type, [&]<detail::family Family>() {
    segmented_reduce_family<Family>(op, type, x, n, offsets, count, out, where);
  });
}

void scan(detail::function op, dtype type, bool exclusive, const void* x, segments all, const void* init,
          void* out, const target& where) {
  with_family(op, type, [&]<detail::family Family>() {
    scan_family<Family>(op, type, exclusive, x, all, init, out, where);
  });
}

}  // namespace heddle::cuda
