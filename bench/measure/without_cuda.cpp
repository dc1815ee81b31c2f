#include "peers.hpp"

namespace heddle::measure {

template <class T>
contenders cub_sort(const session&, const T*, T*, std::size_t, std::function<bool()>) {
  return {};
}
template contenders cub_sort(const session&, const float*, float*, std::size_t, std::function<bool()>);
template contenders cub_sort(const session&, const std::int64_t*, std::int64_t*, std::size_t,
                             std::function<bool()>);
contenders cub_segmented_sum(const session&, const float*, const std::size_t*, std::size_t, float*,
                             std::function<bool()>) {
  return {};
}
contenders thrust_scan_by_key(const session&, const std::uint32_t*, const float*, float*, std::size_t,
                              std::function<bool()>) {
  return {};
}
contenders thrust_gather(const session&, const float*, const std::uint32_t*, float*, std::size_t,
                         std::function<bool()>) {
  return {};
}
contenders thrust_scatter(const session&, const float*, const std::uint32_t*, float*, std::size_t,
                          std::function<bool()>) {
  return {};
}
contenders thrust_lower_bound(const session&, const float*, std::size_t, const float*, std::size_t,
                              std::size_t*, std::function<bool()>) {
  return {};
}
contenders cub_histogram(const session&, const float*, std::size_t, int, std::uint32_t*,
                         std::function<bool()>) {
  return {};
}
contenders cub_copy_if(const session&, const float*, const bool*, std::size_t, float*,
                       std::function<bool()>) {
  return {};
}
contenders cub_unique(const session&, const float*, std::size_t, float*, std::function<bool()>) {
  return {};
}
contenders cub_argmax(const session&, const float*, std::size_t, float*, std::int64_t*,
                      std::function<bool()>) {
  return {};
}
contenders thrust_minmax(const session&, const float*, std::size_t, std::size_t*, std::size_t*,
                         std::function<bool()>) {
  return {};
}
contenders cub_read(const session&, const std::uint32_t*, std::size_t) {
  return {};
}

}  // namespace heddle::measure
