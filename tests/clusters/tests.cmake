# The real binary with workers placed by Slurm and by ssh, whose daemons run here for the test.
if(TARGET tuner)
  add_executable(clusters_test ${CMAKE_CURRENT_LIST_DIR}/clusters_test.cpp ${CMAKE_CURRENT_LIST_DIR}/daemons.cpp)
  target_link_libraries(clusters_test PRIVATE tuner_options tuner_sqlite tuner_proc GTest::gtest GTest::gtest_main)
  target_include_directories(clusters_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(
    clusters_test
    PRIVATE TUNER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TUNER_BINARY_DIR="${PROJECT_BINARY_DIR}"
            TUNER_PROGRAM="$<TARGET_FILE:tuner>" TUNER_FAULTY_KERNELS="${PROJECT_SOURCE_DIR}/tests/faults/kernels")
  add_dependencies(clusters_test tuner)
  gtest_discover_tests(clusters_test DISCOVERY_MODE PRE_TEST TEST_PREFIX clusters. PROPERTIES TIMEOUT 300)
endif()
