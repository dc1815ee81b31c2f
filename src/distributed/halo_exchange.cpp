#include <heddle/error.hpp>
#include <heddle/halo_exchange.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle {

std::vector<std::size_t> even_rows(std::size_t rows, int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> begins(count + 1);
  // rows · r / count, which may not fit 64 bits
  for (std::size_t r = 0; r <= count; ++r) begins[r] = rows / count * r + rows % count * r / count;
  return begins;
}

halo_exchange::halo_exchange(const ranks& all, std::vector<std::size_t> begins, bool periodic)
    : all_(all), begins_(std::move(begins)) {
  const int size = all.size(), me = all.rank();
  if (begins_.size() != static_cast<std::size_t>(size) + 1 || begins_.front() != 0 ||
      !std::is_sorted(begins_.begin(), begins_.end()))
    fail(fmt::format("halo_exchange: blocks of {} ranks begin at [{}]: give {} rising numbers from 0 on",
                     size, fmt::join(begins_, ", "), size + 1));
  const auto rows_of = [&](int r) {
    return begins_[static_cast<std::size_t>(r) + 1] - begins_[static_cast<std::size_t>(r)];
  };
  for (int r = 0; r < size; ++r) {
    if (rows_of(r) == 0) continue;
    least_rows_ = least_rows_ == 0 ? rows_of(r) : std::min(least_rows_, rows_of(r));
    if (rows_of(r) == begins_.back()) is_whole_ = true;
  }
  if (is_whole_ || rows() == 0) return;
  const auto next = [&](int direction) {
    for (int r = me + direction;; r += direction) {
      if (r < 0 || r >= size) {
        if (!periodic) return -1;
        r = (r + size) % size;
      }
      if (rows_of(r) > 0) return r;
    }
  };
  before_ = next(-1);
  after_ = next(1);
}

void halo_exchange::start(std::span<const memory_part> to_before, std::span<const memory_part> to_after,
                          std::span<const memory_part> from_before, std::span<const memory_part> from_after) {
  const auto size = static_cast<std::size_t>(all_.size());
  sent_.assign(size, {});
  received_.assign(size, {});
  const auto add = [](std::vector<std::vector<memory_part>>& to, int rank,
                      std::span<const memory_part> parts) {
    if (rank < 0) return;
    auto& of_rank = to[static_cast<std::size_t>(rank)];
    of_rank.insert(of_rank.end(), parts.begin(), parts.end());
  };
  // Where both neighbours are one rank, what goes after comes first: there it is what comes from before.
  add(sent_, after_, to_after);
  add(sent_, before_, to_before);
  add(received_, before_, from_before);
  add(received_, after_, from_after);
}

void halo_exchange::finish() {
  if (is_whole_) return;
  std::vector<std::size_t> sizes;
  std::size_t sum = 0;
  for (const auto& of_rank : sent_) {
    std::size_t bytes = 0;
    for (const memory_part& part : of_rank) bytes += part.bytes;
    sizes.push_back(bytes);
    sum += bytes;
  }
  std::vector<std::byte> there(sum), here(sum);
  std::byte* at = there.data();
  for (const auto& of_rank : sent_)
    for (const memory_part& part : of_rank) {
      copy(at, target(), part.data, all_.where(), part.bytes);
      at += part.bytes;
    }
  all_.between().all_to_all(there.data(), sizes, here.data(), sizes);
  at = here.data();
  for (const auto& of_rank : received_)
    for (const memory_part& part : of_rank) {
      copy(part.data, all_.where(), at, target(), part.bytes);
      at += part.bytes;
    }
}

}  // namespace heddle
