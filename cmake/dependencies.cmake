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
