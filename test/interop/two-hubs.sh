#!/usr/bin/env bash
# A house of several machines, each a network of its own, whose broker nodes and hubs are killed and cut off one after the other.
# Usage: test/interop/two-hubs.sh [HUB [OPTION…]], as root; two-hubs.ts says which options there are. Needs iproute2, util-linux,
# nats-server, mosquitto, postgresql, victoria-metrics and Bun 1.4.5 (bun, or npx to get it). Only a machine whose kernel gives no
# such networks is excused.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=checks.sh
. "$here/checks.sh"

binary=$(realpath "${1:-$here/../../bin/hub}")
[ $# -eq 0 ] || shift
[ "$(id -u)" -eq 0 ] || { echo "$0: run it as root" >&2; exit 1; }
unless_refused "networks of its own" "$here/own-network.sh" try
bun=(bun)
command -v bun >/dev/null || bun=(npx --yes bun@1.4.5)
exec "$here/own-network.sh" "${bun[@]}" "$here/two-hubs.ts" "$binary" "$@"
