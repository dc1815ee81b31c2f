#include "gpu/families.hpp"

namespace heddle::gpu {

void reduce(impl::function op, dtype type, const void* x, segments all, void* out, const target& where) {
  with_family(op, type, [&]<impl::family Family>() { reduce_family<Family>(op, type, x, all, out, where); });
}

void reduce_tiles(impl::function op, dtype type, const void* x, std::size_t count, void* out,
                  const target& where) {
  with_family(op, type,
              [&]<impl::family Family>() { reduce_tiles_family<Family>(op, type, x, count, out, where); });
}

void segmented_reduce(impl::function op, dtype type, const void* x, std::size_t n, const std::size_t* offsets,
                      std::size_t count, void* out, const target& where) {
  with_family(op, type, [&]<impl::family Family>() {
    segmented_reduce_family<Family>(op, type, x, n, offsets, count, out, where);
  });
}

void scan(impl::function op, dtype type, bool exclusive, const void* x, segments all, const void* init,
          void* out, const target& where) {
  with_family(op, type, [&]<impl::family Family>() {
    scan_family<Family>(op, type, exclusive, x, all, init, out, where);
  });
}

}  // namespace heddle::gpu
