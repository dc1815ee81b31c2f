#error "heddle: textures are not supported: read the array itself"
