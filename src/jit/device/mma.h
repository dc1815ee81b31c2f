#error "heddle: tensor cores (nvcuda::wmma) are not supported"
