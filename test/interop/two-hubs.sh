#!/usr/bin/env bash
# A house of several machines, each a network of its own, whose broker nodes and hubs are killed and cut off one after the other.
# Usage: test/interop/two-hubs.sh [HUB [OPTION…]], as root; two-hubs.ts says which options there are. Needs iproute2, util-linux,
# nats-server, mosquitto, postgresql, victoria-metrics and Bun 1.4.5 (bun, or npx to get it). Only a machine whose kernel gives no
# such networks is excused.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=checks.sh
. "$here/checks.sh"

if [ "${1:-}" != inside ]; then
  binary=$(realpath "${1:-$here/../../bin/hub}")
  [ $# -eq 0 ] || shift
  [ "$(id -u)" -eq 0 ] || { echo "$0: run it as root" >&2; exit 1; }
  # All that runs there ends with this script.
  alone=(unshare --net --mount --pid --fork --kill-child --mount-proc)
  unless_refused "networks of its own" "${alone[@]}" sh -c \
    'mkdir -p /run/netns && mount -t tmpfs none /run/netns && ip netns add machine && ip link add cable0 type veth peer name cable1 netns machine'
  exec "${alone[@]}" "$0" inside "$binary" "$@"
fi
shift
mkdir -p /run/netns
mount -t tmpfs none /run/netns
# Not exec: the first process of such a place has duties that are not those of a test.
if command -v bun >/dev/null; then bun "$here/two-hubs.ts" "$@"; else npx --yes bun@1.4.5 "$here/two-hubs.ts" "$@"; fi
