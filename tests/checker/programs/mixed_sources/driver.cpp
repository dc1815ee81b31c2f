// What is of CUDA is the driver's header alone, before all others.
#include <cuda.h>

#include "records.hpp"

int number_of_devices() {
  int devices = 0;
  cuInit(0);
  cuDeviceGetCount(&devices);
  return devices;
}
