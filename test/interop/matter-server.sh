#!/usr/bin/env bash
# The Matter bridge with Home Assistant's python-matter-server, which is the Matter project's own controller, in a network of their own:
# it pairs, reads what zigbee2mqtt and Tasmota announce and what a plugin registers, commands each kind, and hears buttons and refusals.
# Usage: test/interop/matter-server.sh [HUB], as root. Needs iproute2, python3-venv (3.11 or later), libnl-route-3-200 and Bun 1.4.5 (bun,
# or npx to get it). It is installed from PyPI for the time of the test, or taken from the virtual environment that
# MATTER_SERVER_FOLDER names. Only a machine whose kernel gives no such network is excused.
set -euo pipefail

VERSION=7.0.1
here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

run_bun() {
  # A proxy for the internet does not know this network.
  unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
  if command -v bun >/dev/null; then bun "$@"; else npx --yes bun@1.4.5 "$@"; fi
}

if [ "${2:-}" = inside ]; then
  ip link set lo up
  ip link add matter0 type veth peer name matter1
  ip link set matter0 up
  ip link set matter1 up
  ip address add 192.0.2.10/24 dev matter0
  ip route add default dev matter0
  # Its SDK is built to keep its own files there, and nowhere else.
  mount -t tmpfs tmpfs /data
  run_bun "$here/matter-server.ts" "$binary" "$3"
  exit
fi

[ "$(id -u)" -eq 0 ] || { echo "$0: run it as root" >&2; exit 1; }
unless_refused "a network of its own" unshare --net --mount sh -c 'ip link add matter0 type veth peer name matter1 && mount -t tmpfs tmpfs /mnt'
# Without it the controller neither starts nor ends.
ldconfig -p | grep -q 'libnl-route-3\.so\.200' || { echo "$0: needs libnl-route-3-200" >&2; exit 1; }

work=$(mktemp -d)
made_data=
[ -e /data ] || { mkdir /data && made_data=yes; }
trap 'rm -rf "$work" /tmp/chip_kvs; [ -z "$made_data" ] || rmdir /data' EXIT
folder=${MATTER_SERVER_FOLDER:-}
if [ -z "$folder" ]; then
  folder=$work/venv
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "python-matter-server[server]==$VERSION"
fi
# Whatever is left of it ends with it.
timeout 300 unshare --net --mount --pid --fork --kill-child=KILL --mount-proc "$0" "$binary" inside "$folder/bin/matter-server"
