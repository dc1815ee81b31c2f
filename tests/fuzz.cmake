# The fuzz target of the .npy reader, with what the reader needs compiled under the same instrumentation.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HEDDLE_FUZZ needs clang: cmake --preset fuzz")
endif()
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(GIF REQUIRED)

include("${PROJECT_SOURCE_DIR}/src/sources.cmake")
set(sources ${host_sources} ${sources_without_cuda})
list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/src/")
add_executable(fuzz_npy "${PROJECT_SOURCE_DIR}/tests/fuzz_npy.cpp"
  "${PROJECT_SOURCE_DIR}/tests/fuzz_kernels.cpp" ${sources})
heddle_compile_options(fuzz_npy)
target_compile_definitions(fuzz_npy PRIVATE HEDDLE_VERSION="${PROJECT_VERSION}")
target_include_directories(fuzz_npy PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_compile_options(fuzz_npy PRIVATE
  ${heddle_reproducible_options} -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
target_link_options(fuzz_npy PRIVATE -fsanitize=fuzzer,address,undefined)
target_link_libraries(fuzz_npy PRIVATE Threads::Threads TBB::tbb fmt::fmt GIF::GIF nlohmann_json::nlohmann_json)
