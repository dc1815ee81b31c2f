// check launches --grid 1 --block 1 --arg i32[1]
// fails refused_launch.cu:7: <<<: a kernel launches others in a program alone
__global__ void child(int* x) {
  *x = 1;
}
__global__ void launches(int* x) {
  child<<<1, 1>>>(x);
}
