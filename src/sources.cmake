# What a build by a host compiler alone consists of, beside the kernels that are compiled for each instruction set.

# Arrays, targets and files.
set(array_sources
  dtype.cpp
  error.cpp
  memory.cpp
  shape.cpp
  target.cpp
  io/atomic_file.cpp
  io/gif.cpp
  io/npy.cpp
  io/png.cpp
  io/vti.cpp
  io/xml_text.cpp)
set(pattern_sources
  algorithm.cpp
  ladder_reduce.cpp
  ladder_scan.cpp
  machine.cpp
  reduce.cpp
  scan.cpp
  stencil.cpp
  transform.cpp
  cpu/copy_lines.cpp
  cpu/kernels_for.cpp
  cpu/reduce.cpp
  cpu/scan.cpp
  cpu/threads.cpp)
set(sources_without_cuda
  cuda/absent.cpp)
