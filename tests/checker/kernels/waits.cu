// Loops that wait for another thread or block, or for nothing: those that never end, and those that end.

// check waits_for_a_flag_never_set --grid 2 --block 1 --arg i32[1]=zeros
// finds deadlock @never_set
__global__ void waits_for_a_flag_never_set(volatile int* flag) {
  while (*flag == 0) {  // @never_set
  }
}

// check lock_never_released --grid 2 --block 1 --arg i32[1]=zeros --arg i32[1]=zeros
// finds deadlock @never_released
__global__ void lock_never_released(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {  // @never_released
  }
  atomicAdd(sum, 1);
}

// check flag_behind_a_barrier --grid 1 --block 64 --arg i32[1]=zeros
// finds deadlock @spins_before_barrier @waits_at_barrier
__global__ void flag_behind_a_barrier(volatile int* flag) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {  // @spins_before_barrier
    }
  }
  __syncthreads();  // @waits_at_barrier
  if (threadIdx.x == 1) *flag = 1;
}

// check loop_without_end --grid 1 --block 1 --arg i32[1]=zeros --timeout 0.5
// finds deadlock @without_end
__global__ void loop_without_end(int* flag) {
  while (*flag == 0) {  // @without_end
  }
}

// check computes_without_end --grid 1 --block 1 --arg u32[1]=arange --timeout 0.5
// finds deadlock @computes
__global__ void computes_without_end(unsigned* x) {
  unsigned v = x[0];
  while (v != 1) v = v * 4 + 2;  // @computes
  x[0] = v;
}

// check waits_with_its_warp --grid 1 --block 32 --arg i32[1]=zeros
// finds deadlock @waits_with_warp
__global__ void waits_with_its_warp(volatile int* flag) {
  while (*flag == 0) __syncwarp();  // @waits_with_warp
}

// check waits_with_its_block --grid 2 --block 32 --arg i32[1]=zeros
// finds deadlock @waits_with_block
__global__ void waits_with_its_block(volatile int* flag) {
  while (!__syncthreads_or(*flag)) {  // @waits_with_block
  }
}

// check counts_its_polls --grid 1 --block 32 --timeout 0.3 --arg i32[1]=zeros --arg i32[1]=zeros
// finds no-end @counts_polls
__global__ void counts_its_polls(volatile int* flag, int* polls) {
  while (*flag == 0) atomicAdd(polls, 1);  // @counts_polls
}

// check counts_for_ever --grid 1 --block 1 --timeout 0.3 --arg u32[1]=zeros
// finds no-end @counts_on
__global__ void counts_for_ever(volatile unsigned* x) {
  for (;;) x[0] = x[0] + 1;  // @counts_on
}

// check sleeps_for_ever --grid 1 --block 2 --arg i32[1]=zeros
// finds deadlock @sleeps
__global__ void sleeps_for_ever(volatile int* flag) {
  while (*flag == 0) __nanosleep(100);  // @sleeps
}

// Loops that change nothing and end.

// check adds_zeros --grid 1 --block 64 --arg i32[2000]=zeros --arg i32[1]=zeros
// clean
__global__ void adds_zeros(const int* x, int* sum) {
  for (int i = threadIdx.x; i < 2000 * 64; i += 64) atomicAdd(sum, x[i / 64]);
}

// check sets_bits_again --grid 2 --block 64 --arg u32[1]=zeros
// clean
__global__ void sets_bits_again(unsigned* bits) {
  for (int i = 0; i < 1000; ++i) atomicOr(bits, 1u << i % 8);
}

// check reads_one_place --grid 1 --block 64 --arg i32[1]=arange --arg i32[64]
// clean
__global__ void reads_one_place(const volatile int* x, int* y) {
  int sum = 0;
  for (int i = 0; i < 2000; ++i) sum += *x;
  y[threadIdx.x] = sum;
}

// check polls_for_a_while --grid 1 --block 32 --arg i32[1]=zeros --arg i32[32]
// clean
__global__ void polls_for_a_while(const volatile int* flag, int* polls) {
  int i = 0;
  while (i < 1500 && *flag == 0) {
    if (++i % 16 == 0) __nanosleep(10);
  }
  polls[threadIdx.x] = i;
}

// A loop that the compiler has left nothing of but its jump.
// check halves --grid 1 --block 1 --arg i32[1]=zeros --timeout 2
// finds deadlock @halves
__global__ void halves(int* count) {
  int steps = 0;
  if (*count > 3) ++steps;
  for (unsigned d = 64; d >= 0; d /= 2)  // @halves
    ++steps;
  *count = steps;
}
