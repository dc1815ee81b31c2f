// program
// fails refused_thrust.cu:5:10: fatal error: 
// program
// fails thrust is not supported
#include <thrust/device_vector.h>
int main() {}
