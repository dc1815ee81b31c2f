#include "nccl.hpp"

#include <heddle/error.hpp>

#include <fmt/format.h>

namespace heddle::impl {
namespace {

std::string text_of(std::span<const outgoing> sends, std::span<const incoming> receives) {
  std::size_t sent = 0, received = 0;
  for (const outgoing& m : sends) sent += m.bytes;
  for (const incoming& m : receives) received += m.bytes;
  return fmt::format("sending {} bytes in {} messages and receiving {} in {}", sent, sends.size(), received,
                     receives.size());
}

}  // namespace

nccl::nccl()
    : library(cuda_files({"libnccl.so.2"}),
              "exchanges between GPUs need NCCL: install it, or add_cuda_folder() the folder that has its "
              "lib") {
  const auto find = [this]<class F>(F*& function, const char* name) { function = library.function<F>(name); };
  find(get_version, "ncclGetVersion");
  find(get_unique_id, "ncclGetUniqueId");
  find(init_rank, "ncclCommInitRank");
  find(destroy, "ncclCommDestroy");
  find(error_string, "ncclGetErrorString");
  // From 2.13 on.
  last_error = library.optional_function<const char*(communicator)>("ncclGetLastError");
  find(group_start, "ncclGroupStart");
  find(group_end, "ncclGroupEnd");
  find(send, "ncclSend");
  find(receive, "ncclRecv");
  find(broadcast, "ncclBroadcast");
}

const nccl& nccl::loaded() {
  static const nccl only;
  return only;
}

int nccl::version() noexcept {
  try {
    int number = 0;
    return loaded().get_version(&number) == success ? number : 0;
  } catch (const error&) {
    return 0;
  }
}

nccl_communicator::nccl_communicator(int rank, int size, const nccl_unique_id& id)
    : rank_(rank), size_(size) {
  check(nccl::loaded().init_rank(&handle_, size, id, rank), "ncclCommInitRank", "connecting GPUs");
}

nccl_communicator::~nccl_communicator() {
  // At the end of a program CUDA may be gone before it.
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) nccl::loaded().destroy(handle_);
}

void nccl_communicator::check(int status, const char* call, const std::string& what) const {
  if (status == nccl::success) return;
  const nccl& library = nccl::loaded();
  const char* const reason = library.last_error != nullptr ? library.last_error(handle_) : nullptr;
  fail(fmt::format("NCCL: {} in {} on rank {} of {}, {}{}{}", library.error_string(status), call, rank_,
                   size_, what, reason != nullptr && *reason != '\0' ? ": " : "",
                   reason != nullptr ? reason : ""));
}

void nccl_communicator::send_receive(std::span<const outgoing> sends, std::span<const incoming> receives,
                                     cudaStream_t on) const {
  const nccl& library = nccl::loaded();
  const auto checked = [&](int status, const char* call) {
    if (status == nccl::success) return;
    check(status, call, text_of(sends, receives));
  };
  checked(library.group_start(), "ncclGroupStart");
  for (const outgoing& m : sends)
    if (m.to != rank_ && m.bytes > 0)
      checked(library.send(m.data, m.bytes, nccl::bytes_type, m.to, handle_, on), "ncclSend");
  for (const incoming& m : receives)
    if (m.from != rank_ && m.bytes > 0)
      checked(library.receive(m.data, m.bytes, nccl::bytes_type, m.from, handle_, on), "ncclRecv");
  checked(library.group_end(), "ncclGroupEnd");
}

void nccl_communicator::broadcast(void* data, std::size_t bytes, int from, cudaStream_t on) const {
  check(nccl::loaded().broadcast(data, data, bytes, nccl::bytes_type, from, handle_, on), "ncclBroadcast",
        fmt::format("of {} bytes of rank {}", bytes, from));
}

}  // namespace heddle::impl
