# The real binary with several workers on the host device.
if(TARGET tuner)
  add_executable(several_test ${CMAKE_CURRENT_LIST_DIR}/several_test.cpp)
  target_link_libraries(several_test PRIVATE tuner_options tuner_sqlite tuner_proc GTest::gtest GTest::gtest_main)
  target_include_directories(several_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(
    several_test
    PRIVATE TUNER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TUNER_BINARY_DIR="${PROJECT_BINARY_DIR}"
            TUNER_PROGRAM="$<TARGET_FILE:tuner>" TUNER_FAKE_CUDA="$<TARGET_FILE:cuda_fake>"
            TUNER_FAULTY_KERNELS="${PROJECT_SOURCE_DIR}/tests/faults/kernels")
  add_dependencies(several_test tuner cuda_fake)
  gtest_discover_tests(several_test DISCOVERY_MODE PRE_TEST TEST_PREFIX several. PROPERTIES TIMEOUT 600)
endif()
