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
  copy_if.cpp
  fft.cpp
  histogram.cpp
  linear_algebra.cpp
  random.cpp
  reduce.cpp
  scan.cpp
  segmented_reduce.cpp
  sort.cpp
  stencil.cpp
  transform.cpp
  cpu/copy_lines.cpp
  cpu/kernels_for.cpp
  cpu/matmul.cpp
  cpu/reduce.cpp
  cpu/scan.cpp
  cpu/threads.cpp)
# What runs the threads of kernels from source.
set(thread_sources
  modules/fiber.cpp
  modules/run_grid.cpp
  modules/warp.cpp)
# The rest of kernels from source, and what else is kept between runs or loaded at run time.
set(module_sources
  kernel.cpp
  machine.cpp
  shared_library.cpp
  modules/cache.cpp
  modules/compilation.cpp
  modules/cpu_library.cpp
  modules/cpu_module.cpp
  modules/expression.cpp
  modules/expression_source.cpp
  modules/host_part.cpp
  modules/kernel_declaration.cpp
  modules/process.cpp
  modules/refusals.cpp
  modules/shared_variables.cpp
  modules/signature.cpp
  modules/tokens.cpp
  modules/translation.cpp)
# A minute each, best compiled at the same time; and what has definitions of its own.
set(single_sources
  modules/source_folder.cpp
  ladder_reduce.cpp
  ladder_scan.cpp
  cpu/fft.cpp)
set(sources_without_cuda
  cuda/absent.cpp)
