#pragma once

/// What replacements of CUDA's libraries run on the device: functions of the host's that a launch calls, so
/// that what they access is watched, and ordered with what else is on the stream.

#include "host/in_host_source.hpp"

extern "C" {
void __tsan_read_range(void* p, unsigned long bytes);
void __tsan_write_range(void* p, unsigned long bytes);
}

#define HEDDLE_UNWATCHED __attribute__((no_sanitize("thread"), no_sanitize("undefined"), noinline))
#define HEDDLE_INSIDE inline __attribute__((no_sanitize("thread"), no_sanitize("undefined"), always_inline))

/// Of a switch over statuses: BEGINNING is what all their names begin with.
#define HEDDLE_STATUS_NAME(BEGINNING, NAME) \
  case BEGINNING##NAME:                     \
    return #BEGINNING #NAME;

namespace heddle_device {

/// Tells what a thread of the device reads or writes in one piece, and does by code that is not watched.
inline void library_reads(const void* from, size_t bytes) {
  __tsan_read_range(const_cast<void*>(from), bytes);
}
inline void library_writes(void* to, size_t bytes) {
  __tsan_write_range(to, bytes);
}

/// Whether a thread of a kernel asks.
HEDDLE_DEVICE bool in_kernel() {
#ifdef HEDDLE_WATCHED
  return heddle_in_kernel() != 0;
#else
  return true;
#endif
}

/// Calls a copy of F that is the thread's own, made as bytes so that nobody is seen to read the host's.
template <class F>
struct library_call {
  __attribute__((no_sanitize("thread"), no_sanitize("undefined"))) static void begin(const void* self,
                                                                                     void* const*) {
    alignas(F) char own[sizeof(F)];
    for (size_t i = 0; i < sizeof(F); ++i)
      const_cast<volatile char*>(own)[i] = static_cast<const volatile char*>(self)[i];
    run(*reinterpret_cast<F*>(own));
  }
  static void run(F& f) { f(); }
};

/// Runs f() in every thread of a grid.
template <class F>
cudaError_t run_library(const char* name, unsigned blocks, unsigned threads, cudaStream_t stream,
                        const F& f) {
  if (program_runtime() == nullptr) return cudaErrorNoDevice;
  static constexpr parameter none[1] = {};
  launch_request request{};
  request.name = name;
  request.kernel = {nullptr, &library_call<F>::begin, none, 0, 0};
  request.function = &f;
  request.function_bytes = sizeof f;
  void* const arguments[] = {nullptr};
  request.arguments = arguments;
  request.grid = {blocks, 1, 1};
  request.block = {threads, 1, 1};
  request.stream = stream;
  return static_cast<cudaError_t>(program_runtime()->launch(request));
}

/// Runs f(i) for i below n, each in a thread.
template <class F>
cudaError_t run_library_for_each(const char* name, size_t n, cudaStream_t stream, const F& f) {
  if (n == 0) return cudaSuccess;
  constexpr unsigned threads = 256;
  return run_library(name, static_cast<unsigned>((n + threads - 1) / threads), threads, stream, [n, f] {
    const size_t i = size_t{heddle_block_index().x} * threads + heddle_thread_index().x;
    if (i < n) const_cast<F&>(f)(i);
  });
}

/// Memory of the device that a library has for a while.
template <class T>
class library_memory {
 public:
  explicit library_memory(size_t n) {
    if (n != 0) allocate(memory_kind::device, &data_, n * sizeof(T), named<T>(memory_of_libraries));
  }
  ~library_memory() {
    if (data_ != nullptr && program_runtime() != nullptr)
      (void)program_runtime()->release(memory_of_libraries, memory_kind::device, data_);
  }
  library_memory(const library_memory&) = delete;
  library_memory& operator=(const library_memory&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// Numbers of one call's own, which begin as zeros and are not watched.
template <class T>
class library_numbers {
 public:
  HEDDLE_UNWATCHED explicit library_numbers(long long n)
      : size_(n),
        data_(static_cast<T*>(program_runtime()->libraries().lend(static_cast<u64>(n) * sizeof(T)))) {}
  HEDDLE_UNWATCHED ~library_numbers() { program_runtime()->libraries().take_back(data_); }
  library_numbers(const library_numbers&) = delete;
  library_numbers& operator=(const library_numbers&) = delete;
  HEDDLE_UNWATCHED long long size() const { return size_; }
  HEDDLE_UNWATCHED T* data() const { return data_; }
  HEDDLE_UNWATCHED bool has(long long i) const { return i >= 0 && i < size_; }
  HEDDLE_UNWATCHED T get(long long i) const { return data_[i]; }
  HEDDLE_UNWATCHED void set(long long i, T value) { data_[i] = value; }
  HEDDLE_UNWATCHED void add(long long i, T value) { data_[i] += value; }
  /// Puts numbers first … first + n - 1 of these, which are indices, in the order of keys.
  HEDDLE_UNWATCHED void sort_by(const library_numbers& keys, long long first, long long n) {
    program_runtime()->libraries().sort(keys.data_ + first, data_ + first, static_cast<u64>(n));
  }

 private:
  long long size_;
  T* data_;
};

}  // namespace heddle_device
