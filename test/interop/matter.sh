#!/usr/bin/env bash
# The Matter bridge with matter.js's own controller, in a network of their own: pairing, commands, reports, a restart, another machine.
# Usage: test/interop/matter.sh [HUB], as root. Needs iproute2 and Bun 1.4.5 (bun, or npx to get it). Only a machine whose kernel gives
# no such network is excused.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

make_network() {
  ip link set lo up
  ip link add matter0 type veth peer name matter1
  ip link set matter0 up
  ip link set matter1 up
  ip address add 192.0.2.10/24 dev matter0
  ip route add default dev matter0
}

if [ "${2:-}" != inside ]; then
  [ "$(id -u)" -eq 0 ] || { echo "$0: run it as root" >&2; exit 1; }
  unless_refused "a network of its own" unshare --net sh -c 'ip link add matter0 type veth peer name matter1'
  exec unshare --net "$0" "$binary" inside
fi
make_network
if command -v bun >/dev/null; then exec bun "$here/matter.ts" "$binary"; else exec npx --yes bun@1.4.5 "$here/matter.ts" "$binary"; fi
