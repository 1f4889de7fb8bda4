#!/usr/bin/env bash
# The image that src/app/release/Containerfile describes, built on a fresh Debian and run: a house in its volume, and the way it ends.
# Usage: test/interop/container.sh [HUB], as root. Needs buildah, crun, debootstrap, curl, jq, procps, iproute2 and Bun 1.4.5 (bun, or
# npx to get it). Only a machine whose kernel gives no such room is excused.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

work=$(mktemp -d)
end_all() {
  hub_pid | xargs -r kill -KILL 2>/dev/null || true
  wait 2>/dev/null || true
  # What buildah left mounted.
  awk -v under="$work/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r -n 1 umount -l 2>/dev/null || true
  rm -rf "$work"
}
trap end_all EXIT
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs

buildah_() { buildah --root "$work/images" --runroot "$work/run" "$@" </dev/null; }
bun_() { if command -v bun >/dev/null; then bun "$@"; else npx --yes bun@1.4.5 "$@"; fi </dev/null; }

# From where this machine has its own packages.
make_base() {
  local mirror base
  # Reads all of it: who stops after the first line ends apt-get by SIGPIPE, and with it this script.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | awk '/\/debian\// && !found { found = $0 } END { print found }')
  debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/base.log" 2>&1 || { tail "$work/base.log"; return 1; }
  base=$(buildah_ from scratch)
  buildah_ add -q "$base" "$work/base" /
  buildah_ commit -q "$base" localhost/debian:12 >/dev/null
  buildah_ rm "$base" >/dev/null
}
make_image() {
  mkdir "$work/release"
  cp "$here/../../src/app/release/Containerfile" "$work/release/"
  bun_ "$here/make-deb.ts" "$binary" "$version" "$work/release/home-hub_${version}_amd64.deb"
  buildah_ bud -q --build-arg BASE=localhost/debian:12 -t home-hub "$work/release"
}

# The container has a network of its own, and nothing in it but what the image brings.
begin_container() {
  rm -f "$work/code"
  (
    code=0
    unshare --net sh -c 'ip link set lo up; exec "$@"' sh \
      buildah --root "$work/images" --runroot "$work/run" run "$container" -- home-hub serve </dev/null >"$work/log" 2>&1 || code=$?
    echo "$code" >"$work/code"
  ) &
}
hub_pid() { pgrep -u 10001 -f '^/usr/bin/home-hub serve'; }
in_network() { nsenter -t "$(hub_pid)" --net "$@"; }
healthy() { in_network curl -sf -m 30 http://127.0.0.1:8080/api/v1/health | jq -e --arg version "$version" '.version == $version'; }
answers() { patiently healthy || { cat "$work/log"; return 1; }; }
log_in() {
  in_network curl -sf -m 30 http://127.0.0.1:8080/api/v1/auth/login -H 'Content-Type: application/json' \
    -d "{\"username\":\"admin\",\"password\":\"$password\"}"
}
ends() {
  kill -TERM "$(hub_pid)"
  patiently test -s "$work/code"
  same 0 cat "$work/code"
}
setting() { buildah_ inspect "$container" | jq -c ".OCIv1.config.$1"; }
has_password() { grep -q '^password: ' "$work/log"; }

[ "$(id -u)" -eq 0 ] || { echo "$0: run it as root" >&2; exit 1; }
unless_refused "a network of its own" unshare --net true
version=$("$binary" version | cut -d' ' -f2)
make_base
check "the image is built" make_image
container=$(buildah_ from localhost/home-hub)
check "it runs as a user of its own" same '"hub"' setting User
check "the house is its volume" same '{"/house":{}}' setting Volumes
begin_container
check "the hub answers" answers
check "… and prints the password" soon has_password
password=$(sed -n 's/^password: //p' "$work/log")
check "… to the password that it printed" log_in
check "… as a user who is not root" same 10001 stat -c %u "/proc/$(hub_pid)"
check "SIGTERM ends it with success" ends
begin_container
check "the same house starts again" answers
check "… without another password" refused has_password
check "… and the old one is right" log_in
check "… and ends" ends
tell_and_end
