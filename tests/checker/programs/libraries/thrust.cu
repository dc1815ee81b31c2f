// Thrust: its vectors, iterators and algorithms, against plain loops; and what their functions do wrong.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/shuffle.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)

struct square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct adds_to_one {
  int* sum;
  __device__ void operator()(int x) const {
    *sum += x;  // @adds
  }
};
struct adds_atomically {
  int* sum;
  __device__ void operator()(int x) const { atomicAdd(sum, x); }
};
struct swaps_parts {
  template <class Tuple>
  __device__ void operator()(Tuple t) const {
    thrust::get<0>(t) += thrust::get<1>(t);
  }
};

__global__ void sorts_alone(int* x, int n) {
  if (threadIdx.x == 0) thrust::sort(thrust::seq, x, x + n);
}

static std::vector<int> some(int n) {
  std::vector<int> x(n);
  unsigned state = 1;
  for (int& each : x) each = static_cast<int>((state = state * 1664525 + 1013904223) >> 24);
  return x;
}

static void apart(int n) {
  const std::vector<int> x = some(n);
  thrust::device_vector<int> d(x.begin(), x.end()), e(n);
  thrust::transform(d.begin(), d.end(), e.begin(), square());
  thrust::host_vector<int> h = e;
  for (int i = 0; i < n; ++i) EXPECT(h[i] == x[i] * x[i]);
  thrust::transform(thrust::device, d.begin(), d.end(), e.begin(), e.begin(), thrust::minus<int>());
  thrust::copy(e.begin(), e.end(), h.begin());
  for (int i = 0; i < n; ++i) EXPECT(h[i] == x[i] - x[i] * x[i]);
  using namespace thrust::placeholders;
  thrust::transform(d.begin(), d.end(), e.begin(), _1 * 2 + 1);
  EXPECT(n == 0 || e[n - 1] == x[n - 1] * 2 + 1);
  thrust::sequence(e.begin(), e.end(), 5, 3);
  for (int i = 0; i < n; ++i) EXPECT(e[i] == 5 + 3 * i);
  thrust::fill(e.begin(), e.end(), 9);
  EXPECT(thrust::count(e.begin(), e.end(), 9) == n);
  thrust::device_vector<float> a(n, 2.0f), b(n, 1.0f);
  thrust::transform(a.begin(), a.end(), b.begin(), b.begin(), saxpy{3});
  EXPECT(thrust::all_of(b.begin(), b.end(), [] __device__(float y) { return y == 7; }));
  thrust::device_vector<int> map(n);
  for (int i = 0; i < n; ++i) map[i] = n - 1 - i;
  thrust::gather(map.begin(), map.end(), d.begin(), e.begin());
  for (int i = 0; i < n; ++i) EXPECT(e[i] == x[n - 1 - i]);
  thrust::scatter(d.begin(), d.end(), map.begin(), e.begin());
  for (int i = 0; i < n; ++i) EXPECT(e[i] == x[n - 1 - i]);
  thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(d.begin(), map.begin())),
                   thrust::make_zip_iterator(thrust::make_tuple(d.end(), map.end())), swaps_parts());
  for (int i = 0; i < n; ++i) EXPECT(d[i] == x[i] + n - 1 - i);
  int sum = 0;
  for (const int each : x) sum += each;
  thrust::device_vector<int> total(1);
  thrust::copy(x.begin(), x.end(), d.begin());
  thrust::for_each(thrust::cuda::par.on(nullptr), d.begin(), d.end(),
                   adds_atomically{thrust::raw_pointer_cast(total.data())});
  EXPECT(total[0] == sum);
  thrust::device_ptr<int> first = d.data(), second = total.data();
  swap(first, second);
  EXPECT(first == total.data() && second == d.data());
}

static void ordered(int n) {
  const std::vector<int> x = some(n);
  thrust::device_vector<int> d = x, e(n), keys(n);
  long sum = 0, odd = 0;
  std::vector<int> in_order = x, prefix, kept;
  for (const int each : x) {
    prefix.push_back(static_cast<int>(sum));
    sum += each;
    odd += each % 2;
    if (each % 2 != 0) kept.push_back(each);
  }
  std::sort(in_order.begin(), in_order.end());
  EXPECT(thrust::reduce(d.begin(), d.end()) == sum);
  EXPECT(thrust::reduce(d.begin(), d.end(), -1, thrust::maximum<int>()) == (n == 0 ? -1 : in_order.back()));
  EXPECT(thrust::transform_reduce(d.begin(), d.end(), is_odd(), 0L, thrust::plus<long>()) == odd);
  EXPECT(thrust::count_if(d.begin(), d.end(), is_odd()) == odd);
  EXPECT(thrust::inner_product(d.begin(), d.end(), thrust::make_constant_iterator(2), 0L) == 2 * sum);
  EXPECT(thrust::reduce(thrust::make_transform_iterator(thrust::make_counting_iterator(0), square()),
                        thrust::make_transform_iterator(thrust::make_counting_iterator(n), square())) ==
         (n - 1) * n * (2 * n - 1) / 6);
  thrust::exclusive_scan(d.begin(), d.end(), e.begin());
  EXPECT(e == prefix);
  thrust::inclusive_scan(d.begin(), d.end(), e.begin());
  EXPECT(n == 0 || e.back() == sum);
  e = d;
  thrust::exclusive_scan(e.begin(), e.end(), e.begin());
  EXPECT(e == prefix);
  e.resize(thrust::copy_if(d.begin(), d.end(), e.begin(), is_odd()) - e.begin());
  EXPECT(e == kept);
  e = d;
  e.erase(thrust::remove_if(e.begin(), e.end(), [] __device__(int y) { return y % 2 == 0; }), e.end());
  EXPECT(e == kept);
  e = d;
  EXPECT(thrust::partition(e.begin(), e.end(), is_odd()) - e.begin() == odd);
  thrust::sequence(keys.begin(), keys.end());
  e = d;
  thrust::sort_by_key(e.begin(), e.end(), keys.begin());
  EXPECT(e == in_order);
  for (int i = 0; i < n; ++i) EXPECT(x[keys[i]] == in_order[i] && (i == 0 || in_order[i - 1] != in_order[i] || keys[i - 1] < keys[i]));
  thrust::sort(e.begin(), e.end(), thrust::greater<int>());
  EXPECT(std::equal(in_order.rbegin(), in_order.rend(), thrust::host_vector<int>(e).begin()));
  thrust::stable_sort(e.begin(), e.end());
  EXPECT(thrust::is_sorted(e.begin(), e.end()) && e == in_order);
  EXPECT(thrust::lower_bound(e.begin(), e.end(), 100) - e.begin() ==
         std::lower_bound(in_order.begin(), in_order.end(), 100) - in_order.begin());
  std::map<int, int> counted;
  for (const int each : x) ++counted[each];
  thrust::device_vector<int> different(n), counts(n);
  const auto ends = thrust::reduce_by_key(e.begin(), e.end(), thrust::make_constant_iterator(1), different.begin(), counts.begin());
  EXPECT(static_cast<size_t>(ends.first - different.begin()) == counted.size());
  int place = 0;
  for (const auto& [value, count] : counted) {
    EXPECT(different[place] == value && counts[place] == count);
    ++place;
  }
  e.resize(thrust::unique(e.begin(), e.end()) - e.begin());
  EXPECT(e.size() == counted.size());
  if (n > 0) {
    EXPECT(*thrust::max_element(d.begin(), d.end()) == in_order.back());
    EXPECT(*thrust::min_element(d.begin(), d.end()) == in_order.front());
    thrust::permutation_iterator<thrust::device_vector<int>::iterator, thrust::device_vector<int>::iterator> sorted(d.begin(), keys.begin());
    EXPECT(std::equal(in_order.begin(), in_order.end(), thrust::host_vector<int>(sorted, sorted + n).begin()));
  }
  int* raw;
  cudaMalloc(&raw, (n + 1) * sizeof(int));
  thrust::copy(x.begin(), x.end(), thrust::device_ptr<int>(raw));
  thrust::sort(thrust::device, raw, raw + n);
  EXPECT(thrust::host_vector<int>(thrust::device_pointer_cast(raw), thrust::device_pointer_cast(raw) + n) == in_order);
  thrust::copy(x.begin(), x.end(), thrust::device_pointer_cast(raw));
  sorts_alone<<<1, 32>>>(raw, n);
  EXPECT(thrust::host_vector<int>(thrust::device_pointer_cast(raw), thrust::device_pointer_cast(raw) + n) == in_order);
  cudaFree(raw);
  thrust::host_vector<int> h(x.begin(), x.end());
  thrust::sort(h.begin(), h.end());
  EXPECT(std::equal(h.begin(), h.end(), in_order.begin()));
}

// The numbers of the generator are the textbook's: x becomes 48271 x modulo 2^31 - 1.
static void random_numbers() {
  thrust::minstd_rand engine(1), later(1);
  unsigned long long x = 1;
  for (int i = 0; i < 1000; ++i) {
    x = x * 48271 % 2147483647;
    EXPECT(engine() == x);
  }
  later.discard(999);
  EXPECT(later() == x);
  thrust::uniform_real_distribution<float> uniform(2, 3);
  for (int i = 0; i < 100; ++i) {
    const float at = uniform(engine);
    EXPECT(at >= 2 && at < 3);
  }
}

// The same elements in another order, which the next call changes again.
static void shuffled(int n) {
  thrust::device_vector<int> d(n), e(n);
  thrust::host_vector<int> h(n);
  thrust::sequence(d.begin(), d.end());
  thrust::sequence(h.begin(), h.end());
  thrust::default_random_engine engine(7);
  thrust::shuffle_copy(d.begin(), d.end(), e.begin(), engine);
  thrust::shuffle(thrust::device, d.begin(), d.end(), engine);
  thrust::shuffle(h.begin(), h.end(), thrust::default_random_engine(7));
  long moved = 0;
  for (int i = 0; i < n; ++i) moved += (d[i] != i) + (e[i] != i) + (h[i] != i) + (d[i] != e[i]);
  EXPECT(n < 31 || moved > 3 * n);
  for (thrust::device_vector<int> each : {d, e, thrust::device_vector<int>(h)}) {
    thrust::sort(each.begin(), each.end());
    for (int i = 0; i < n; ++i) EXPECT(each[i] == i);
  }
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  if (std::strcmp(mode, "races") == 0) {
    thrust::device_vector<int> x(100, 1), sum(1);
    thrust::for_each(x.begin(), x.end(), adds_to_one{thrust::raw_pointer_cast(sum.data())});  // @for_each
  } else if (std::strcmp(mode, "overruns") == 0) {
    thrust::device_vector<int> x(100, 1);
    thrust::device_ptr<int> begin(thrust::raw_pointer_cast(x.data()));
    std::printf("%d\n", thrust::reduce(begin, begin + 101) > 0);  // @reduce
  } else if (std::strcmp(mode, "unset") == 0) {
    int *x, *y;
    cudaMalloc(&x, 100 * sizeof(int));
    cudaMalloc(&y, 100 * sizeof(int));
    thrust::transform(thrust::device, x, x + 100, y, square());  // @transform
    cudaFree(x);
    cudaFree(y);
  } else if (std::strcmp(mode, "shuffles") == 0) {
    thrust::device_vector<int> x(100, 1);
    thrust::device_ptr<int> begin(thrust::raw_pointer_cast(x.data()));
    thrust::shuffle(begin, begin + 101, thrust::default_random_engine(7));  // @shuffle
  } else if (std::strcmp(mode, "streams") == 0) {
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    thrust::device_vector<int> x(100, 1);
    thrust::fill(thrust::cuda::par_nosync.on(a), x.begin(), x.end(), 1);      // @first
    thrust::fill(thrust::cuda::par_nosync.on(b), x.begin(), x.end(), 2);  // @second
    cudaDeviceSynchronize();
  } else {
    for (const int n : {0, 1, 2, 31, 1000}) {
      apart(n);
      ordered(n);
      shuffled(n);
    }
    random_numbers();
    std::printf("failures: %d\n", failures);
  }
}

// program
// clean
// prints failures: 0
// program -- races
// finds data-race @adds @for_each
// program -- overruns
// finds out-of-bounds @reduce: [100]
// program -- shuffles
// finds out-of-bounds @shuffle: [100]
// program -- unset
// finds uninitialised-read @transform of x
// program -- streams
// finds data-race @first @second
