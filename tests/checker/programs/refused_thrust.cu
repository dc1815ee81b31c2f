// program
// fails refused_thrust.cu:3:10: fatal error: thrust
#include <thrust/device_vector.h>
int main() {}
