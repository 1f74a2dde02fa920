# Databases on media that refuse, and many processes on one: the real binary.
if(TARGET tuner)
  file(GLOB database_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
  add_executable(look_up_reader ${PROJECT_SOURCE_DIR}/tests/helpers/look_up_reader.cpp)
  target_link_libraries(look_up_reader PRIVATE tuner_options tuner_export)
  target_link_options(look_up_reader PRIVATE -static-libstdc++ -static-libgcc)
  add_executable(databases_test ${database_sources} ${PROJECT_SOURCE_DIR}/tests/scale/many_trials.cpp)
  target_link_libraries(databases_test PRIVATE tuner_options tuner_sqlite tuner_proc tuner_store tuner_spec GTest::gtest GTest::gtest_main)
  target_include_directories(databases_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(databases_test PRIVATE TUNER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TUNER_BINARY_DIR="${PROJECT_BINARY_DIR}" TUNER_PROGRAM="$<TARGET_FILE:tuner>"
                                                    TUNER_LOOK_UP_READER="$<TARGET_FILE:look_up_reader>")
  add_dependencies(databases_test tuner look_up_reader)
  gtest_discover_tests(databases_test DISCOVERY_MODE PRE_TEST TEST_PREFIX databases. PROPERTIES TIMEOUT 900)
endif()
