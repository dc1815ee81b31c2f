#pragma once

#include <heddle/impl/distributed/transport.hpp>
#include <heddle/ranks.hpp>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

namespace heddle::tests {

/// Ranks that are threads of this process, so that sanitizers see what they exchange.
class ranks_as_threads {
 public:
  /// Calls f(ranks) on `size` threads at once.
  template <class F>
  static void run(int size, const F& f) {
    const auto shared = std::make_shared<ranks_as_threads>(size);
    std::vector<std::thread> threads;
    for (int r = 0; r < size; ++r)
      threads.emplace_back([&, r] { f(ranks(std::make_shared<between>(shared, r), target())); });
    for (std::thread& t : threads) t.join();
  }

  explicit ranks_as_threads(int size)
      : data_(static_cast<std::size_t>(size)), bytes_(static_cast<std::size_t>(size)) {
    pthread_barrier_init(&all_here_, nullptr, static_cast<unsigned>(size));
  }
  ~ranks_as_threads() { pthread_barrier_destroy(&all_here_); }
  ranks_as_threads(const ranks_as_threads&) = delete;

 private:
  /// What one rank has sent to another, until that has read it.
  struct message {
    std::size_t from, to;
    const void* data;
    std::size_t bytes;
    bool is_read = false;
  };

  /// An exchange: its bytes move when their receiver waits.
  class thread_exchange final : public impl::exchange {
   public:
    thread_exchange(std::shared_ptr<ranks_as_threads> shared, std::size_t rank)
        : shared_(std::move(shared)), rank_(rank) {}
    void send(const impl::outgoing& m) {
      sent_.push_back(
          std::make_shared<message>(message{rank_, static_cast<std::size_t>(m.to), m.data, m.bytes}));
      const std::lock_guard lock(shared_->mutex_);
      shared_->sent_[{sent_.back()->from, sent_.back()->to}].push_back(sent_.back());
      shared_->changed_.notify_all();
    }
    /// Takes what comes in the order in which exchanges were started.
    void receive(std::span<const impl::incoming> rooms) {
      const std::lock_guard lock(shared_->mutex_);
      for (const impl::incoming& m : rooms) {
        std::size_t& next = shared_->awaited_[{static_cast<std::size_t>(m.from), rank_}];
        rooms_.push_back({m, next++});
      }
    }
    void wait() override {
      std::unique_lock lock(shared_->mutex_);
      for (const auto& [m, number] : rooms_) {
        const auto from = static_cast<std::size_t>(m.from);
        const auto& sent = shared_->sent_[{from, rank_}];
        shared_->changed_.wait(lock, [&, number = number] { return sent.size() > number; });
        const std::shared_ptr<message> found = sent[number];
        if (found->bytes != m.bytes) std::abort();
        if (m.bytes > 0) std::memcpy(m.data, found->data, m.bytes);
        found->is_read = true;
        shared_->changed_.notify_all();
      }
      for (const auto& l : sent_) shared_->changed_.wait(lock, [&] { return l->is_read; });
    }

   private:
    std::shared_ptr<ranks_as_threads> shared_;
    std::size_t rank_;
    std::vector<std::shared_ptr<message>> sent_;
    std::vector<std::pair<impl::incoming, std::size_t>> rooms_;
  };

  class between final : public impl::transport {
   public:
    using transport::all_gather, transport::all_to_all, transport::broadcast;
    between(std::shared_ptr<ranks_as_threads> shared, int rank)
        : shared_(std::move(shared)), rank_(static_cast<std::size_t>(rank)) {}
    int rank() const noexcept override { return static_cast<int>(rank_); }
    int size() const noexcept override { return static_cast<int>(shared_->data_.size()); }
    void barrier() override { pthread_barrier_wait(&shared_->all_here_); }
    void broadcast(void* data, std::size_t bytes, int from) override {
      const auto root = static_cast<std::size_t>(from);
      shared_->data_[rank_] = data;
      barrier();
      if (rank_ != root && bytes > 0) std::memcpy(data, shared_->data_[root], bytes);
      barrier();
    }
    void all_gather(const void* mine, std::span<const std::size_t> bytes, void* all) override {
      shared_->data_[rank_] = mine;
      barrier();
      char* to = static_cast<char*>(all);
      for (std::size_t r = 0; r < bytes.size(); to += bytes[r++])
        if (bytes[r] > 0) std::memcpy(to, shared_->data_[r], bytes[r]);
      barrier();
    }
    void all_to_all(const void* from, std::span<const std::size_t> bytes_to, void* to,
                    std::span<const std::size_t> bytes_from) override {
      shared_->data_[rank_] = from;
      shared_->bytes_[rank_].assign(bytes_to.begin(), bytes_to.end());
      barrier();
      char* next = static_cast<char*>(to);
      for (std::size_t r = 0; r < bytes_from.size(); ++r) {
        const auto& of_rank = shared_->bytes_[r];
        if (of_rank[rank_] != bytes_from[r]) abort("ranks do not agree on what they exchange");
        std::size_t begin = 0;
        for (std::size_t k = 0; k < rank_; ++k) begin += of_rank[k];
        if (bytes_from[r] > 0)
          std::memcpy(next, static_cast<const char*>(shared_->data_[r]) + begin, bytes_from[r]);
        next += bytes_from[r];
      }
      barrier();
    }
    std::unique_ptr<impl::exchange> start(std::span<const impl::outgoing> sends,
                                          std::span<const impl::incoming> receives, const target&) override {
      auto running = std::make_unique<thread_exchange>(shared_, rank_);
      for (const impl::outgoing& m : sends) running->send(m);
      running->receive(receives);
      return running;
    }
    [[noreturn]] void abort(const std::string& message) override {
      std::fprintf(stderr, "%s\n", message.c_str());
      std::abort();
    }

   private:
    std::shared_ptr<ranks_as_threads> shared_;
    std::size_t rank_;
  };

  pthread_barrier_t all_here_;  // std::barrier's threads wait on the processor
  std::vector<const void*> data_;
  std::vector<std::vector<std::size_t>> bytes_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  // Of a rank to another.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::shared_ptr<message>>> sent_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> awaited_;
};

}  // namespace heddle::tests
