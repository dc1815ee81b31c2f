#error "heddle: asynchronous copies are not supported"
