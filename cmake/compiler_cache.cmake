# Compiles through ccache where it is installed; nothing depends on it. What one checkout has compiled is found from another.
find_program(HEDDLE_CCACHE ccache)
mark_as_advanced(HEDDLE_CCACHE)
set(launcher)
if(HEDDLE_CCACHE)
  # GCC compares headers with a precompiled header byte for byte. So a changed comment must miss: depend mode does, preprocessed text does not.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros)
  # ccache calls a prefix only on a miss, and the key of an object does not depend on the prefix.
  if(HEDDLE_COMPILE_BUDGET)
    list(APPEND launcher "CCACHE_PREFIX=${PROJECT_SOURCE_DIR}/cmake/record-cpu-time")
  endif()
  list(APPEND launcher "${HEDDLE_CCACHE}")
elseif(HEDDLE_COMPILE_BUDGET)
  set(launcher "${PROJECT_SOURCE_DIR}/cmake/record-cpu-time")
endif()
if(launcher)
  foreach(language IN ITEMS CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
    endif()
  endforeach()
endif()
