# The check of the install tree, checked.
if(TARGET tuner)
  add_test(NAME install.check_install COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_install_test.sh $<TARGET_FILE:tuner> ${CMAKE_CXX_COMPILER})
  set_tests_properties(install.check_install PROPERTIES TIMEOUT 120)
endif()
