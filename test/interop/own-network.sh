#!/usr/bin/env bash
# Usage: own-network.sh COMMAND…, as root: COMMAND in a network of its own, on whose switch machines/network.ts puts machines. All that
# runs there ends with this script, and with what started it. `own-network.sh try` asks the kernel for all of it, and does nothing
# with it. Needs iproute2 and util-linux.
set -euo pipefail

if [ "${1:-}" != inside ]; then
  exec setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child --mount-proc "$0" inside "$@"
fi
shift
mkdir -p /run/netns
mount -t tmpfs none /run/netns
if [ "$1" = try ]; then
  ip netns add machine
  exec ip link add cable0 type veth peer name cable1 netns machine
fi
# Not exec: the first process of such a place has duties that are not those of a test.
"$@"
