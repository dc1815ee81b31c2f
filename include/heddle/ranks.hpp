#pragma once

#include <heddle/array.hpp>
#include <heddle/array_like.hpp>
#include <heddle/impl/distributed/transport.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

/// The processes that compute together, called ranks as MPI calls them, and the target of this one. A small
/// value; patterns on distributed arrays take it where others take a target.
///
///     const hd::ranks all = hd::ranks::world();
///     hd::distributed_array<float> x(all, hd::shape{n});
///     float total = hd::reduce(all, x);
///
/// Every rank makes the same calls in the same order. Where there are several, the GPU of a rank becomes the
/// current device of the thread that makes them.
class ranks {
 public:
  /// This process alone, on `where`, which is not `auto`.
  explicit ranks(const target& where = target::best());

  /// All processes that mpirun or another launcher of MPI started, or this process alone where none did.
  /// Starts MPI unless it runs already, and then ends it with the process. A rank's target is the GPU of its
  /// number on its host, or its share of the cores where the host has no GPU. Throws heddle::error when MPI
  /// started several processes and Heddle was built without it.
  static ranks world();

  /// The number of processes that an MPI launcher started, from its environment variables: 1 without a
  /// launcher, 2 where they do not hold the number. With HEDDLE_RANKS=1 in the environment it is 1: for
  /// programs that a rank starts.
  static int launched() noexcept;
  /// Whether `world` can join them: whether Heddle was built with MPI.
  static bool has_mpi() noexcept;

  /// Over another transport; `where` is not `auto`. Every rank calls it.
  ranks(std::shared_ptr<impl::transport> between, const target& where);

  int rank() const noexcept { return between_->rank(); }
  int size() const noexcept { return between_->size(); }
  const target& where() const noexcept { return where_; }

  /// The same ranks with another target of this one, such as another stream of its GPU. Connects GPUs anew,
  /// which takes a second, where some rank names another device than before.
  ranks on(const target& where) const { return {between_, where, places_}; }

  /// How ranks exchange GPU memory: "NCCL 2.27.7", or "MPI, from the memory of the CPU: ranks share a GPU";
  /// "" where no rank is on a GPU.
  std::string between_gpus() const { return between_->between_gpus(); }

  /// Returns once every rank has called it.
  void barrier() const { between_->barrier(); }

  /// Copies the value, or the elements (on the CPU), of rank `from` to every rank.
  template <array_like X>
  void broadcast(X&& values, int from = 0) const {
    between_->broadcast(std::data(values), std::size(values) * sizeof(element_of<X>), from);
  }
  template <element T>
    requires(!array_like<T> && !std::is_pointer_v<T>)
  void broadcast(T& value, int from = 0) const {
    between_->broadcast(&value, sizeof value, from);
  }

  /// The elements of all ranks, concatenated in the order of ranks. Inputs and result are on the CPU; ranks
  /// may have different numbers of elements.
  template <array_like X>
  array<element_of<X>> all_gather(const X& values) const {
    using T = element_of<X>;
    const std::vector<std::size_t> bytes = bytes_of_ranks(std::size(values) * sizeof(T));
    std::size_t sum = 0;
    for (const std::size_t b : bytes) sum += b;
    array<T> all(sum / sizeof(T));
    between_->all_gather(std::data(values), bytes, all.data());
    return all;
  }
  /// The value of each rank.
  template <element T>
    requires(!array_like<T> && !std::is_pointer_v<T>)
  array<T> all_gather(const T& value) const {
    return all_gather(std::span<const T>(&value, 1));
  }

  /// Calls f. Where it throws on one rank, all ranks end, after a message that names the rank, its host and
  /// the cause: the others would wait for it for ever.
  template <class F>
  decltype(auto) run(F&& f) const {
    try {
      return std::forward<F>(f)();
    } catch (const std::exception& e) {
      abort(e.what());
    } catch (...) {
      abort("an exception that is no std::exception");
    }
  }

  /// Rank 0 calls f; where it throws, every rank throws a heddle::error with its message.
  template <class F>
  void on_first(F&& f) const {
    std::string message;
    if (rank() == 0) {
      try {
        std::forward<F>(f)();
      } catch (const std::exception& e) {
        message = *e.what() != '\0' ? e.what() : "an error without a message";
      }
    }
    throw_as_first(message);
  }

  /// Ends every rank, after a message that names this one, its host and the cause.
  [[noreturn]] void abort(const std::string& cause) const;

  /// For patterns.
  impl::transport& between() const noexcept { return *between_; }

 private:
  using places = std::shared_ptr<const std::vector<impl::gpu_place>>;

  /// `before` are the places of all ranks that `between` is for; null for none.
  ranks(std::shared_ptr<impl::transport> between, const target& where, places before);
  std::vector<std::size_t> bytes_of_ranks(std::size_t bytes) const;
  void throw_as_first(std::string message) const;

  std::shared_ptr<impl::transport> between_;
  target where_;
  places places_;
};

}  // namespace heddle
