# The host build and the host device together: templates compiled by the system's compiler and run as fibers.
file(GLOB host_device_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(host_device_test ${host_device_sources})
target_link_libraries(host_device_test PRIVATE tuner_measure tuner_device tuner_compile tuner_spec tuner_options
                                               GTest::gtest GTest::gtest_main)
target_compile_definitions(host_device_test PRIVATE TUNER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
gtest_discover_tests(host_device_test DISCOVERY_MODE PRE_TEST TEST_PREFIX host_device. PROPERTIES TIMEOUT 600)
