#!/usr/bin/env bash
# fresh_root.sh [--toolkit DIR] [--suite NAME] [--keep] [COMMAND...]: runs COMMAND (default: the steps of
# scripts/Containerfile, which --steps prints) in a clean checkout of this commit inside a fresh minimal Debian root,
# with a CUDA toolkit folder bound in at its own path or with none, and no GPU. Needs root and mmdebstrap; takes the
# packages from where this system takes them. Prints the seconds it took.
set -euo pipefail
cd "$(dirname "$0")/.."

# The RUN lines of the first stage.
steps() { awk '/^FROM / && stages++ { exit } sub(/^RUN /, "")' scripts/Containerfile; }

toolkit=
suite=$(sed -n 's/^FROM debian:\([a-z]*\)-slim.*/\1/p' scripts/Containerfile | head -n 1)
keep=no
while [ $# -gt 0 ]; do
  case $1 in
    --toolkit) toolkit=$(readlink -f "$2"); shift 2 ;;
    --suite) suite=$2; shift 2 ;;
    --keep) keep=yes; shift ;;
    --steps) steps; exit ;;
    --*) echo "usage: scripts/fresh_root.sh [--toolkit DIR] [--suite NAME] [--keep] [--steps] [COMMAND...]" >&2; exit 2 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || set -- sh -exc "$(steps)"

root=$(mktemp -d)
chmod 755 "$root"
mmdebstrap --quiet --variant=minbase "$suite" "$root"

# The way to the packages, as this system has it.
for path in /etc/apt/apt.conf.d /etc/ssl/certs /usr/local/share/ca-certificates /etc/resolv.conf /etc/hosts; do
  [ -e "$path" ] || continue
  mkdir -p "$root$(dirname "$path")"
  cp -aL "$path" "$root$(dirname "$path")/" 2>/dev/null || true
done
git clone -q . "$root/tuner"
if [ -n "$toolkit" ]; then mkdir -p "$root$toolkit"; fi

# Mounts live in a namespace of their own and go with it.
inside='
  set -e
  root=$1 toolkit=$2
  shift 2
  mount --make-rprivate /
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/tmp"
  if [ -n "$toolkit" ]; then mount --bind "$toolkit" "$root$toolkit" && mount -o remount,bind,ro "$root$toolkit"; fi
  exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    sh -c "cd /tuner && exec \"\$@\"" _ "$@"
'
began=$SECONDS
rc=0
taskset -c 0,1 unshare --mount --pid --fork sh -c "$inside" _ "$root" "$toolkit" "$@" || rc=$?
echo "fresh root: exit $rc after $((SECONDS - began)) s: $*"
if [ $keep = yes ]; then
  echo "kept: $root"
else
  rm -rf --one-file-system "$root"
fi
exit $rc
