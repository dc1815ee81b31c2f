#error "heddle: surfaces are not supported: use an array"
