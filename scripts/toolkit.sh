# Sourced: what of a GPU and the CUDA toolkit is here. Looks where the tool itself looks.

toolkit_folders() {
  compgen -G "${CUDA_HOME:-/nonexistent}" || true
  compgen -G '/usr/local/cuda' || true
  compgen -G '/usr/local/cuda-*' || true
  compgen -G '/opt/cuda' || true
}

has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }

has_nvcc() { command -v nvcc >/dev/null; }

has_nvrtc() {
  local folder
  [ -z "${TUNER_NVRTC:-}" ] || return 0
  ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so' && return 0
  for folder in $(toolkit_folders); do
    compgen -G "$folder/lib*/libnvrtc.so*" >/dev/null && return 0
  done
  compgen -G '/usr/lib/x86_64-linux-gnu/libnvrtc.so*' >/dev/null
}

# Puts the first toolkit's nvcc on the path, for the tests that compile with it.
use_nvcc() {
  local folder
  has_nvcc && return 0
  for folder in $(toolkit_folders); do
    if [ -x "$folder/bin/nvcc" ]; then
      PATH=$PATH:$folder/bin
      return 0
    fi
  done
}
