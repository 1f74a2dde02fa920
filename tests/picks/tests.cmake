# How good the picks of several sweeps are, on a GPU; built with the tests, run by hand.
add_executable(picks ${CMAKE_CURRENT_LIST_DIR}/picks.cpp)
target_link_libraries(picks PRIVATE tuner_tune tuner_options)
target_link_options(picks PRIVATE -static-libstdc++ -static-libgcc)
