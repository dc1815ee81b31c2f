#error "heddle: CUB is not supported in checked kernels"
