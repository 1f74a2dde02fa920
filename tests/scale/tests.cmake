# The store at scale, asked through the real binary. TUNER_LONG_TESTS=1: a million trials.
if(TARGET tuner)
  add_executable(scale_test ${CMAKE_CURRENT_LIST_DIR}/many_trials.cpp ${CMAKE_CURRENT_LIST_DIR}/scale_test.cpp)
  target_link_libraries(scale_test PRIVATE tuner_store tuner_spec tuner_proc tuner_options GTest::gtest GTest::gtest_main)
  target_include_directories(scale_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(scale_test PRIVATE TUNER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TUNER_BINARY_DIR="${PROJECT_BINARY_DIR}" TUNER_PROGRAM="$<TARGET_FILE:tuner>")
  add_dependencies(scale_test tuner)
  gtest_discover_tests(scale_test DISCOVERY_MODE PRE_TEST TEST_PREFIX scale. PROPERTIES TIMEOUT 900)
endif()
