// program
// fails the file has no main: name a kernel of it with --kernel
// program -D MAIN
// fails undefined reference to `elsewhere(int)'
__global__ void k(int *x) { *x = 1; }
int elsewhere(int);
#ifdef MAIN
int main() { return elsewhere(3); }
#endif
