// Structures: members and padding, structures as arguments and results, and their alignment.

struct in_parts {
  int parts[3], count;
};

// check beyond_a_member --grid 1 --block 1 --arg i32[16]=arange --arg i32:3
// finds out-of-bounds @beyond_parts of p[i].parts: p[i].parts[3] (int[3])
__global__ void beyond_a_member(in_parts* p, int n) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += p[i].parts[n];  // @beyond_parts
  p[0].count = sum;
}

struct particle {
  float x, y;
  char kind;
};

// check structures --grid 1 --block 32 --arg u8[384]=zeros
// clean
__global__ void structures(particle* p) {
  particle mine = p[threadIdx.x];
  mine.x = threadIdx.x;
  mine.kind = 'a';
  p[threadIdx.x] = mine;
  __syncthreads();
  const particle other = p[31 - threadIdx.x];
  assert(other.x == 31 - threadIdx.x && other.kind == 'a');
}

// check structures_without_a_barrier --grid 1 --block 32 --arg u8[384]=zeros
// finds data-race @writes_structure @reads_structure
__global__ void structures_without_a_barrier(particle* p) {
  particle mine = {1, 2, 'a'};
  p[threadIdx.x] = mine;  // @writes_structure
  const particle other = p[31 - threadIdx.x];  // @reads_structure
  assert(other.kind != 'b');
}

// check padding_is_never_written --grid 1 --block 32 --arg i32[1]
// clean
__global__ void padding_is_never_written(int* x) {
  __shared__ particle s[32];
  s[threadIdx.x].x = 1;
  s[threadIdx.x].y = 2;
  s[threadIdx.x].kind = 'c';
  __syncthreads();
  const particle copy = s[31 - threadIdx.x];
  if (copy.x + copy.y == 3 && threadIdx.x == 0) *x = copy.kind;
}

struct small_particle {
  char kind;
  int charge;
};

// check padding_of_a_word --grid 1 --block 32 --arg i32[1]
// clean
__global__ void padding_of_a_word(int* x) {
  __shared__ small_particle s[32];
  s[threadIdx.x].kind = 'c';
  s[threadIdx.x].charge = 2;
  __syncthreads();
  const small_particle copy = s[31 - threadIdx.x];
  if (copy.charge == 2 && threadIdx.x == 0) *x = copy.kind;
}

// check a_member_is_never_written --grid 1 --block 32 --arg i32[32]
// finds uninitialised-read @reads_its_charge
__global__ void a_member_is_never_written(int* x) {
  __shared__ small_particle s[32];
  s[threadIdx.x].kind = 'c';
  __syncthreads();
  const small_particle copy = s[31 - threadIdx.x];
  x[threadIdx.x] = copy.kind;
  x[threadIdx.x] += s[31 - threadIdx.x].charge;  // @reads_its_charge
}

struct number {
  number() = default;
  number(const number&) = default;
  __device__ number& operator=(const number& other) {
    value = other.value;  // @copies_a_number
    return *this;
  }
  float value;
};
struct number_and_rest {
  number first;
  float rest;
};

// No line of the source copies the rest of the structure.
// check copied_as_a_whole --grid 1 --block 8 --arg f32[16]=arange --arg f32[14]
// finds out-of-bounds @copies of y: y[7] (number_and_rest[7])
// finds out-of-bounds @copies_a_number of y
__global__ void copied_as_a_whole(const number_and_rest* x, number_and_rest* y) {
  y[threadIdx.x] = x[threadIdx.x];  // @copies
}

struct triple {
  float x, y, z;
};
__device__ triple difference(triple a, triple b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ triple multiple(triple a, int times) { return times == 0 ? a : multiple(a, times - 1); }

// check structures_as_arguments --grid 1 --block 8 --arg f32[24]=arange --arg f32[24]
// finds out-of-bounds @passes_beyond of x: x[8] (triple[8])
// finds uninitialised-read @passes_unwritten of y
__global__ void structures_as_arguments(const triple* x, triple* y) {
  const triple d = difference(x[threadIdx.x + 1], x[0]);  // @passes_beyond
  const triple m = multiple(y[threadIdx.x], 2);  // @passes_unwritten
  y[threadIdx.x] = {d.x + m.x, d.y + m.y, d.z + m.z};
}

// check structures_as_results --grid 2 --block 8 --arg f32[48]=arange --arg f32[45]
// finds data-race @returned of x
// finds out-of-bounds @returned_beyond of y: y[15] (triple[15])
__global__ void structures_as_results(triple* x, triple* y) {
  triple (*const function)(triple, int) = multiple;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = difference(x[i], x[15 - i]);  // @returned
  y[i] = function(x[i], 1);  // @returned_beyond
}

struct alignas(16) four_words {
  unsigned a, b, c, d;
};

// A GPU stops at the misaligned access.
// check misaligned_structure --grid 1 --block 32 --arg u32[128]=arange --arg u32[132]=zeros --arg i32:1
// finds misaligned-access @at_an_odd_word: four_words needs an address that 16 bytes divide: this is 4 bytes past one
// check misaligned_structure --grid 1 --block 32 --arg u32[128]=arange --arg u32[132]=zeros --arg i32:4
// clean
__global__ void misaligned_structure(const unsigned* from, unsigned* to, int at) {
  const four_words w = *reinterpret_cast<const four_words*>(from + 4 * threadIdx.x);
  *reinterpret_cast<four_words*>(to + at + 4 * threadIdx.x) = w;  // @at_an_odd_word
}

struct charged_particle {
  float position[3];
  __device__ bool is_charged() const { return charge != 0; }
  int charge = 1;
  unsigned flags;
};

// check shared_charge --grid 1 --block 32 --arg i32[160]=arange
// finds data-race @charges of p: p[0].charge (charged_particle[32])
__global__ void shared_charge(charged_particle* p) {
  if (p[threadIdx.x].is_charged()) p[threadIdx.x].position[2] = 0;
  __syncthreads();
  p[threadIdx.x / 2].charge = threadIdx.x;  // @charges
}

// check own_charge --grid 1 --block 32 --arg i32[160]=arange
// clean
__global__ void own_charge(charged_particle* p) {
  p[threadIdx.x].charge = threadIdx.x;
  p[threadIdx.x].flags ^= 1;
}
