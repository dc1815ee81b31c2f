// Accesses out of bounds, reads of what was never written, misaligned accesses, variables of the module.

// check before_the_array --grid 1 --block 32 --arg f32[32]=arange --arg f32[32]
// finds out-of-bounds @before
__global__ void before_the_array(const float* x, float* y) {
  y[threadIdx.x] = x[static_cast<int>(threadIdx.x) - 1];  // @before
}

// check far_beyond --grid 1 --block 1 --arg f32[32]=arange
// finds out-of-bounds @far
__global__ void far_beyond(float* x) {
  x[1 << 28] = 1;  // @far
}

// check null_pointer --grid 1 --block 1 --arg f32[1]=zeros
// finds out-of-bounds @null
__global__ void null_pointer(float* x) {
  float* p = x[0] == 0 ? nullptr : x;
  p[3] = 1;  // @null
}

// check two_arrays --grid 1 --block 32 --arg i32[32]=arange --arg i32[16]
// finds out-of-bounds @of_the_second
__global__ void two_arrays(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x];  // @of_the_second
}

// check row_of_a_shared_array --grid 1 --block 8 --arg i32[64]=arange
// finds out-of-bounds @beyond_a_row of s: s[3][8] (int[8][8])
__global__ void row_of_a_shared_array(int* x) {
  __shared__ int s[8][8];
  for (int i = 0; i < 8; ++i) s[i][threadIdx.x] = x[i * 8 + threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[3][threadIdx.x + 1];  // @beyond_a_row
}

// check local_array --grid 1 --block 8 --arg i32[8]=arange
// finds out-of-bounds @beyond_local of a: a[4] (int[4])
__global__ void local_array(int* x) {
  int a[4] = {1, 2, 3, 4};
  x[threadIdx.x] = a[x[threadIdx.x]];  // @beyond_local
}

// check row_of_a_local_array --grid 1 --block 8 --arg i32[8]=arange
// finds out-of-bounds @beyond_a_local_row of a[threadIdx.x % 2]: a[threadIdx.x % 2][4] (int[4])
// finds out-of-bounds @beyond_local_rows of a: a[2] (int[2][4])
__global__ void row_of_a_local_array(int* x) {
  int a[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  const int t = x[threadIdx.x];
  const int of_a_row = a[threadIdx.x % 2][t];  // @beyond_a_local_row
  const int of_rows = a[t % 3][t % 4];  // @beyond_local_rows
  x[threadIdx.x] = of_a_row + of_rows;
}

// check before_a_row --grid 1 --block 1 --arg i32[6]=arange --arg i32:-1
// finds out-of-bounds @before_row of cube: shared cube[1][2][-1] (int[2][3][4])
// finds out-of-bounds @beyond_rows of cube: shared cube[0][3][1] (int[2][3][4])
// finds out-of-bounds @beyond_cube of cube: shared cube[2][0][0] (int[2][3][4])
__global__ void before_a_row(int* x, int n) {
  __shared__ int cube[2][3][4];
  for (int i = 0; i < 24; ++i) cube[i / 12][i / 4 % 3][i % 4] = i;
  x[0] = cube[1][2][n];  // @before_row
  x[1] = cube[0][2 - n][1];  // @beyond_rows
  x[2] = cube[1 - n][0][0];  // @beyond_cube
}

__device__ float grid_of_weights[2][3];

// check row_of_a_variable --grid 1 --block 4 --arg f32[4]
// finds out-of-bounds @beyond_weights of grid_of_weights: device grid_of_weights[0][3] (float[2][3])
__global__ void row_of_a_variable(float* x) {
  x[threadIdx.x] = grid_of_weights[0][threadIdx.x];  // @beyond_weights
}

// check rows_as_parameters --grid 1 --block 4 --arg f32[12]=arange --arg f32[4]
// finds out-of-bounds @beyond_a_parameters_row of rows: rows[1][3] (float[4][3])
__global__ void rows_as_parameters(float (*rows)[3], float* x) {
  x[threadIdx.x] = rows[1][threadIdx.x];  // @beyond_a_parameters_row
}

// check before_a_shared_array --grid 1 --block 32 --arg i32[32]=arange
// finds out-of-bounds @before_shared of s: shared s[-1] (int[32])
__global__ void before_a_shared_array(int* x) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[static_cast<int>(threadIdx.x) - 1];  // @before_shared
}

// check before_the_second --grid 1 --block 32 --shared 128 --arg i32[32]=arange --arg i32:-100000
// finds out-of-bounds @before_second of second: shared second[-1] (int[32])
// finds out-of-bounds @by_pointer of second: shared second[-700] (int[32])
// finds out-of-bounds @beyond_first of first: shared first[732] (int[32])
// finds out-of-bounds @far_before of second: shared second[-100000] (int[32])
// finds out-of-bounds @before_dynamic of dynamic: shared dynamic[-1] (int[32])
__global__ void before_the_second(int* x, int far) {
  extern __shared__ int dynamic[];
  __shared__ int first[32], second[32];
  const int t = threadIdx.x;
  first[t] = second[t] = dynamic[t] = x[t];
  __syncthreads();
  const int* p = second;
  const int* q = first;
  int sum = second[t - 1];  // @before_second
  sum += p[t - 700];  // @by_pointer
  sum += q[t + 732];  // @beyond_first
  sum += dynamic[t - 1];  // @before_dynamic
  x[t] = sum;
  if (t == 0) x[t] = second[far];  // @far_before
}

// check before_the_first_row --grid 1 --block 8,8 --shared 64 --arg f32[64]=arange
// finds out-of-bounds @before_first_row of s: shared s[-1][0] (float[8][8])
__global__ void before_the_first_row(float* x) {
  __shared__ float s[8][8];
  const int tx = threadIdx.x, ty = threadIdx.y;
  s[ty][tx] = x[ty * 8 + tx];
  __syncthreads();
  x[ty * 8 + tx] = s[ty - 1][tx];  // @before_first_row
}

// check no_dynamic_memory --grid 1 --block 8 --arg i32[8]=arange
// finds out-of-bounds @no_memory
__global__ void no_dynamic_memory(int* x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];  // @no_memory
}

// check too_little_dynamic_memory --grid 1 --block 8 --shared 16 --arg i32[8]=arange
// finds out-of-bounds @too_little
__global__ void too_little_dynamic_memory(int* x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];  // @too_little
}

// check enough_dynamic_memory --grid 1 --block 8 --shared 32 --arg i32[8]=arange
// clean
__global__ void enough_dynamic_memory(int* x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
}

// check never_written --grid 1 --block 32 --arg f32[32] --arg f32[32]
// finds uninitialised-read @reads_nothing
__global__ void never_written(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // @reads_nothing
}

// check never_written_twice --grid 1 --block 32 --arg f32[32] --arg f32[32]
// finds uninitialised-read @first_read_of_nothing of x 96 times
// finds uninitialised-read @second_read_of_nothing of x 96 times
__global__ void never_written_twice(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // @first_read_of_nothing
  y[threadIdx.x] += x[31 - threadIdx.x];  // @second_read_of_nothing
}

// check shared_never_written --grid 1 --block 32 --arg i32[1]
// finds uninitialised-read @sum_of_nothing
__global__ void shared_never_written(int* x) {
  __shared__ int sum;
  atomicAdd(&sum, 1);  // @sum_of_nothing
  __syncthreads();
  if (threadIdx.x == 0) *x = sum;
}

// check shared_written_first --grid 1 --block 32 --arg i32[1]
// clean
__global__ void shared_written_first(int* x) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) *x = sum;
}

// check half_of_a_tile --grid 1 --block 32 --arg i32[32]=arange
// finds uninitialised-read @other_half
__global__ void half_of_a_tile(int* x) {
  __shared__ int s[32];
  if (threadIdx.x < 16) s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[31 - threadIdx.x];  // @other_half
}

// check next_block_starts_anew --grid 2 --block 32 --arg i32[64]=arange
// finds uninitialised-read @of_the_block_before
__global__ void next_block_starts_anew(int* x) {
  __shared__ int s[32];
  if (blockIdx.x == 0) s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];  // @of_the_block_before
}

// check misaligned_vector --grid 1 --block 4 --arg f32[64]=arange --arg f32[64]
// finds misaligned-access @odd_address of x: float4 needs an address
__global__ void misaligned_vector(const float* x, float* y) {
  const float4 v = *reinterpret_cast<const float4*>(x + 1 + 4 * threadIdx.x);  // @odd_address
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// check aligned_vector --grid 1 --block 4 --arg f32[64]=arange --arg f32[64]
// clean
__global__ void aligned_vector(const float* x, float* y) {
  const float4 v = *reinterpret_cast<const float4*>(x + 4 * threadIdx.x);
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// check misaligned_double --grid 1 --block 4 --shared 64 --arg f64[8]=arange
// finds misaligned-access @odd_double
__global__ void misaligned_double(double* x) {
  extern __shared__ unsigned char bytes[];
  double* const d = reinterpret_cast<double*>(bytes + 4);
  d[threadIdx.x] = x[threadIdx.x];  // @odd_double
}

// check carved_up --grid 1 --block 4 --shared 64 --arg f64[8]=arange
// clean
__global__ void carved_up(double* x) {
  extern __shared__ unsigned char bytes[];
  double* const d = reinterpret_cast<double*>(bytes);
  int* const i = reinterpret_cast<int*>(bytes + 32);
  d[threadIdx.x] = x[threadIdx.x];
  i[threadIdx.x] = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = d[3 - threadIdx.x] + i[3 - threadIdx.x];
}

__device__ int counter;
__device__ float table[4] = {1, 2, 3, 4}, other_table[2];
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
namespace inner {
__device__ unsigned long long total = 7;
}

// check module_variables --grid 2 --block 32 --arg i32[1]
// clean
__global__ void module_variables(int* x) {
  const int before = atomicAdd(&counter, 1);
  assert(before >= 0 && before < 64);
  assert(table[2] == 3 && weights[1] == 0.5f && inner::total == 7);
  if (threadIdx.x == 0 && blockIdx.x == 0) *x = 1;
}

// check race_on_a_variable --grid 1 --block 32 --arg i32[1]
// finds data-race @counts
__global__ void race_on_a_variable(int* x) {
  counter++;  // @counts
}

// check beyond_a_variable --grid 1 --block 8 --arg f32[8]
// finds out-of-bounds @beyond_table of table
__global__ void beyond_a_variable(float* x) {
  x[threadIdx.x] = table[threadIdx.x];  // @beyond_table
}

// check constant_table --grid 2 --block 32 --arg f32[66]=arange --arg f32[64]
// clean
__global__ void constant_table(const float* x, float* y) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 3; ++k) sum += weights[k] * x[i + k];
  y[i] = sum;
}

// check starts_anew_each_time --grid 1 --block 1 --arg i32[1]=zeros
// clean
__global__ void starts_anew_each_time(int* x) {
  assert(counter == 0 && x[0] == 0);
  counter = 5;
  x[0] = 5;
}

// check pointer_to_a_local --grid 1 --block 2 --arg i32[2]
// finds out-of-bounds @others_local
__global__ void pointer_to_a_local(int* x) {
  __shared__ int* p;
  int mine = threadIdx.x;
  if (threadIdx.x == 0) p = &mine;
  __syncthreads();
  x[threadIdx.x] = *p;  // @others_local
  __syncthreads();
}

// check divides_by_zero --grid 1 --block 2 --arg i32[2]=zeros
// finds crash @divides
__global__ void divides_by_zero(int* x) {
  x[threadIdx.x] = 7 / x[threadIdx.x];  // @divides
}

// check without_end --grid 1 --block 1 --arg i32[2]=zeros
// finds crash @calls_itself
__device__ int deep(volatile int n) { return n == 0 ? 0 : deep(n + 1) + n; }  // @calls_itself
__global__ void without_end(int* x) {
  x[0] = deep(1);
}

// check assertion --grid 1 --block 32 --arg i32[32]=arange
// finds assertion @asserts
__global__ void assertion(const int* x) {
  assert(x[threadIdx.x] < 20);  // @asserts
}

// check trap --grid 1 --block 32 --arg i32[32]=arange
// finds trap @traps
__global__ void trap(const int* x) {
  if (x[threadIdx.x] == 20) {
    __trap();  // @traps
  }
}

// check bytes_in_pairs --grid 1 --block 32 --arg i16[32]=arange --arg u8[32]=arange --arg f64[32]=arange --arg u64[32]=arange
// clean
__global__ void bytes_in_pairs(short* a, unsigned char* b, double* c, unsigned long long* d) {
  const int t = threadIdx.x;
  const short x = a[31 - t];
  const unsigned char y = b[31 - t];
  const double z = c[31 - t];
  const unsigned long long w = d[31 - t];
  __syncthreads();
  a[t] = x + 1;
  b[t] = y + 1;
  c[t] = z + 1;
  d[t] = w + 1;
  assert(x == y && z == w && z == x);
}

// check static_of_a_function --grid 1 --block 32
// finds data-race @counts_for_all of count
__global__ void static_of_a_function() {
  static int count;
  count += 1;  // @counts_for_all
}

// check static_that_is_read --grid 1 --block 32 --arg i32[1]
// clean
__global__ void static_that_is_read(int* out) {
  static int count = 7;
  static const int more[2] = {1, 2};
  if (threadIdx.x == 0) *out = ++count + more[blockIdx.x];
}

// One line for several arrays: what it does to each is a finding of its own.
__device__ __noinline__ int next_of(const int* values) {
  return values[threadIdx.x + 1];  // @next_of
}

// check reads_of_several --grid 1 --block 32 --arg i32[32]=zeros --arg i32[32]=zeros --arg i32[32]=zeros
// finds out-of-bounds @next_of of a
// finds out-of-bounds @next_of of b
// finds out-of-bounds @next_of of first
// finds out-of-bounds @next_of of second
__global__ void reads_of_several(int* sums, const int* a, const int* b) {
  __shared__ int first[32], second[32];
  first[threadIdx.x] = second[threadIdx.x] = threadIdx.x;
  __syncthreads();
  sums[threadIdx.x] = next_of(a) + next_of(b) + next_of(first) + next_of(second);
}

__device__ __noinline__ void shift_of(int* values) {
  if (threadIdx.x < 31) values[threadIdx.x] = values[threadIdx.x + 1];  // @shift_of
}

// check races_of_several --grid 1 --block 32 --arg i32[32]=zeros --arg i32[32]=zeros
// finds data-race @shift_of of a
// finds data-race @shift_of of b
// finds data-race @shift_of of first
// finds data-race @shift_of of second
__global__ void races_of_several(int* a, int* b) {
  __shared__ int first[32], second[32];
  first[threadIdx.x] = second[threadIdx.x] = threadIdx.x;
  __syncthreads();
  shift_of(a), shift_of(b), shift_of(first), shift_of(second);
}

__device__ __noinline__ int one_of(const int* values) {
  return values[threadIdx.x];  // @one_of
}

// check unwritten_of_several --grid 1 --block 32 --arg i32[32]
// finds uninitialised-read @one_of of first
// finds uninitialised-read @one_of of second
__global__ void unwritten_of_several(int* sums) {
  __shared__ int first[32], second[32];
  sums[threadIdx.x] = one_of(first) + one_of(second);
}

__device__ __noinline__ float first_of_pair(const float* values) {
  return reinterpret_cast<const float2*>(values + 1)->x;  // @pair_of
}

// check misaligned_of_several --grid 1 --block 1 --arg f32[4]=zeros --arg f32[4]=zeros --arg f32[1]
// finds misaligned-access @pair_of of a
// finds misaligned-access @pair_of of b
__global__ void misaligned_of_several(const float* a, const float* b, float* sum) {
  *sum = first_of_pair(a) + first_of_pair(b);
}

__device__ __noinline__ void count_in(int* counter) {
  atomicAdd(reinterpret_cast<int*>(reinterpret_cast<char*>(counter) + 2), 1);  // @count_in
}

// check atomics_of_several --grid 1 --block 1 --arg i32[4]=zeros --arg i32[4]=zeros
// finds misaligned-access @count_in of a
// finds misaligned-access @count_in of b
__global__ void atomics_of_several(int* a, int* b) {
  count_in(a), count_in(b);
}

// check same_value --grid 4 --block 32 --arg i32[128]=arange --arg i32[1]=zeros
// notes data-race @flag_of_all of found: they write the same value
__global__ void same_value(const int* x, int* found) {
  if (x[blockIdx.x * blockDim.x + threadIdx.x] > 20) *found = 1;  // @flag_of_all
}

// check different_values --grid 4 --block 32 --arg i32[128]=arange --arg i32[1]=zeros
// finds data-race @place_of_any of found
__global__ void different_values(const int* x, int* found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 20) *found = i;  // @place_of_any
}

// check one_writes_the_flag --grid 1 --block 32 --arg i32[32]=arange --arg i32[1]=zeros
// clean
__global__ void one_writes_the_flag(const int* x, int* found) {
  if (__any_sync(0xffffffff, x[threadIdx.x] > 20) && threadIdx.x == 0) *found = 1;
}

// A barrier that is missing is one mistake, wherever it is seen.
// check missing_barrier_once --grid 1 --block 64 --arg i32[64]=arange
// finds data-race @puts @gets_left @gets_right of s
__global__ void missing_barrier_once(int* x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];  // @puts
  int sum = s[(t + 63) % 64];  // @gets_left
  sum += s[(t + 1) % 64];  // @gets_right
  x[t] = sum;
}
