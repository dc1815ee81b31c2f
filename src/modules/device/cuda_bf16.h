#error "heddle: bfloat16 is not supported"
