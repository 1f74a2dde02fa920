# libcuda-fake.so: a driver for tests that need none.
add_library(cuda_fake SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_cuda.cpp)
target_include_directories(cuda_fake PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_features(cuda_fake PRIVATE cxx_std_20)
set_target_properties(cuda_fake PROPERTIES OUTPUT_NAME cuda-fake LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/helpers)
# libnvrtc-fake.so: a compiler of the version that its file's name says.
add_library(nvrtc_fake SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_nvrtc.cpp)
target_compile_features(nvrtc_fake PRIVATE cxx_std_20)
set_target_properties(nvrtc_fake PROPERTIES OUTPUT_NAME nvrtc-fake LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/helpers)
# libnvtx-fake.so: a profiler's end of NVTX.
add_library(nvtx_fake SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_nvtx.cpp)
target_compile_features(nvtx_fake PRIVATE cxx_std_20)
set_target_properties(nvtx_fake PROPERTIES OUTPUT_NAME nvtx-fake LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/helpers)
# libbaseline-fake.so: what a manifest's own baseline becomes.
add_library(baseline_fake SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_baseline.cpp)
target_include_directories(baseline_fake PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_features(baseline_fake PRIVATE cxx_std_20)
set_target_properties(baseline_fake PROPERTIES OUTPUT_NAME baseline-fake LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/helpers)
if(TARGET golden_test)
  add_dependencies(golden_test cuda_fake nvrtc_fake nvtx_fake)
  target_compile_definitions(
    golden_test PRIVATE TUNER_FAKE_CUDA="$<TARGET_FILE:cuda_fake>" TUNER_FAKE_NVRTC="$<TARGET_FILE:nvrtc_fake>"
                        TUNER_FAKE_NVTX_LIBRARY="$<TARGET_FILE:nvtx_fake>")
endif()
if(TARGET device_test)
  add_dependencies(device_test cuda_fake baseline_fake nvtx_fake)
  target_compile_definitions(
    device_test PRIVATE TUNER_FAKE_CUDA="$<TARGET_FILE:cuda_fake>" TUNER_FAKE_BASELINE="$<TARGET_FILE:baseline_fake>"
                        TUNER_FAKE_NVTX_LIBRARY="$<TARGET_FILE:nvtx_fake>")
endif()

# Where a toolkit's headers are, our declarations of the driver, of cuBLAS and of NVTX are compared with them.
find_path(TUNER_CUDA_INCLUDE cuda.h HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES include)
if(TUNER_CUDA_INCLUDE)
  set_property(
    SOURCE ${PROJECT_SOURCE_DIR}/src/device/driver_check.cpp ${PROJECT_SOURCE_DIR}/src/device/cublas_check.cpp
           ${PROJECT_SOURCE_DIR}/src/device/nvtx_check.cpp
    APPEND PROPERTY COMPILE_OPTIONS -isystem${TUNER_CUDA_INCLUDE})
endif()
