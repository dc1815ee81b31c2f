#include <heddle/error.hpp>
#include <heddle/impl/distributed/transport.hpp>
#include <heddle/memory.hpp>

#include <vector>

#include <fmt/format.h>

namespace heddle::impl {

void copy_to_self(int rank, std::span<const outgoing> sends, std::span<const incoming> receives,
                  const target& where) {
  auto to = receives.begin();
  for (const outgoing& from : sends) {
    if (from.to != rank) continue;
    while (to != receives.end() && to->from != rank) ++to;
    if (to == receives.end() || to->bytes != from.bytes)
      fail(fmt::format("rank {} sends {} bytes to itself, and has room for {}", rank, from.bytes,
                       to == receives.end() ? 0 : to->bytes));
    if (from.bytes > 0) copy(to->data, where, from.data, where, from.bytes);
    ++to;
  }
}

void transport::broadcast(void* data, std::size_t bytes, int from, const target& where) {
  if (!has_gpus() && !where.is_gpu()) return broadcast(data, bytes, from);
  std::vector<outgoing> sends;
  std::vector<incoming> receives;
  if (rank() != from) receives.push_back({from, data, bytes});
  for (int r = 0; rank() == from && r < size(); ++r)
    if (r != from) sends.push_back({r, data, bytes});
  send_receive(sends, receives, where);
}

void transport::all_gather(const void* mine, std::span<const std::size_t> bytes, void* all,
                           const target& where) {
  if (!has_gpus() && !where.is_gpu()) return all_gather(mine, bytes, all);
  std::vector<outgoing> sends;
  std::vector<incoming> receives;
  char* to = static_cast<char*>(all);
  for (int r = 0; r < size(); ++r) {
    const std::size_t of_rank = bytes[static_cast<std::size_t>(r)];
    sends.push_back({r, mine, bytes[static_cast<std::size_t>(rank())]});
    receives.push_back({r, to, of_rank});
    to += of_rank;
  }
  send_receive(sends, receives, where);
}

void transport::all_to_all(const void* from, std::span<const std::size_t> bytes_to, void* to,
                           std::span<const std::size_t> bytes_from, const target& where) {
  if (!has_gpus() && !where.is_gpu()) return all_to_all(from, bytes_to, to, bytes_from);
  std::vector<outgoing> sends;
  std::vector<incoming> receives;
  const char* next_sent = static_cast<const char*>(from);
  char* next = static_cast<char*>(to);
  for (int r = 0; r < size(); ++r) {
    const auto of_rank = static_cast<std::size_t>(r);
    sends.push_back({r, next_sent, bytes_to[of_rank]});
    receives.push_back({r, next, bytes_from[of_rank]});
    next_sent += bytes_to[of_rank];
    next += bytes_from[of_rank];
  }
  send_receive(sends, receives, where);
}

}  // namespace heddle::impl
