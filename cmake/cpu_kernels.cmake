# heddle_cpu_kernels(LIBRARY SOURCE…): compiles the sources into LIBRARY once for each instruction set, which HEDDLE_ISA names,
# to be chosen at run time: targets LIBRARY_kernels_baseline, …_avx2 and …_avx512. They are what must be fast, so they are
# optimised in every build type, but at -O1 with sanitizers or coverage counters. LIBRARY sees HEDDLE_X86_KERNELS where there is more than the baseline.
# ThreadSanitizer sees the same accesses in each instruction set, so it compiles the baseline alone.
function(heddle_cpu_kernels library)
  set(instruction_sets baseline)
  # g++ 12 moves 8 bytes through MMX registers and leaves them marked as used: the caller's next `long double` is a NaN.
  set(without_mmx)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(without_mmx -mno-mmx)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT HEDDLE_SANITIZE MATCHES "thread")
    list(APPEND instruction_sets avx2 avx512)
    set(flags_avx2 -march=x86-64-v3)
    set(flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
    set(definitions HEDDLE_X86_KERNELS=1)
    target_compile_definitions(${library} PRIVATE ${definitions})
  endif()
  set(checked)
  if(HEDDLE_SANITIZE MATCHES "address")
    # All checks, written out at each access, take 160 s of a processor to compile for one instruction set. These take 45 to 75 s: checks of
    # addresses are calls, and of undefined behaviour those are left out that an access to a wrong address shows as well.
    set(checked "$<$<CXX_COMPILER_ID:GNU>:--param=asan-instrumentation-with-call-threshold=0>")
    if(HEDDLE_SANITIZE MATCHES "undefined")
      list(APPEND checked -fno-sanitize=undefined
        -fsanitize=alignment,bounds,integer-divide-by-zero,shift,signed-integer-overflow)
    endif()
  endif()
  if(HEDDLE_SANITIZE OR HEDDLE_COVERAGE)
    set(optimised -O1)
  else()
    set(optimised -O3)
  endif()
  foreach(instruction_set IN LISTS instruction_sets)
    set(kernels ${library}_kernels_${instruction_set})
    add_library(${kernels} OBJECT ${ARGN})
    heddle_compile_options(${kernels})
    heddle_link_what_is_called(${kernels})
    target_compile_definitions(${kernels} PRIVATE HEDDLE_ISA=${instruction_set} ${definitions})
    target_compile_options(${kernels} PRIVATE
      ${optimised} ${heddle_fortified} ${checked} ${without_mmx} ${flags_${instruction_set}} ${heddle_reproducible_options} ${heddle_language_options})
    target_include_directories(${kernels} PRIVATE
      "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/simulations")
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${kernels}>)
  endforeach()
endfunction()
