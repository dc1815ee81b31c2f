# The fuzz targets of the readers, with what they need compiled under the same instrumentation.
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

# heddle_fuzz_target(NAME SOURCE…)
function(heddle_fuzz_target name)
  add_executable(${name} "${PROJECT_SOURCE_DIR}/tests/${name}.cpp"
    "${PROJECT_SOURCE_DIR}/tests/fuzz_kernels.cpp" ${sources} ${ARGN})
  heddle_compile_options(${name})
  target_compile_definitions(${name} PRIVATE HEDDLE_VERSION="${PROJECT_VERSION}")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src"
    "${PROJECT_SOURCE_DIR}/simulations")
  target_compile_options(${name} PRIVATE
    ${heddle_reproducible_options} -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(${name} PRIVATE Threads::Threads TBB::tbb fmt::fmt GIF::GIF nlohmann_json::nlohmann_json)
endfunction()

heddle_fuzz_target(fuzz_npy)
set(life_sources formats.cpp grid.cpp rule.cpp)
list(TRANSFORM life_sources PREPEND "${PROJECT_SOURCE_DIR}/simulations/life/")
heddle_fuzz_target(fuzz_life ${life_sources})
