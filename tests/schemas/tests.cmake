# Every manifest and sweep file of the tree keeps to the schemas that editors are given; where Python can check it.
find_program(TUNER_PYTHON3 python3)
if(TUNER_PYTHON3)
  execute_process(COMMAND ${TUNER_PYTHON3} -W ignore -c "import jsonschema, yaml" RESULT_VARIABLE no_jsonschema ERROR_QUIET)
endif()
if(TUNER_PYTHON3 AND no_jsonschema EQUAL 0)
  file(GLOB manifests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernel_templates/*.yaml
       ${PROJECT_SOURCE_DIR}/kernel_templates/*/*.yaml ${PROJECT_SOURCE_DIR}/tests/kernels/*.yaml)
  file(GLOB sweeps CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/configs/*.yaml ${PROJECT_SOURCE_DIR}/tests/compiles/*.yaml)
  add_test(NAME schemas.manifests COMMAND ${TUNER_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/check_schemas.py
           ${PROJECT_SOURCE_DIR}/schemas/manifest.schema.json ${manifests})
  add_test(NAME schemas.sweeps COMMAND ${TUNER_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/check_schemas.py
           ${PROJECT_SOURCE_DIR}/schemas/sweep.schema.json ${sweeps})
endif()
