// Volatile accesses as relaxed atomics, which they are by default, and as plain ones.

// check flag --grid 2 --block 1 --arg i32[1]=zeros --arg i32[1] --arg i32[1]
// clean
// check flag --grid 2 --block 1 --arg i32[1]=zeros --arg i32[1] --arg i32[1] --volatile relaxed
// clean
// check flag --grid 2 --block 1 --arg i32[1]=zeros --arg i32[1] --arg i32[1] --volatile plain
// finds data-race @sets @looks of flag
__global__ void flag(volatile int* flag, int* data, int* out) {
  if (blockIdx.x == 1) {
    *data = 7;
    __threadfence();
    *flag = 1;  // @sets
  } else {
    while (*flag == 0) {  // @looks
    }
    __threadfence();
    *out = *data;
  }
}

// check counts --grid 2 --block 1 --arg i32[1]=zeros
// finds data-race @counts of x
// check counts --grid 2 --block 1 --arg i32[1]=zeros --volatile plain
// finds data-race @counts of x
__global__ void counts(int* x) {
  ++*x;  // @counts
}
