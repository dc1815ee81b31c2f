#error "heddle: floating point of 8, 6 and 4 bits is not supported: half and bfloat16 are"
