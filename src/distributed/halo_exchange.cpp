#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/support/halo_exchange.hpp>

#include <algorithm>
#include <cstdint>
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
  if (is_whole_) return;
  const auto next = [&](int direction) {
    for (int r = me + direction;; r += direction) {
      if (r < 0 || r >= size) {
        if (!periodic) return -1;
        r = (r + size) % size;
      }
      if (rows_of(r) > 0) return r;
    }
  };
  if (rows() != 0) {
    before_ = next(-1);
    after_ = next(1);
  }
  connect();
}

void halo_exchange::connect() {
  array<std::uint8_t> sent({2}, all_.where()), received({2}, all_.where());
  const auto byte = [](array<std::uint8_t>& of, std::size_t i) { return memory_part{of.data() + i, 1}; };
  start(byte(sent, 0), byte(sent, 1), byte(received, 0), byte(received, 1));
  finish();
  all_.where().wait();
}

void halo_exchange::start(std::span<const memory_part> to_before, std::span<const memory_part> to_after,
                          std::span<const memory_part> from_before, std::span<const memory_part> from_after) {
  if (is_whole_) return;
  std::vector<impl::outgoing> sends;
  std::vector<impl::incoming> receives;
  const auto send = [&](int to, std::span<const memory_part> parts) {
    if (to < 0) return;
    for (const memory_part& part : parts) sends.push_back({to, part.data, part.bytes});
  };
  const auto receive = [&](int from, std::span<const memory_part> parts) {
    if (from < 0) return;
    for (const memory_part& part : parts) receives.push_back({from, part.data, part.bytes});
  };
  // Where both neighbours are one rank, what goes after comes first: there it is what comes from before.
  send(after_, to_after);
  send(before_, to_before);
  receive(before_, from_before);
  receive(after_, from_after);
  running_ = all_.between().start(sends, receives, all_.where());
}

void halo_exchange::finish() {
  if (running_) running_->wait();
  running_.reset();
}

}  // namespace heddle
