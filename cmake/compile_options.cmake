# heddle_compile_options(TARGET), heddle_optimise_little(TARGET), heddle_only_starts_kernels(TARGET),
# heddle_compile_as_one(LIST NAME SOURCES…) and the sanitizer flags of the whole build.

# Contraction of a*b+c would make the same expression differ in its bits from one target to another.
set(heddle_reproducible_options
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-ffp-contract=off>"
  "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-fmad=false;-Xcompiler=-ffp-contract=off>"
  "$<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-ffp-contract=off>")

# Lambdas marked HD_FN are extended lambdas to nvcc. CMake 3.25 knows no C++20 for nvcc, and takes
# CMAKE_CXX_STANDARD for CUDA too: hence the option here and target_compile_features for C++.
set(heddle_language_options "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20;--extended-lambda>")

# The other optimisations of -O3 of g++ take up to half of the time to compile. Sorting, histograms and lattice Boltzmann are faster for
# them; code with these options is not.
set(heddle_optimised
  "$<IF:$<CXX_COMPILER_ID:GNU>,-O2;-ftree-vectorize;-fvect-cost-model=dynamic;--param=vect-epilogues-nomask=0,-O3>")
# The same instead of -O3, where that is what the build says.
set(heddle_optimised_in_release "")
if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O3")
  set(heddle_optimised_in_release "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${heddle_optimised}>")
endif()

# std::stable_sort of libstdc++ 12 calls a function that is deprecated, and clang 17 and later warn of it at each caller.
set(heddle_without_warnings_of_libraries "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 17)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-std=c++20 -Werror=deprecated-declarations")
  check_cxx_source_compiles("#include <algorithm>
    int main(int, char** words) { std::stable_sort(words, words + 1); }" HEDDLE_STABLE_SORT_WITHOUT_WARNING)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT HEDDLE_STABLE_SORT_WITHOUT_WARNING)
    set(heddle_without_warnings_of_libraries "$<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>")
  endif()
endif()

# GCC 12 vectorises {(double)(float)a, (double)(float)b} as a pair of lanes, and then rounds neither.
set(heddle_correctly_rounded "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(heddle_correctly_rounded "$<$<COMPILE_LANGUAGE:CXX>:-fno-tree-slp-vectorize>")
endif()

# An optimising GCC takes the inside of an empty std::optional and variables of its own headers for uninitialised (its defects 105593 and
# 105651). nvcc makes variables that nothing reads. clang and the sanitizers look for such mistakes.
set(heddle_without_false_warnings "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(heddle_without_false_warnings
    "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Wno-maybe-uninitialized;-Wno-restrict>"
    "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>>:-Xcompiler=-Wno-maybe-uninitialized,-Wno-restrict,-Wno-unused-but-set-variable>")
endif()

# Options of every target of this repository, beside those that it takes from heddle::heddle.
function(heddle_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>"
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-psabi>"
    ${heddle_without_warnings_of_libraries}
    ${heddle_without_false_warnings}
    ${heddle_correctly_rounded}
    ${heddle_stack_protection}
    # Files that are compiled as one file are not headers, though they are included.
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>"
    "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-Wall,-Wextra;-Xfatbin=-compress-all>")
  if(NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-O0")
    target_compile_options(${target} PRIVATE ${heddle_fortified})
  endif()
  target_link_options(${target} PRIVATE ${heddle_read_only_addresses})
  if(NOT CMAKE_CUDA_FLAGS_RELEASE MATCHES "-O")
    target_compile_options(${target} PRIVATE
      "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>>:-O$<IF:$<BOOL:$<TARGET_PROPERTY:HEDDLE_ONLY_STARTS_KERNELS>>,1,3>>")
  endif()
  if(HEDDLE_WERROR)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
      "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--Werror=all-warnings;-Xcompiler=-Werror>")
  endif()
endfunction()

# A program that calls one pattern is linked without the others: each function is a section, and the linker drops sections that nothing
# refers to.
function(heddle_link_what_is_called target)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-ffunction-sections;-fdata-sections>")
endfunction()

# Code for the CPU takes nvcc up to half of its time, and optimised kernels gain nothing from that code if it
# only starts them.
function(heddle_only_starts_kernels target)
  set_target_properties(${target} PROPERTIES HEDDLE_ONLY_STARTS_KERNELS ON)
endfunction()

# Code that runs once, beside a library that is optimised, is compiled in two thirds of the time.
function(heddle_optimise_little target)
  heddle_only_starts_kernels(${target})
  if(NOT HEDDLE_QUICK_KERNELS)
    target_compile_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>")
  endif()
endfunction()

# Options by which ccache tells precompiled headers apart, for a target that has some.
function(heddle_options_of_precompiled_headers target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>"
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# Appends to a list of sources one that includes others of nvcc's: CMake 3.25 groups none of them, and nvcc takes
# seconds to read its own headers.
function(heddle_compile_as_one list name)
  # Relative, so that what one checkout has compiled is found from another.
  file(RELATIVE_PATH here "${CMAKE_CURRENT_BINARY_DIR}/Unity" "${CMAKE_CURRENT_SOURCE_DIR}")
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"${here}/\\1\"\n")
  list(JOIN ARGN "" includes)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/Unity/${name}.cu")
  file(CONFIGURE OUTPUT "${file}" CONTENT "${includes}")
  set(${list} ${${list}} "${file}" PARENT_SCOPE)
endfunction()

if(HEDDLE_COVERAGE)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR HEDDLE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "HEDDLE_COVERAGE needs clang and HEDDLE_CUDA=OFF: cmake --preset coverage")
  endif()
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
if(HEDDLE_SANITIZE)
  if(HEDDLE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "HEDDLE_SANITIZE=${HEDDLE_SANITIZE} needs HEDDLE_CUDA=OFF: "
      "GPU code is checked with scripts/on-gpu under compute-sanitizer")
  endif()
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
  if(HEDDLE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=all)
    # Each check has a record that names its place: a million and more of them to relocate at each start of a program that can lie
    # anywhere.
    add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>")
  endif()
endif()
