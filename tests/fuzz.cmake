# The fuzz targets of the readers, with what they need compiled under the same instrumentation: no patterns.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HEDDLE_FUZZ needs clang: cmake --preset fuzz")
endif()

include("${PROJECT_SOURCE_DIR}/src/sources.cmake")
set(sources ${array_sources} array/number_text.cpp ${sources_without_cuda})
list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/src/")
set(life_sources formats.cpp grid.cpp rule.cpp)
list(TRANSFORM life_sources PREPEND "${PROJECT_SOURCE_DIR}/simulations/life/")
set(lbm_sources checkpoint.cpp geometry.cpp settings.cpp)
list(TRANSFORM lbm_sources PREPEND "${PROJECT_SOURCE_DIR}/simulations/lattice_boltzmann/")
find_package(ZLIB REQUIRED)

# What the targets share is instrumented once.
add_library(heddle_fuzzed STATIC ${sources} ${life_sources} ${lbm_sources} "${PROJECT_SOURCE_DIR}/viewer/message.cpp")
heddle_compile_options(heddle_fuzzed)
target_compile_definitions(heddle_fuzzed PRIVATE HEDDLE_VERSION="${PROJECT_VERSION}")
target_include_directories(heddle_fuzzed PUBLIC
  "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/simulations")
# Checks of vptr ask for type information of classes over ranks, whose code is not here.
target_compile_options(heddle_fuzzed PUBLIC
  ${heddle_reproducible_options} -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
target_link_libraries(heddle_fuzzed PUBLIC
  Threads::Threads TBB::tbb fmt::fmt GIF::GIF PNG::PNG ZLIB::ZLIB nlohmann_json::nlohmann_json)

foreach(target IN ITEMS fuzz_checkpoint fuzz_life fuzz_message fuzz_npy fuzz_png)
  add_executable(${target} "${PROJECT_SOURCE_DIR}/tests/${target}.cpp")
  heddle_compile_options(${target})
  target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(${target} PRIVATE heddle_fuzzed)
endforeach()
