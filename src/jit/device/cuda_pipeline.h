#error "heddle: asynchronous copies are not supported: assign, and meet at __syncthreads()"
