# A static library names no libraries that it needs. Therefore `-lheddle` finds a linker script, as `-lm` does in glibc: the script names
# the archive, which is in a folder of its own, and the libraries.
set(needed -ltbb -lfmt -lgif -lpng -lnettle)
if(HEDDLE_FFTW)
  list(APPEND needed -lfftw3 -lfftw3f)
endif()
if(HEDDLE_WITH_CUDA)
  list(APPEND needed "${CUDA_cudart_static_LIBRARY}" -lrt)
endif()
list(APPEND needed -ldl -lpthread)
list(JOIN needed " " needed)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/linker_script/libheddle.a" CONTENT "/* GNU ld script */
INPUT ( heddle/libheddle.a AS_NEEDED ( ${needed} ) )
")
install(FILES "${PROJECT_BINARY_DIR}/linker_script/libheddle.a" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
