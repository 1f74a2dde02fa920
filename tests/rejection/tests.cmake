add_executable(rejection ${CMAKE_CURRENT_LIST_DIR}/rejection.cpp)
target_link_libraries(rejection PRIVATE tuner_tune tuner_options)
target_link_options(rejection PRIVATE -static-libstdc++ -static-libgcc)
