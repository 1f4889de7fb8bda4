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
  cp "$(command -v qemu-aarch64-static)" "$root/srv/x64"
}

# Where arm64 programs run by themselves. The kernel (6.7 and later) keeps that to whoever is in here.
cat >"$work/machine" <<'SH'
set -eu
root=$1
shift
mount --make-rprivate /
mount -t proc proc /proc
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":arm64:M::$magic:$mask:$(command -v qemu-aarch64-static):F" >/proc/sys/fs/binfmt_misc/register
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" "$@"
SH
# Replaces the (sub)shell it is called in.
pi() {
  exec unshare --user --map-root-user --mount --pid --fork --kill-child=KILL \
    env -i PATH="$PATH" HOME=/tmp QEMU_CPU=cortex-a53 HUB_HOME=/srv/home NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=20000000 \
    sh "$work/machine" "$root" "$@"
}

# What the hub tells systemd, a line each into a file.
listen_as_systemd() {
  python3 -u - "$root/run/notify" >"$work/told" <<'PY' &
import socket, sys
end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
end.bind(sys.argv[1])
while True:
    print(end.recv(4096).decode(), flush=True)
PY
  pids+=($!)
  soon test -S "$root/run/notify"
}

port_of() { sed -n "s/.*$1.* port=\([0-9]*\).*/\1/p" "$work/hub.log"; }
# patiently COMMAND…: succeeds within a minute; an emulated processor takes its time.
patiently() {
  local tries
  for tries in $(seq 240); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.25
  done
  "$@"
}
api() { curl -sS -m 20 "http://127.0.0.1:$(port_of 'the API answers')/api/v1$1" -H 'Content-Type: application/json' "${@:2}"; }
login() {
  local password
  password=$(sed -n 's/^password: //p' "$work/hub.log")
  token=$(api /auth/login -d "{\"username\":\"admin\",\"password\":\"$password\"}" | jq -er .token)
}
status_has() { api /system/status -H "Authorization: Bearer $token" | jq -e "$1"; }
plugins_have() { api /plugins -H "Authorization: Bearer $token" | jq -e "$1"; }
# Its exit code, or 124 when it takes longer than three times what it may on a real machine.
stop_hub() {
  kill -TERM "$(pgrep -P "$hub_pid")"
  timeout 30 tail --pid="$hub_pid" -f /dev/null && wait "$hub_pid"
}
refuses_x64() { ! said=$( (pi /srv/hub upgrade --home /srv/home /srv/x64) 2>&1) && grep -qF "built for linux-x64" <<<"$said"; }

check "apt-get fetches an arm64 C library and busybox" fetch
lay_out
said_version=$( (pi /srv/hub version) 2>&1 || true)
check "hub version on a Cortex-A53" grep -q 'linux-arm64)$' <<<"$said_version"
check "hub init" pi /srv/hub init
sed -i 's/^host = .*/host = "127.0.0.1"/; s/^port = .*/port = 0/' "$root/srv/home/config/hub.toml"
listen_as_systemd

begun=$(date +%s%3N)
(pi /srv/hub serve) >"$work/hub.log" 2>&1 &
hub_pid=$!
pids+=("$hub_pid")
check "the hub comes up" patiently grep -q 'the hub is up' "$work/hub.log"
echo "     $(($(date +%s%3N) - begun)) ms on this emulator"
check "… answers /health" jq -e '.status == "ok"' <(api /health)
check "… and tells systemd" soon grep -qx 'READY=1' "$work/told"
token=
login || true
check "the password is printed and lets in" test -n "$token"
check "it keeps state" status_has '.state_db_bytes > 0 and .history_db_bytes > 0 and .history.recording'
check "sysmon runs on the hub's own executable" patiently plugins_have 'map(select(.id == "sysmon" and .status == "active" and .devices > 0)) | length == 1'
check "the watchdog is fed" patiently grep -qx 'WATCHDOG=1' "$work/told"
check "a hub for another processor is refused" refuses_x64
code=0
stop_hub || code=$?
check "it ends by itself when asked to" test "$code" -eq 0
check "… and has told so" grep -qx 'STOPPING=1' "$work/told"
tell_and_end
