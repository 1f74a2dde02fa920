# Sourced: what of a GPU, the CUDA toolkit and a cluster's daemons is here. Looks where the tool and its tests look.

toolkit_folders() {
  compgen -G "${CUDA_HOME:-/nonexistent}" || true
  compgen -G '/usr/local/cuda' || true
  compgen -G '/usr/local/cuda-*' || true
  compgen -G '/opt/cuda' || true
}

has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }

has_all() {  # NAME...: programs and daemons
  local name
  for name in "$@"; do
    compgen -G "/usr/*bin/$name" >/dev/null || compgen -G "/usr/local/*bin/$name" >/dev/null || return 1
  done
}

has_slurm() { has_all munged slurmctld slurmd srun sinfo squeue scancel scontrol; }

has_sshd() { has_all sshd ssh ssh-keygen; }

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
