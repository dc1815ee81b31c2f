#error "heddle: textures are not supported"
