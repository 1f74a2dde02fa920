# How good the ladder's answers are on shapes that were not tuned, replayed from stored trials.
add_executable(held_out ${CMAKE_CURRENT_LIST_DIR}/held_out.cpp)
target_link_libraries(held_out PRIVATE tuner_options tuner_store tuner_spec tuner_export)
target_compile_definitions(held_out PRIVATE TUNER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
