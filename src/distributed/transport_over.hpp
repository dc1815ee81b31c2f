#pragma once

#include <heddle/impl/distributed/transport.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace heddle::impl {

/// A transport of the CPU, for ranks some of which are on GPUs: this one is on a CPU, or a derived class
/// moves what is on its GPU.
class transport_over : public transport {
 public:
  explicit transport_over(std::shared_ptr<transport> cpu) : cpu_(std::move(cpu)) {}

  using transport::all_gather, transport::all_to_all, transport::broadcast;
  int rank() const noexcept override { return cpu_->rank(); }
  int size() const noexcept override { return cpu_->size(); }
  void barrier() override { cpu_->barrier(); }
  void broadcast(void* data, std::size_t bytes, int from) override { cpu_->broadcast(data, bytes, from); }
  void all_gather(const void* mine, std::span<const std::size_t> bytes, void* all) override {
    cpu_->all_gather(mine, bytes, all);
  }
  void all_to_all(const void* from, std::span<const std::size_t> bytes_to, void* to,
                  std::span<const std::size_t> bytes_from) override {
    cpu_->all_to_all(from, bytes_to, to, bytes_from);
  }
  std::unique_ptr<exchange> start(std::span<const outgoing> sends, std::span<const incoming> receives,
                                  const target& where) override {
    return cpu_->start(sends, receives, where);
  }
  std::string between_gpus() const override { return "MPI: some ranks are on CPUs"; }
  bool has_gpus() const noexcept override { return true; }
  std::shared_ptr<transport> of_cpu() const override { return cpu_; }
  [[noreturn]] void abort(const std::string& message) override {
    cpu_->abort(message);
    std::abort();  // GCC forgets that a virtual function does not return
  }

 private:
  std::shared_ptr<transport> cpu_;
};

}  // namespace heddle::impl
