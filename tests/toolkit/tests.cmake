# Where a CUDA toolkit is installed, tests compare our own declarations and calculations with its headers.
file(GLOB versioned_toolkits /usr/local/cuda-*/include)
find_path(TUNER_CUDA_INCLUDE nvrtc.h HINTS $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include /usr/local/cuda/include
          /usr/local/cuda/targets/x86_64-linux/include ${versioned_toolkits})
if(TUNER_CUDA_INCLUDE AND TARGET compile_test)
  target_include_directories(compile_test SYSTEM PRIVATE ${TUNER_CUDA_INCLUDE})
endif()
