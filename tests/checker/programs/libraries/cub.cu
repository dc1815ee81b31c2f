// CUB: what warps, blocks and the device do together, against plain loops; and mistakes around its calls.
#include <cub/cub.cuh>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)

constexpr int threads = 64, items = 4, tile = threads * items;

// The results of a block's calls, one after another in `out`.
__global__ void block_calls(const int* x, int* out, int n) {
  using Load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, threads, items, cub::BLOCK_STORE_VECTORIZE>;
  using Reduce = cub::BlockReduce<int, threads>;
  using Scan = cub::BlockScan<int, threads>;
  using Sort = cub::BlockRadixSort<int, threads, items>;
  using Exchange = cub::BlockExchange<int, threads, items>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
    typename Exchange::TempStorage exchange;
  } shared;
  int own[items], result[items], all;
  Load(shared.load).Load(x, own, n, 0);
  __syncthreads();
  const int sum = Reduce(shared.reduce).Sum(own);
  if (threadIdx.x == 0) out[0] = sum;
  __syncthreads();
  const int most = Reduce(shared.reduce).Reduce(own[0], cub::Max());
  if (threadIdx.x == 0) out[1] = most;
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(own, result, all);
  if (threadIdx.x == 17) out[2] = all;
  Store(shared.store).Store(out + 3, result);
  __syncthreads();
  Scan(shared.scan).InclusiveScan(own[1], result[0], cub::Max());
  out[3 + tile + threadIdx.x] = result[0];
  __syncthreads();
  Sort(shared.sort).Sort(own);
  cub::StoreDirectBlocked(threadIdx.x, out + 3 + tile + threads, own);
  __syncthreads();
  Exchange(shared.exchange).BlockedToStriped(own, own);
  cub::StoreDirectStriped<threads>(threadIdx.x, out + 3 + 2 * tile + threads, own);
}

__global__ void warp_calls(const int* x, int* out) {
  __shared__ typename cub::WarpReduce<int>::TempStorage whole[threads / 32];
  __shared__ typename cub::WarpScan<int, 8>::TempStorage parts[threads / 8];
  const int t = threadIdx.x;
  const int sum = cub::WarpReduce<int>(whole[t / 32]).Sum(x[t]);
  if (t % 32 == 0) out[t / 32] = sum;
  int prefix;
  cub::WarpScan<int, 8>(parts[t / 8]).ExclusiveSum(x[t], prefix);
  out[2 + t] = prefix;
}

__global__ void reused(const int* x, int* out) {
  using Reduce = cub::BlockReduce<int, threads>;
  __shared__ typename Reduce::TempStorage storage;
  const int sum = Reduce(storage).Sum(x[threadIdx.x]);  // @once
  const int again = Reduce(storage).Sum(x[threadIdx.x] + 1);  // @again
  if (threadIdx.x == 0) *out = sum + again;
}

__global__ void left_early(const int* x, int* out) {
  using Reduce = cub::BlockReduce<int, threads>;
  __shared__ typename Reduce::TempStorage storage;
  if (threadIdx.x < 50) {
    const int sum = Reduce(storage).Sum(x[threadIdx.x], 50);  // @divergent
    if (threadIdx.x == 0) *out = sum;
  } else {
    __syncthreads();  // @elsewhere
  }
}

static std::vector<int> some(int n) {
  std::vector<int> x(n);
  unsigned state = 7;
  for (int& each : x) each = static_cast<int>((state = state * 1664525 + 1013904223) >> 22) - 512;
  return x;
}
template <class T>
static std::vector<T> back(const T* from, size_t n) {
  std::vector<T> x(n);
  cudaMemcpy(x.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return x;
}
template <class T>
static T* device(size_t n) {
  T* made;
  cudaMalloc(&made, (n + 1) * sizeof(T));
  return made;
}
// Asks for memory, and calls again with it.
template <class F>
static void call(F f) {
  size_t bytes = 0;
  EXPECT(f(nullptr, bytes) == cudaSuccess);
  void* work;
  cudaMalloc(&work, bytes);
  EXPECT(f(work, bytes) == cudaSuccess);
  cudaFree(work);
}

static void of_blocks(int n) {
  const std::vector<int> x = some(n);
  int* const d = device<int>(n);
  int* const out = device<int>(4 * tile);
  cudaMemcpy(d, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  block_calls<<<1, threads>>>(d, out, n);
  const std::vector<int> got = back(out, 3 + 3 * tile + threads);
  std::vector<int> padded = x;
  padded.resize(tile, 0);
  int sum = 0, most = INT_MIN, of_second = INT_MIN;
  for (int i = 0; i < tile; ++i) {
    EXPECT(got[3 + i] == sum);
    sum += padded[i];
    if (i % items == 0) most = std::max(most, padded[i]);
    if (i % items == 1) {
      of_second = std::max(of_second, padded[i]);
      EXPECT(got[3 + tile + i / items] == of_second);
    }
  }
  EXPECT(got[0] == sum && got[1] == most && got[2] == sum);
  std::sort(padded.begin(), padded.end());
  for (int i = 0; i < tile; ++i) EXPECT(got[3 + tile + threads + i] == padded[i] && got[3 + 2 * tile + threads + i] == padded[i]);
  cudaFree(d);
  cudaFree(out);
}

static void of_warps() {
  const std::vector<int> x = some(threads);
  int* const d = device<int>(threads);
  int* const out = device<int>(threads + 2);
  cudaMemcpy(d, x.data(), threads * sizeof(int), cudaMemcpyHostToDevice);
  warp_calls<<<1, threads>>>(d, out);
  const std::vector<int> got = back(out, threads + 2);
  int of_warp = 0, of_part = 0;
  for (int i = 0; i < threads; ++i) {
    if (i % 32 == 0) of_warp = 0;
    if (i % 8 == 0) of_part = 0;
    EXPECT(got[2 + i] == of_part);
    of_part += x[i];
    of_warp += x[i];
    if (i % 32 == 31) EXPECT(got[i / 32] == of_warp);
  }
  cudaFree(d);
  cudaFree(out);
}

struct is_even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

static void of_device(int n) {
  const std::vector<int> x = some(n);
  std::vector<int> sorted = x, even, different;
  std::stable_sort(sorted.begin(), sorted.end());
  std::map<int, int> counted;
  for (const int each : sorted) ++counted[each];
  int* const d = device<int>(n);
  int* const e = device<int>(n);
  int* const f = device<int>(n);
  int* const one = device<int>(2);
  cudaMemcpy(d, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  int sum = 0;
  std::vector<int> prefix;
  for (const int each : x) {
    prefix.push_back(sum);
    sum += each;
    if (each % 2 == 0) even.push_back(each);
  }
  call([&](void* work, size_t& bytes) { return cub::DeviceReduce::Sum(work, bytes, d, one, n); });
  EXPECT(back(one, 1)[0] == sum);
  call([&](void* work, size_t& bytes) { return cub::DeviceReduce::Max(work, bytes, d, one, n); });
  EXPECT(back(one, 1)[0] == (n == 0 ? INT_MIN : sorted.back()));
  call([&](void* work, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(work, bytes, d, e, n); });
  EXPECT(back(e, n) == prefix);
  call([&](void* work, size_t& bytes) { return cub::DeviceScan::InclusiveScan(work, bytes, d, e, cub::Min(), n); });
  if (n > 0) EXPECT(back(e, n).back() == sorted.front());
  call([&](void* work, size_t& bytes) { return cub::DeviceSelect::If(work, bytes, d, e, one, n, is_even()); });
  EXPECT(back(one, 1)[0] == static_cast<int>(even.size()) && back(e, even.size()) == even);
  std::vector<int> places(n);
  for (int i = 0; i < n; ++i) places[i] = i;
  cudaMemcpy(e, places.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  int* const keys = device<int>(n);
  call([&](void* work, size_t& bytes) { return cub::DeviceRadixSort::SortPairs(work, bytes, d, keys, e, f, n); });
  EXPECT(back(keys, n) == sorted);
  places = back(f, n);
  for (int i = 0; i < n; ++i) EXPECT(x[places[i]] == sorted[i] && (i == 0 || sorted[i - 1] != sorted[i] || places[i - 1] < places[i]));
  call([&](void* work, size_t& bytes) { return cub::DeviceRunLengthEncode::Encode(work, bytes, keys, e, f, one, n); });
  EXPECT(back(one, 1)[0] == static_cast<int>(counted.size()));
  int at = 0;
  for (const auto& [value, count] : counted) {
    EXPECT(back(e, counted.size())[at] == value && back(f, counted.size())[at] == count);
    ++at;
  }
  call([&](void* work, size_t& bytes) { return cub::DeviceRadixSort::SortKeysDescending(work, bytes, d, keys, n); });
  std::reverse(sorted.begin(), sorted.end());
  EXPECT(back(keys, n) == sorted);
  int* const bins = device<int>(8);
  call([&](void* work, size_t& bytes) { return cub::DeviceHistogram::HistogramEven(work, bytes, d, bins, 9, -512, 512, n); });
  int expected[8] = {};
  for (const int each : x) ++expected[(each + 512) / 128];
  EXPECT(back(bins, 8) == std::vector<int>(expected, expected + 8));
  for (int* const each : {d, e, f, one, keys, bins}) cudaFree(each);
}

/// Bits are in the order of the numbers, and come back.
template <class T>
static void of_traits(const std::vector<T>& in_order) {
  using traits = cub::Traits<T>;
  typename traits::UnsignedBits before = 0;
  for (size_t i = 0; i < in_order.size(); ++i) {
    typename traits::UnsignedBits bits, back;
    std::memcpy(&bits, &in_order[i], sizeof bits);
    back = traits::TwiddleIn(bits);
    EXPECT(i == 0 || before < back);
    EXPECT(traits::TwiddleOut(back) == bits);
    before = back;
  }
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  int* const x = device<int>(threads);
  int* const out = device<int>(1);
  cudaMemset(x, 0, threads * sizeof(int));
  if (std::strcmp(mode, "reused") == 0) {
    reused<<<1, threads>>>(x, out);
  } else if (std::strcmp(mode, "divergent") == 0) {
    left_early<<<1, threads>>>(x, out);
  } else if (std::strcmp(mode, "short") == 0) {
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, x, out, threads);
    void* work;
    cudaMalloc(&work, bytes);
    cub::DeviceScan::InclusiveSum(work, bytes, x, out, threads);  // @scan
    cudaFree(work);
  } else {
    for (const int n : {tile, tile - 3, 1}) of_blocks(n);
    of_warps();
    of_traits<float>({-2.5f, -1e-30f, -0.f, 0.f, 1e-30f, 3});
    of_traits<short>({-32768, -1, 0, 7});
    of_traits<unsigned long long>({0, 1, 1ull << 63});
    for (const int n : {0, 1, 100, 1000}) of_device(n);
    std::printf("failures: %d\n", failures);
  }
  cudaFree(x);
  cudaFree(out);
}

// program
// clean
// prints failures: 0
// program -- reused
// finds data-race @once @again of storage
// program -- divergent
// finds mismatched-barriers @divergent @elsewhere
// program -- short
// finds out-of-bounds @scan of made
