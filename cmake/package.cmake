# Installs the library, its headers, the command, the pages and the licences. Exports heddle::heddle and heddle::distributed to
# find_package(heddle), from the installed prefix and from the build folder, and heddle.pc to pkg-config.
include(CMakePackageConfigHelpers)

if(BUILD_SHARED_LIBS)
  set(HEDDLE_IS_STATIC FALSE)
  set(archive_folder "${CMAKE_INSTALL_LIBDIR}")
else()
  set(HEDDLE_IS_STATIC TRUE)
  set(archive_folder "${CMAKE_INSTALL_LIBDIR}/heddle")
  include("${CMAKE_CURRENT_LIST_DIR}/linker_script.cmake")
endif()
install(TARGETS heddle EXPORT heddleTargets ARCHIVE DESTINATION "${archive_folder}" FILE_SET HEADERS FILE_SET cuda_headers)
install(TARGETS heddle_ranks heddle_distributed EXPORT heddleTargets FILE_SET HEADERS)
if(TARGET heddle_command)
  install(TARGETS heddle_command)
  if(TARGET heddle_mpi_command)
    install(TARGETS heddle_mpi_command)
  endif()
  # The same command in nvcc's place.
  install(FILES "${PROJECT_BINARY_DIR}/bin/heddle-nvcc" DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET heddle_manual)
  set(made "${PROJECT_BINARY_DIR}/share")
  install(FILES "${made}/heddle.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${made}/heddle.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME heddle)
  install(FILES "${made}/_heddle" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${made}/heddle.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/examples/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples")

# The licences of headers that are compiled into the library and the command, where the system has them as Debian has.
set(compiled_in libfmt-dev nlohmann-json3-dev)
if(NOT HEDDLE_FFTW)
  list(APPEND compiled_in libkissfft-dev)
endif()
if(TARGET heddle_command)
  list(APPEND compiled_in libcli11-dev libeigen3-dev)
endif()
foreach(package IN LISTS compiled_in)
  install(FILES "/usr/share/doc/${package}/copyright" DESTINATION "${CMAKE_INSTALL_DOCDIR}/licences" RENAME "${package}.txt" OPTIONAL)
endforeach()

# The folder of heddle.pc leads to the prefix, so that an installation can be moved.
file(RELATIVE_PATH HEDDLE_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/heddle.pc.in" "${PROJECT_BINARY_DIR}/heddle.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/heddle.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/heddle")
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION "${package_folder}")
export(EXPORT heddleTargets NAMESPACE heddle:: FILE "${PROJECT_BINARY_DIR}/heddleTargets.cmake")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/heddleConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/heddleConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
configure_file("${PROJECT_SOURCE_DIR}/cmake/heddleOptimisation.cmake" "${PROJECT_BINARY_DIR}" COPYONLY)
install(FILES "${PROJECT_BINARY_DIR}/heddleConfig.cmake" "${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake"
  "${PROJECT_BINARY_DIR}/heddleOptimisation.cmake"
  DESTINATION "${package_folder}")
