# The real binary killed at random moments; TUNER_KILL_DEVICE and TUNER_KILL_ROUNDS make more of it on a GPU.
if(TARGET tuner)
  add_executable(kill_test ${CMAKE_CURRENT_LIST_DIR}/kill_test.cpp)
  target_link_libraries(kill_test PRIVATE tuner_options tuner_sqlite tuner_proc GTest::gtest GTest::gtest_main)
  target_compile_definitions(kill_test PRIVATE TUNER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TUNER_PROGRAM="$<TARGET_FILE:tuner>")
  target_link_options(kill_test PRIVATE -static-libstdc++ -static-libgcc)
  add_dependencies(kill_test tuner)
  gtest_discover_tests(kill_test DISCOVERY_MODE PRE_TEST TEST_PREFIX kill. PROPERTIES TIMEOUT 600)
endif()
