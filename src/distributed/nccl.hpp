#pragma once

#include "target/shared_library.hpp"
#include <heddle/impl/distributed/transport.hpp>

#include <cstddef>
#include <span>
#include <string>

#include <cuda_runtime.h>

/// The functions of NCCL 2, which is loaded when ranks on GPUs first need it. Its C interface is the same in
/// all versions 2.
namespace heddle::impl {

struct nccl_unique_id {
  char bytes[128];
};

struct nccl {
  using communicator = struct nccl_communicator_handle*;
  static constexpr int success = 0, bytes_type = 0;

  shared_library library;
  int (*get_version)(int*);
  int (*get_unique_id)(nccl_unique_id*);
  int (*init_rank)(communicator*, int ranks, nccl_unique_id, int rank);
  int (*destroy)(communicator);
  const char* (*error_string)(int);
  const char* (*last_error)(communicator);
  int (*group_start)();
  int (*group_end)();
  int (*send)(const void*, std::size_t count, int type, int to, communicator, cudaStream_t);
  int (*receive)(void*, std::size_t count, int type, int from, communicator, cudaStream_t);
  int (*broadcast)(const void*, void*, std::size_t count, int type, int from, communicator, cudaStream_t);

  nccl();
  /// Throws heddle::error where there is none.
  static const nccl& loaded();
  /// 21003 is 2.10.3; 0 where there is none.
  static int version() noexcept;
};

/// One rank's end of what NCCL connects. Made and destroyed by all ranks at once.
class nccl_communicator {
 public:
  /// `id` is that of rank 0. The current device is that of the rank.
  nccl_communicator(int rank, int size, const nccl_unique_id& id);
  ~nccl_communicator();
  nccl_communicator(const nccl_communicator&) = delete;

  /// Puts the messages on a stream, but for those from the rank to itself.
  void send_receive(std::span<const outgoing> sends, std::span<const incoming> receives,
                    cudaStream_t on) const;
  void broadcast(void* data, std::size_t bytes, int from, cudaStream_t on) const;

 private:
  void check(int status, const char* call, const std::string& what) const;

  int rank_, size_;
  nccl::communicator handle_ = nullptr;
};

}  // namespace heddle::impl
