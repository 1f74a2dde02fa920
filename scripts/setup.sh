#!/usr/bin/env bash
# Installs what building needs, and says so first: `scripts/setup.sh` for the tool, `scripts/setup.sh --tests` for the
# tests as well. Needs apt-get and root (or sudo without a password); elsewhere it prints what is missing and exits 1.
set -euo pipefail

with_tests=no
for argument in "$@"; do
  case $argument in
    --tests) with_tests=yes ;;
    *) echo "usage: scripts/setup.sh [--tests]" >&2; exit 2 ;;
  esac
done

missing=()

need_command() {  # COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || missing+=("$2")
}

need_file() {  # PACKAGE PATTERN...: any of the patterns names a file
  local package=$1
  shift
  compgen -G "$1" >/dev/null || { [ $# -gt 1 ] && compgen -G "$2" >/dev/null; } || missing+=("$package")
}

need_header() {  # HEADER PACKAGE
  need_file "$2" "/usr/include/$1" "/usr/local/include/$1"
}

find_missing() {
  missing=()
  need_command g++ g++
  need_command cmake cmake
  need_command ninja ninja-build
  need_header yaml-cpp/yaml.h libyaml-cpp-dev
  need_header sqlite3.h libsqlite3-dev
  need_header boost/context/fiber.hpp libboost-context-dev
  need_header fmt/core.h libfmt-dev
  need_header nlohmann/json.hpp nlohmann-json3-dev
  need_header xxhash.h libxxhash-dev
  need_header CLI/CLI.hpp libcli11-dev
  [ "$with_tests" = yes ] || return 0
  need_command make make  # the default generator, as the README builds
  need_header gtest/gtest.h libgtest-dev
  need_file python3-jsonschema '/usr/lib/python3*/*-packages/jsonschema/__init__.py' '/usr/local/lib/python3*/*-packages/jsonschema/__init__.py'
  need_file python3-yaml '/usr/lib/python3*/*-packages/yaml/__init__.py' '/usr/local/lib/python3*/*-packages/yaml/__init__.py'
  need_file locales /usr/share/i18n/locales/de_DE  # a decimal comma
  # Workers placed by a cluster's own engine.
  need_file slurmctld /usr/sbin/slurmctld
  need_file slurmd /usr/sbin/slurmd
  need_file slurm-client /usr/bin/srun
  need_file munge /usr/sbin/munged
  need_file openssh-server /usr/sbin/sshd
  need_file openssh-client /usr/bin/ssh
  need_command clang++ clang
  need_command clang-tidy clang-tidy
  need_command clang-format clang-format
  # The fuzzers' run time; its package carries clang's version in its name.
  need_file compiler-rt '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a' '/usr/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a'
}

# "compiler-rt" -> the package that fits the distribution's clang.
name_packages() {
  local version package
  packages=()
  for package in "${missing[@]}"; do
    if [ "$package" = compiler-rt ]; then
      version=$(apt-cache depends clang 2>/dev/null | sed -n 's/^ *Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
      package=libclang-rt-$version-dev
      # Where this package does not exist, clang's own packages hold it.
      apt-cache show "$package" >/dev/null 2>&1 || continue
    fi
    packages+=("$package")
  done
}

find_missing
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "missing here, by their Debian names: ${missing[*]}" >&2
  echo "install them with this system's package manager, then run this again" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif sudo -n true 2>/dev/null; then
  as_root=(sudo -n)
else
  name_packages
  echo "missing: ${packages[*]}" >&2
  echo "no right to install them here; as root, run:" >&2
  echo "  apt-get update && apt-get install -y --no-install-recommends ${packages[*]}" >&2
  exit 1
fi

echo "set-up: missing here: ${missing[*]}"
# One broken source among many must not stop the rest; a package that stays unknown does, below.
"${as_root[@]}" apt-get update -qq || echo "set-up: apt-get update reported errors; going on with the lists there are" >&2
name_packages
echo "set-up: installing with apt-get: ${packages[*]}"
# The daemons are for tests, which start their own: none is started now.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  trap '"${as_root[@]}" rm -f /usr/sbin/policy-rc.d' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee /usr/sbin/policy-rc.d >/dev/null
  "${as_root[@]}" chmod 755 /usr/sbin/policy-rc.d
fi
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null

find_missing
if [ ${#missing[@]} -gt 0 ]; then
  echo "set-up: still missing after the installation: ${missing[*]}" >&2
  exit 1
fi
