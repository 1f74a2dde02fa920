# The real binary on the host device, disturbed at random: many runs. TUNER_LONG_TESTS=1: a thousand.
if(TARGET tuner)
  add_executable(fault_relay ${CMAKE_CURRENT_LIST_DIR}/relay.cpp)
  target_link_libraries(fault_relay PRIVATE tuner_options tuner_proc)
  target_link_options(fault_relay PRIVATE -static-libstdc++ -static-libgcc)
  add_executable(faults_test ${CMAKE_CURRENT_LIST_DIR}/faults_test.cpp)
  target_link_libraries(faults_test PRIVATE tuner_options tuner_sqlite tuner_proc GTest::gtest GTest::gtest_main)
  target_include_directories(faults_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(
    faults_test
    PRIVATE TUNER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TUNER_BINARY_DIR="${PROJECT_BINARY_DIR}"
            TUNER_PROGRAM="$<TARGET_FILE:tuner>" TUNER_FAULTS_RELAY="$<TARGET_FILE:fault_relay>"
            TUNER_FAULTS_KERNELS="${CMAKE_CURRENT_LIST_DIR}/kernels")
  target_link_options(faults_test PRIVATE -static-libstdc++ -static-libgcc)
  add_dependencies(faults_test tuner fault_relay)
  gtest_discover_tests(faults_test DISCOVERY_MODE PRE_TEST TEST_PREFIX faults. PROPERTIES TIMEOUT 3600)
endif()
