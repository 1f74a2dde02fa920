# The commands of the tutorial, run as a reader runs them; the manifests of a page, checked with kernels that fit them.
if(TARGET tuner)
  add_test(NAME tutorial.commands COMMAND ${CMAKE_CURRENT_LIST_DIR}/tutorial_test.sh $<TARGET_FILE:tuner>
           ${PROJECT_SOURCE_DIR}/docs/tutorial.md)
  add_test(NAME tutorial.coming_from COMMAND ${CMAKE_CURRENT_LIST_DIR}/manifests_test.sh $<TARGET_FILE:tuner>
           ${PROJECT_SOURCE_DIR}/docs/coming_from.md ${CMAKE_CURRENT_LIST_DIR}/kernels)
  set_tests_properties(tutorial.commands tutorial.coming_from PROPERTIES TIMEOUT 300)
endif()
