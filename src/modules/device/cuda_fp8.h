#error "heddle: 8-bit floating point is not supported"
