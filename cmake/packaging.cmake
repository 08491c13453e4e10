# Installation, and CMake package files so that other projects can say
#   find_package(baton 0.1)
#   target_link_libraries(theirs baton::messages_caf)
# Every baton_library() is installed, every .hpp of the library folders lies
# under include/baton, and every program of apps/ but the examples is installed.
include(CMakePackageConfigHelpers)
set(BATON_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/baton")

get_property(_libraries GLOBAL PROPERTY BATON_INSTALLED_TARGETS)
install(TARGETS ${_libraries} EXPORT batonTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT batonTargets NAMESPACE baton::
        DESTINATION "${BATON_PACKAGE_DIR}")
install(DIRECTORY messages storage actors
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/baton"
        FILES_MATCHING PATTERN "*.hpp")

# The folders of apps/ whose programs are of use only in this tree.
set(_kept_here examples demo_agent demo_view)
get_property(_folders DIRECTORY apps PROPERTY SUBDIRECTORIES)
foreach(_folder IN ITEMS "${CMAKE_CURRENT_SOURCE_DIR}/apps" LISTS _folders)
  get_filename_component(_name "${_folder}" NAME)
  get_property(_targets DIRECTORY "${_folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(_target IN LISTS _targets)
    get_target_property(_type ${_target} TYPE)
    if(_type STREQUAL EXECUTABLE AND NOT _name IN_LIST _kept_here)
      install(TARGETS ${_target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    endif()
  endforeach()
endforeach()

configure_package_config_file(cmake/batonConfig.cmake.in batonConfig.cmake
  INSTALL_DESTINATION "${BATON_PACKAGE_DIR}"
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change what callers see.
write_basic_package_version_file(batonConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/batonConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/batonConfigVersion.cmake"
  cmake/FindCAF.cmake
  DESTINATION "${BATON_PACKAGE_DIR}")
