#error "heddle: barriers in shared memory are not supported: meet at __syncthreads()"
