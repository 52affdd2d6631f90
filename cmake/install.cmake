# cmake --install installs a package: find_package(tessera), then link to tessera::tessera. The headers are in
# include/tessera, where their own includes ("core/...") are also found.
include(CMakePackageConfigHelpers)

add_library(tessera INTERFACE)
target_link_libraries(tessera INTERFACE tessera_kernels)
add_library(tessera::tessera ALIAS tessera)

install(TARGETS tessera tessera_kernels tessera_devices tessera_analysis tessera_interp tessera_core
        EXPORT tesseraTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tesseraTargets NAMESPACE tessera::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

# Runs at install time, so that a newly marked header does not require a new configuration.
install(CODE "
  include(\"${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake\")
  tessera_public_headers(\"${PROJECT_SOURCE_DIR}\" public headers)
  foreach(header IN LISTS headers)
    get_filename_component(folder \${header} DIRECTORY)
    file(INSTALL \"${PROJECT_SOURCE_DIR}/\${header}\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/tessera/\${folder}\")
  endforeach()")
add_custom_target(tessera_api
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${PROJECT_BINARY_DIR}/api -DVERSION=${PROJECT_VERSION}
          -P ${PROJECT_SOURCE_DIR}/cmake/api_reference.cmake
  COMMENT "Writing ${PROJECT_BINARY_DIR}/api/html/index.html" VERBATIM)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tessera)

install(FILES ${PROJECT_SOURCE_DIR}/docs/schema/gmm-run.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/schema)

configure_package_config_file(cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
              cmake/dnnl.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
