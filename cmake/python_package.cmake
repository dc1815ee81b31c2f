# Adds python/ where HEDDLE_BUILD_PYTHON says so.

# If the package was asked for, the reason why it cannot be built is an error.
function(heddle_leave_python_out reason)
  if(HEDDLE_BUILD_PYTHON STREQUAL "AUTO")
    message(STATUS "Heddle: ${reason}: the Python package is left out")
  else()
    message(FATAL_ERROR " Heddle: the Python package: ${reason}")
  endif()
endfunction()

if(HEDDLE_SANITIZE)
  if(HEDDLE_BUILD_PYTHON STREQUAL "ON")
    heddle_leave_python_out("HEDDLE_SANITIZE is set")
  endif()
elseif(HEDDLE_BUILD_PYTHON STREQUAL "ON" OR (HEDDLE_BUILD_PYTHON STREQUAL "AUTO" AND PROJECT_IS_TOP_LEVEL AND HEDDLE_BUILD_TESTS))
  add_subdirectory(python)
endif()
