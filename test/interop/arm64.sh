#!/usr/bin/env bash
# The arm64 build on an emulated Cortex-A53, the processor of the Raspberry Pi 3, with nothing but an arm64 Debian's C library
# and busybox around it: start, health, systemd's socket, a plugin, stopping.
# Usage: test/interop/arm64.sh [HUB_ARM64], as root. Needs qemu-user-static, apt-get, dpkg, python3, curl and jq. apt-get
# fetches four packages, without telling this machine's dpkg of another architecture.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../dist/release/hub-linux-arm64}")
# shellcheck source=checks.sh
. "$here/checks.sh"

work=$(mktemp -d)
root=$work/root
pids=()
end_all() {
  local pid
  for pid in "${pids[@]}"; do
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap end_all EXIT

fetch() {
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
  local options=(-qq -o "APT::Architectures::=$(dpkg --print-architecture)" -o APT::Architectures::=arm64
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
  cd "$work/debs"
  apt-get "${options[@]}" update &&
    apt-get "${options[@]}" download libc6:arm64 libgcc-s1:arm64 libstdc++6:arm64 busybox-static:arm64
}

lay_out() {
  mkdir -p "$root"/{bin,proc,dev,tmp,run,srv}
  local package applet
  for package in "$work"/debs/*.deb; do dpkg -x "$package" "$root"; done
  for applet in sh grep sleep; do ln -sf busybox "$root/bin/$applet"; done
  cp "$binary" "$root/srv/hub"
  cp "$(command -v qemu-aarch64-static)" "$root/srv/qemu"
}

# The machine: arm64 programs run by themselves, for whoever is in here. The kernel (6.7 and later) keeps that to this room.
cat >"$work/machine" <<'SH'
set -eu
root=$1
shift
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
printf '%s' ':arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/srv/qemu:F' >/proc/sys/fs/binfmt_misc/register
exec chroot "$root" "$@"
SH
on_the_pi() {
  local program=$1
  shift
  cp "$root/srv/qemu" /dev/null
  unshare --user --map-root-user --mount --pid --fork --kill-child=KILL \
    env -i PATH=/bin:/usr/bin:/sbin:/usr/sbin QEMU_CPU=cortex-a53 "$@" sh "$work/machine" "$root" $program
}
