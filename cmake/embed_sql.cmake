# db/NNN_name.sql, in order, as text inside tuner_store: store/migrations.h declares it.

file(GLOB migrations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/db/[0-9][0-9][0-9]_*.sql)
list(SORT migrations)
set(rows "")
foreach(file IN LISTS migrations)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND rows "      {\"${name}\", R\"sql(${text})sql\"},\n")
endforeach()
set(body "#include \"store/migrations.h\"\n\nnamespace tuner::store {\n\nconst std::vector<Migration>& migrations() {\n  static const std::vector<Migration> all{\n${rows}  };\n  return all;\n}\n\n}  // namespace tuner::store\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/migrations.cpp CONTENT "${body}" @ONLY)
target_sources(tuner_store PRIVATE ${PROJECT_BINARY_DIR}/generated/migrations.cpp)
