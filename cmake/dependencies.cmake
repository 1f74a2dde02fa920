# Every vendor library, from the distribution's development packages; C++ ones as static archives,
# so that the installed binary needs no shared C++ library.

find_package(Threads REQUIRED)

find_path(TUNER_FMT_INCLUDE fmt/core.h REQUIRED)
find_path(TUNER_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
find_path(TUNER_XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(TUNER_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(TUNER_YAML_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_library(TUNER_YAML_ARCHIVE libyaml-cpp.a REQUIRED)
find_path(TUNER_SQLITE_INCLUDE sqlite3.h REQUIRED)
find_library(TUNER_SQLITE_ARCHIVE libsqlite3.a REQUIRED)
find_path(TUNER_BOOST_INCLUDE boost/context/fiber.hpp REQUIRED)
find_library(TUNER_BOOST_CONTEXT_ARCHIVE libboost_context.a REQUIRED)

# fmt: header-only, except where it is the version that src/fmt.cpp is written for: compiled in every file, it is a third
# of the build.
add_library(tuner_fmt INTERFACE)
target_include_directories(tuner_fmt SYSTEM INTERFACE ${TUNER_FMT_INCLUDE})
file(STRINGS ${TUNER_FMT_INCLUDE}/fmt/core.h fmt_version REGEX "define FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
if(fmt_version)
  add_library(tuner_fmt_compiled STATIC ${PROJECT_SOURCE_DIR}/src/fmt.cpp)
  target_include_directories(tuner_fmt_compiled SYSTEM PRIVATE ${TUNER_FMT_INCLUDE})
  target_link_libraries(tuner_fmt INTERFACE tuner_fmt_compiled)
else()
  target_compile_definitions(tuner_fmt INTERFACE FMT_HEADER_ONLY=1)
endif()

add_library(tuner_yaml INTERFACE)
target_include_directories(tuner_yaml SYSTEM INTERFACE ${TUNER_YAML_INCLUDE})
target_link_libraries(tuner_yaml INTERFACE ${TUNER_YAML_ARCHIVE})

add_library(tuner_sqlite INTERFACE)
target_include_directories(tuner_sqlite SYSTEM INTERFACE ${TUNER_SQLITE_INCLUDE})
target_link_libraries(tuner_sqlite INTERFACE ${TUNER_SQLITE_ARCHIVE} m ${CMAKE_DL_LIBS} Threads::Threads)

add_library(tuner_fibers INTERFACE)
target_include_directories(tuner_fibers SYSTEM INTERFACE ${TUNER_BOOST_INCLUDE})
target_link_libraries(tuner_fibers INTERFACE ${TUNER_BOOST_CONTEXT_ARCHIVE})

add_library(tuner_cli11 INTERFACE)
target_include_directories(tuner_cli11 SYSTEM INTERFACE ${TUNER_CLI11_INCLUDE})
