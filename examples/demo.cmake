# The demo and what it needs of the library: arrays, sums and running totals of floats, random numbers. `make demo` builds them in a
# folder of their own.
include("${PROJECT_SOURCE_DIR}/src/sources.cmake")
set(cpu_sources ${pattern_sources})
list(FILTER cpu_sources INCLUDE REGEX "^cpu/")
set(sources
  ${array_sources}
  ${cpu_sources}
  array/number_text.cpp
  dispatch/random.cpp
  dispatch/reduce.cpp
  dispatch/scan.cpp
  jit/cache_folder.cpp
  target/machine.cpp)
list(REMOVE_ITEM sources cpu/matmul.cpp io/gif.cpp io/png.cpp io/vti.cpp io/xml_text.cpp)
if(HEDDLE_WITH_CUDA)
  list(APPEND sources
    gpu/launch.cpp
    gpu/memory.cpp
    gpu/patterns.cpp
    gpu/random.cu
    gpu/reduce_arithmetic.cu
    gpu/reduce_bits.cu
    gpu/reduce_order.cu
    gpu/scan_arithmetic.cu
    gpu/scan_bits.cu
    gpu/scan_order.cu
    gpu/temp_storage.cpp
    gpu/transform.cu)
else()
  list(APPEND sources ${sources_without_cuda})
endif()
list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/src/")

add_compile_definitions(HEDDLE_FLOAT_SUMS_ONLY=1)
add_library(heddle_demo STATIC ${sources})
target_compile_definitions(heddle_demo PRIVATE HEDDLE_VERSION="${PROJECT_VERSION}")
target_link_libraries(heddle_demo PRIVATE Threads::Threads TBB::tbb fmt::fmt nlohmann_json::nlohmann_json)
if(HEDDLE_WITH_CUDA)
  target_link_libraries(heddle_demo PRIVATE CUDA::cudart_static)
endif()
heddle_cpu_kernels(heddle_demo "${PROJECT_SOURCE_DIR}/src/cpu/kernels.cpp" "${PROJECT_SOURCE_DIR}/src/cpu/random_kernels.cpp")
# A square root that may set errno is no vector instruction.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/cpu/random_kernels.cpp" PROPERTIES COMPILE_OPTIONS -fno-math-errno)
add_executable(demo "${CMAKE_CURRENT_LIST_DIR}/demo.cpp")
target_link_libraries(demo PRIVATE heddle_demo)
foreach(part IN ITEMS heddle_demo demo)
  heddle_compile_options(${part})
  target_include_directories(${part} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(${part} PRIVATE ${heddle_reproducible_options} ${heddle_language_options} -ffunction-sections)
endforeach()
# What the demo does not call may call what is not here.
target_link_options(demo PRIVATE LINKER:--gc-sections)
