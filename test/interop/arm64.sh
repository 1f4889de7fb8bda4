#!/usr/bin/env bash
# The arm64 build on an emulated Cortex-A53, the processor of the Raspberry Pi 3, with nothing but an arm64 Debian's C library
# and busybox around it: start, health, systemd's socket, a plugin, stopping; and a house that moves there and back.
# Usage: test/interop/arm64.sh [HUB_ARM64 [HUB_X64]], as root. Needs qemu-user-static, apt-get, dpkg, procps, python3, curl, jq,
# mosquitto-clients and sqlite3. apt-get fetches four packages, without telling this machine's dpkg of another architecture.
# Only a machine whose kernel does not let arm64 programs run in a room of their own is excused.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../dist/release/hub-linux-arm64}")
x64_binary=$(realpath "${2:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

work=$(mktemp -d)
root=$work/root
log=$work/hub.log
token=
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
  local options=(-qq -o Acquire::Retries=3 -o "APT::Architectures::=$(dpkg --print-architecture)" -o APT::Architectures::=arm64
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
  cd "$work/debs"
  apt-get "${options[@]}" update &&
    apt-get "${options[@]}" download libc6:arm64 libgcc-s1:arm64 libstdc++6:arm64 busybox-static:arm64
}

package_has_it() {
  dpkg --fsys-tarfile "$(dirname "$binary")"/home-hub_*_arm64.deb | tar -xO ./usr/lib/home-hub/hub | cmp - "$binary" &&
    same arm64 dpkg --field "$(dirname "$binary")"/home-hub_*_arm64.deb Architecture
}

lay_out() {
  mkdir -p "$root"/{bin,proc,dev,tmp,run,srv} "$work/formats"
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
formats=$2
shift 2
mount -t proc proc /proc
mount -t binfmt_misc binfmt_misc "$formats"
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":arm64:M::$magic:$mask:$(command -v qemu-aarch64-static):F" >"$formats/register"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" "$@"
SH
apart=(unshare --user --map-root-user --mount --pid --fork --kill-child=KILL)
# The namespaces and file systems of the machine.
try_machine() {
  "${apart[@]}" sh -ec 'mount -t proc proc /proc; mount -t binfmt_misc binfmt_misc "$1"' sh "$1"
}
# Replaces the (sub)shell it is called in.
pi() {
  exec "${apart[@]}" \
    env -i PATH="$PATH" HOME=/tmp QEMU_CPU=cortex-a53 HUB_HOME=/srv/home NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=20000000 \
    sh "$work/machine" "$root" "$work/formats" "$@"
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

port_of() { sed -n "s/.*$1.* port=\([0-9]*\).*/\1/p" "$log"; }
api() { # PATH [CURL'S OPTIONS…], with the token if there is one
  curl -sS --fail-with-body -m 60 "http://127.0.0.1:$(port_of 'the API answers')/api/v1$1" \
    -H 'Content-Type: application/json' ${token:+-H "Authorization: Bearer $token"} "${@:2}"
}
printed_password() { sed -n 's/^password: //p' "$log"; }
log_in() { # USER PASSWORD
  api /auth/login -d "$(jq -nc --arg user "$1" --arg password "$2" '{username: $user, password: $password}')" | jq -er .token
}
# answer PATH FILTER: whether jq finds the filter true in what the API answers.
answer() { api "$1" | jq -e "$2"; }
sysmon_works() { answer /plugins 'map(select(.id == "sysmon" and .status == "active" and .devices > 0)) | length == 1'; }
# stop_hub PROCESS: the exit code, or 124 when it takes longer than three times what it may on a real machine.
stop_hub() {
  kill -TERM "$1"
  # Fifteen seconds by systemd's rule, on a processor that is emulated beside other tests.
  timeout 90 tail --pid="$hub_pid" -f /dev/null && wait "$hub_pid"
}
refuses_x64() { ! said=$( (pi /srv/hub upgrade --home /srv/home /srv/x64) 2>&1) && grep -qF "built for linux-x64" <<<"$said"; }

# shellcheck source=migration.sh
. "$here/migration.sh"

[ "$(id -u)" -eq 0 ] || { echo "$0: run it as root" >&2; exit 1; }
mkdir "$work/try"
unless_refused "a machine for arm64 programs" try_machine "$work/try"
check "apt-get fetches an arm64 C library and busybox" fetch
lay_out
said_version=$( (pi /srv/hub version) 2>&1 || true)
check "hub version on a Cortex-A53" grep -q 'linux-arm64)$' <<<"$said_version"
check "the sums of the release are right" sh -c "cd '$(dirname "$binary")' && sha256sum --check --quiet SHA256SUMS"
check "the TypeScript client is in it" sh -c "tar -tzf '$(dirname "$binary")'/hub-client-*.tgz | grep -qx package/index.js"
check "the Debian package beside it has the same program" package_has_it
check "hub init" pi /srv/hub init
sed -i 's/^host = .*/host = "127.0.0.1"/; s/^port = .*/port = 0/' "$root/srv/home/config/hub.toml"
listen_as_systemd

begun=$(date +%s%3N)
(pi /srv/hub serve) >"$log" 2>&1 &
hub_pid=$!
pids+=("$hub_pid")
check "the hub comes up" patiently grep -q 'the hub is up' "$log"
echo "     $(($(date +%s%3N) - begun)) ms on this emulator"
check "… answers /health" jq -e '.status == "ok"' <(api /health)
check "… and tells systemd" soon grep -qx 'READY=1' "$work/told"
token=$(log_in admin "$(printed_password)") || true
check "the password is printed and lets in" test -n "$token"
check "it keeps state" answer /system/status '.state_db_bytes > 0 and .history_db_bytes > 0 and .history.recording'
check "sysmon runs on the hub's own executable" patiently sysmon_works
check "the watchdog is fed" patiently grep -qx 'WATCHDOG=1' "$work/told"
check "a hub for another processor is refused" refuses_x64
code=0
stop_hub "$(pgrep -P "$hub_pid")" || code=$?
check "it ends by itself when asked to" test "$code" -eq 0
check "… and has told so" grep -qx 'STOPPING=1' "$work/told"
migration_checks
tell_and_end
