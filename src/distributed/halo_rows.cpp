#include <heddle/impl/patterns/stencil/ranks.hpp>

#include <algorithm>

namespace heddle::impl {

block_with_halo block_and_halo(const std::vector<std::size_t>& begins, int rank, std::size_t depth,
                               bool periodic) {
  const auto r = static_cast<std::size_t>(rank);
  const std::size_t first = begins[r], last = begins[r + 1], n = begins.back();
  if (first == last) return {0, 0, 0, {}};
  if (!periodic) {
    const std::size_t before = std::min(depth, first), after = std::min(depth, n - last);
    block_with_halo own{first - before, before + last - first + after, before, {}};
    if (before > 0) own.halo.push_back({first - before, first, 0});
    if (after > 0) own.halo.push_back({last, last + after, before + last - first});
    return own;
  }
  // Rows go round as often as the halo is deep.
  block_with_halo own{(first + n - depth % n) % n, depth + last - first + depth, depth, {}};
  const auto add = [&](std::size_t row, std::size_t at, std::size_t count) {
    while (count > 0) {
      const std::size_t some = std::min(count, n - row);
      own.halo.push_back({row, row + some, at});
      row = (row + some) % n;
      at += some;
      count -= some;
    }
  };
  add(own.first, 0, depth);
  add(last % n, depth + last - first, depth);
  return own;
}

void exchange_halos(const ranks& all, const std::vector<std::size_t>& begins, std::size_t depth,
                    bool periodic, void* rows, std::size_t row_bytes) {
  auto* const here = static_cast<std::byte*>(rows);
  std::vector<outgoing> sends;
  std::vector<incoming> receives;
  const block_with_halo own = block_and_halo(begins, all.rank(), depth, periodic);
  const auto me = static_cast<std::size_t>(all.rank());
  for (int r = 0; r < all.size(); ++r) {
    const auto there = static_cast<std::size_t>(r);
    for (const halo_rows& part : block_and_halo(begins, r, depth, periodic).halo) {
      const std::size_t first = std::max(part.first, begins[me]), last = std::min(part.last, begins[me + 1]);
      if (first < last)
        sends.push_back({r, here + (own.block + first - begins[me]) * row_bytes, (last - first) * row_bytes});
    }
    for (const halo_rows& part : own.halo) {
      const std::size_t first = std::max(part.first, begins[there]),
                        last = std::min(part.last, begins[there + 1]);
      if (first < last)
        receives.push_back(
            {r, here + (part.at + first - part.first) * row_bytes, (last - first) * row_bytes});
    }
  }
  all.between().send_receive(sends, receives, all.where());
}

bool hides_exchange(const halo_exchange& halos, std::size_t depth) {
  // Four times `depth` rows are computed twice: an eighth more at most.
  return !halos.is_whole() && depth > 0 && halos.least_rows() >= 32 * depth;
}

std::size_t generations_at_once(const std::vector<std::size_t>& begins, std::size_t reach,
                                std::size_t steps) {
  // An exchange costs as much as some rows: as many generations as compute an eighth more.
  std::size_t least = begins.back();
  for (std::size_t r = 0; r + 1 < begins.size(); ++r)
    if (begins[r + 1] > begins[r]) least = std::min(least, begins[r + 1] - begins[r]);
  return std::max<std::size_t>(
      1, std::min({least / (8 * std::max<std::size_t>(reach, 1)), steps, std::size_t{8}}));
}

}  // namespace heddle::impl
