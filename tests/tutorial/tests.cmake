# The commands of the tutorial, run as a reader runs them.
if(TARGET tuner)
  add_test(NAME tutorial.commands COMMAND ${CMAKE_CURRENT_LIST_DIR}/tutorial_test.sh $<TARGET_FILE:tuner>
           ${PROJECT_SOURCE_DIR}/docs/tutorial.md)
  set_tests_properties(tutorial.commands PROPERTIES TIMEOUT 300)
endif()
