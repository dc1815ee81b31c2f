// program
// fails does_not_compile.cu:5:
__global__ void k(int *x) { *x = 1; }
int main() {
  k<<<1, 1>>>(undeclared);
}
