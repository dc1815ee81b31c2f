#include <heddle/error.hpp>
#include <heddle/mpi.hpp>
#include <heddle/ranks.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <sched.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace heddle {
namespace {

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  fail(fmt::format("{}: {}", call, text));
}

/// Of MPI. A process that was forked from a rank is no rank itself: in MPI it would wait for the others.
constinit first_use of_mpi;

void require_rank() {
  if (of_mpi.was_before_fork())
    fail(
        "MPI cannot be used in a process that was forked from a rank: use ranks in the parent, or the "
        "patterns of one process here");
}

/// MPI counts with int. What is longer goes in pieces.
constexpr std::size_t piece_bytes = std::size_t{1} << 30;

bool mpi_reads_gpus() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// Messages on their way.
class pieces final : public impl::exchange {
 public:
  pieces(MPI_Comm communicator, int tag) : communicator_(communicator), tag_(tag) {}

  void receive(int from, void* data, std::size_t bytes) {
    each_piece(bytes, [&](std::size_t at, int count, MPI_Request* request) {
      check(MPI_Irecv(static_cast<char*>(data) + at, count, MPI_BYTE, from, tag_, communicator_, request),
            "MPI_Irecv");
    });
  }
  void send(int to, const void* data, std::size_t bytes) {
    each_piece(bytes, [&](std::size_t at, int count, MPI_Request* request) {
      check(MPI_Isend(static_cast<const char*>(data) + at, count, MPI_BYTE, to, tag_, communicator_, request),
            "MPI_Isend");
    });
  }
  void wait() override {
    check(MPI_Waitall(static_cast<int>(running_.size()), running_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  }

 private:
  template <class Start>
  void each_piece(std::size_t bytes, const Start& start) {
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
      running_.emplace_back();
      start(at, static_cast<int>(std::min(piece_bytes, bytes - at)), &running_.back());
    }
  }

  MPI_Comm communicator_;
  int tag_;
  std::vector<MPI_Request> running_;
};

/// Chooses the rank that prints why all ranks end: the first that asks. A rank that fails cannot wait for
/// messages, because the other ranks may be in any call. It adds 1 to a counter in the memory of rank 0
/// instead. On one host rank 0 has no part in that; between hosts it may have to be inside a call of MPI.
class speaker {
 public:
  /// `communicator` is a duplicate of `of_caller`, and returns errors.
  speaker(MPI_Comm of_caller, MPI_Comm communicator) {
    // A window is freed by all ranks together, and a rank that fails would wait for the others. Therefore MPI
    // frees it at its end, and a communicator has one window, however often its ranks are asked for.
    constinit static made_once<int> key;
    const int attribute = key.get([] {
      const auto forget = [](MPI_Comm, int, void* window, void*) {
        delete static_cast<MPI_Win*>(window);
        return MPI_SUCCESS;
      };
      int made = MPI_KEYVAL_INVALID;
      check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr), "MPI_Comm_create_keyval");
      return made;
    });
    void* kept = nullptr;
    int is_kept = 0;
    check(MPI_Comm_get_attr(of_caller, attribute, &kept, &is_kept), "MPI_Comm_get_attr");
    if (is_kept != 0) {
      window_ = *static_cast<const MPI_Win*>(kept);
      return;
    }
    allocate(communicator);
    check(MPI_Comm_set_attr(of_caller, attribute, new MPI_Win(window_)), "MPI_Comm_set_attr");
  }

  /// Whether this rank is the first; also if that cannot be found out within some seconds.
  bool is_chosen() const {
    if (window_ == MPI_WIN_NULL) return true;
    const int one = 1;
    int before = 0, is_there = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, window_) != MPI_SUCCESS ||
        MPI_Rget_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window_,
                            &request) != MPI_SUCCESS)
      return true;
    const auto last = std::chrono::steady_clock::now() + patience;
    while (MPI_Test(&request, &is_there, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_there == 0 &&
           std::chrono::steady_clock::now() < last)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return is_there == 0 || before == 0;
  }

  static constexpr std::chrono::seconds patience{5};

 private:
  /// No rank has a window if one cannot be allocated on every rank.
  void allocate(MPI_Comm communicator) {
    int rank = 0, *counter = nullptr;
    check(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
    int is_made = MPI_Win_allocate(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, communicator,
                                   &counter, &window_) == MPI_SUCCESS;
    if (is_made != 0) MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    if (is_made != 0 && rank == 0) *counter = 0;
    // No rank leaves before rank 0 has set the counter.
    check(MPI_Allreduce(MPI_IN_PLACE, &is_made, 1, MPI_INT, MPI_MIN, communicator), "MPI_Allreduce");
    if (is_made == 0) window_ = MPI_WIN_NULL;
  }

  MPI_Win window_ = MPI_WIN_NULL;
};

class over_mpi final : public impl::transport {
 public:
  explicit over_mpi(MPI_Comm communicator) {
    require_rank();
    of_mpi.note();
    check(MPI_Comm_dup(communicator, &communicator_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
    speaker_.emplace(communicator, communicator_);
  }
  ~over_mpi() override {
    if (of_mpi.was_before_fork()) return;
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&communicator_);
  }

  using transport::all_gather, transport::all_to_all, transport::broadcast;
  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  bool reads_gpus() const noexcept override { return mpi_reads_gpus(); }
  void barrier() override {
    require_rank();
    check(MPI_Barrier(communicator_), "MPI_Barrier");
  }

  void broadcast(void* data, std::size_t bytes, int from) override {
    require_rank();
    for (std::size_t at = 0; at < bytes; at += piece_bytes)
      check(MPI_Bcast(static_cast<char*>(data) + at, static_cast<int>(std::min(piece_bytes, bytes - at)),
                      MPI_BYTE, from, communicator_),
            "MPI_Bcast");
  }

  void all_gather(const void* mine, std::span<const std::size_t> bytes, void* all) override {
    require_rank();
    std::size_t sum = 0;
    std::vector<int> counts, places;
    for (const std::size_t b : bytes) {
      counts.push_back(static_cast<int>(std::min(b, piece_bytes)));
      places.push_back(static_cast<int>(std::min(sum, piece_bytes)));
      sum += b;
    }
    if (sum <= piece_bytes) {
      check(MPI_Allgatherv(mine, counts[static_cast<std::size_t>(rank_)], MPI_BYTE, all, counts.data(),
                           places.data(), MPI_BYTE, communicator_),
            "MPI_Allgatherv");
      return;
    }
    char* to = static_cast<char*>(all);
    for (int r = 0; r < size_; ++r) {
      const std::size_t of_rank = bytes[static_cast<std::size_t>(r)];
      if (r == rank_) std::copy_n(static_cast<const char*>(mine), of_rank, to);
      broadcast(to, of_rank, r);
      to += of_rank;
    }
  }

  void all_to_all(const void* from, std::span<const std::size_t> bytes_to, void* to,
                  std::span<const std::size_t> bytes_from) override {
    require_rank();
    pieces running(communicator_, 0);
    char* received = static_cast<char*>(to);
    for (int r = 0; r < size_; ++r) {
      const std::size_t bytes = bytes_from[static_cast<std::size_t>(r)];
      running.receive(r, received, bytes);
      received += bytes;
    }
    const char* sent = static_cast<const char*>(from);
    for (int r = 0; r < size_; ++r) {
      const std::size_t bytes = bytes_to[static_cast<std::size_t>(r)];
      running.send(r, sent, bytes);
      sent += bytes;
    }
    running.wait();
  }

  std::unique_ptr<impl::exchange> start(std::span<const impl::outgoing> sends,
                                        std::span<const impl::incoming> receives, const target&) override {
    require_rank();
    auto running = std::make_unique<pieces>(communicator_, 1);
    for (const impl::incoming& m : receives) running->receive(m.from, m.data, m.bytes);
    for (const impl::outgoing& m : sends) running->send(m.to, m.data, m.bytes);
    return running;
  }

  [[noreturn]] void abort(const std::string& message) override {
    if (of_mpi.was_before_fork()) {
      // The ranks are well.
      fmt::print(stderr, "{}\n", message);
      std::abort();
    }
    if (speaker_->is_chosen()) {
      fmt::print(stderr, "{}\n", message);
      std::fflush(stderr);
    } else {
      // The rank that speaks ends this one too.
      std::this_thread::sleep_for(speaker::patience);
    }
    MPI_Abort(communicator_, 1);
    std::abort();
  }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::optional<speaker> speaker_;
};

/// Of the cores that this process may use, its part where others of the same host may use them too.
int share_of_cores(MPI_Comm host) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  // With more processors than the set holds it stays empty, and cores are shared out evenly.
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
  int ranks = 1;
  check(MPI_Comm_size(host, &ranks), "MPI_Comm_size");
  std::vector<cpu_set_t> all(static_cast<std::size_t>(ranks));
  check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, host),
        "MPI_Allgather");
  double share = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &mine)) continue;
    const auto users =
        std::count_if(all.begin(), all.end(), [=](const cpu_set_t& set) { return CPU_ISSET(core, &set); });
    share += 1.0 / static_cast<double>(users);
  }
  if (CPU_COUNT(&mine) == 0) share = static_cast<double>(available_cores()) / ranks;
  return std::clamp(static_cast<int>(share + 1e-6), 1, available_cores());
}

target own_target(MPI_Comm communicator) {
  require_rank();
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
        "MPI_Comm_split_type");
  int on_host = 0;
  check(MPI_Comm_rank(host, &on_host), "MPI_Comm_rank");
  const int cores = share_of_cores(host);
  MPI_Comm_free(&host);
  std::vector<target> gpus;
  for (const target& where : target::available())
    if (where.is_gpu()) gpus.push_back(where);
  if (!gpus.empty()) return gpus[static_cast<std::size_t>(on_host) % gpus.size()];
  return cores == 1 ? target::serial() : target::parallel(cores);
}

void finalize() {
  if (of_mpi.was_before_fork()) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Finalize();
}

}  // namespace

ranks ranks_of(MPI_Comm communicator, const target& where) {
  return {std::make_shared<over_mpi>(communicator), where};
}
ranks ranks_of(MPI_Comm communicator) {
  return ranks_of(communicator, own_target(communicator));
}

bool ranks::has_mpi() noexcept {
  return true;
}

ranks ranks::world() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) {
    if (launched() == 1) return ranks();
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    of_mpi.note();
    std::atexit(finalize);
  }
  return ranks_of(MPI_COMM_WORLD);
}

}  // namespace heddle
