# Installs the library, its headers and the command, and exports heddle::heddle and heddle::distributed to find_package(heddle), from the
# installed prefix and from the build folder.
include(CMakePackageConfigHelpers)

install(TARGETS heddle EXPORT heddleTargets FILE_SET HEADERS FILE_SET cuda_headers)
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
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/heddle")
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION "${package_folder}")
export(EXPORT heddleTargets NAMESPACE heddle:: FILE "${PROJECT_BINARY_DIR}/heddleTargets.cmake")

if(BUILD_SHARED_LIBS)
  set(HEDDLE_IS_STATIC FALSE)
else()
  set(HEDDLE_IS_STATIC TRUE)
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/heddleConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/heddleConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
configure_file("${PROJECT_SOURCE_DIR}/cmake/heddleOptimisation.cmake" "${PROJECT_BINARY_DIR}" COPYONLY)
install(FILES "${PROJECT_BINARY_DIR}/heddleConfig.cmake" "${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake"
  "${PROJECT_BINARY_DIR}/heddleOptimisation.cmake"
  DESTINATION "${package_folder}")
