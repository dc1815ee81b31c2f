# Options that end a released program that writes beyond an array, before the written bytes are used: docs/guide/install.md#protection.
# heddle_test_hardening(NAME TARGET…) adds a test that the programs were built so.
set(heddle_stack_protection "")
set(heddle_fortified "")
set(heddle_read_only_addresses "")
# The sanitizers have checks of their own for the same functions.
if(NOT HEDDLE_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(released "$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>")
  set(heddle_stack_protection "$<${released}:-fstack-protector-strong>")
  # Needs an optimised build.
  set(heddle_fortified "$<${released}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  set(heddle_read_only_addresses LINKER:-z,relro,-z,now)
endif()

function(heddle_test_hardening name)
  if(heddle_stack_protection AND CMAKE_BUILD_TYPE STREQUAL "Release")
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    add_test(NAME ${name} COMMAND "${HEDDLE_PYTHON}" "${PROJECT_SOURCE_DIR}/tests/hardening_test.py" "${CMAKE_READELF}" ${ARGN})
  endif()
endfunction()
