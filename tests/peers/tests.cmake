# scripts/peers.py, with a PyTorch that computes nothing; where Python can read YAML.
find_program(TUNER_PYTHON3 python3)
if(TUNER_PYTHON3)
  execute_process(COMMAND ${TUNER_PYTHON3} -W ignore -c "import yaml" RESULT_VARIABLE no_yaml ERROR_QUIET)
endif()
if(TUNER_PYTHON3 AND no_yaml EQUAL 0)
  add_test(NAME peers.walk COMMAND ${TUNER_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/peers_test.py ${PROJECT_SOURCE_DIR}/scripts/peers.py)
endif()
