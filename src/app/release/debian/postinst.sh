#!/bin/sh
# Makes the hub a service, or gives the service that is there this version.
set -e
hub=/usr/lib/home-hub/hub
unit=/etc/systemd/system/hub.service

[ "$1" = configure ] || exit 0

if [ ! -d /run/systemd/system ]; then
  echo "home-hub: no systemd runs here. Start the hub with \`home-hub serve --home FOLDER\`."
  exit 0
fi

if [ ! -e "$unit" ]; then
  "$hub" service install --home /opt/hub
  exit 0
fi

home=$(sed -n 's/^Environment=HUB_HOME=//p' "$unit")
# Who installs an older package than the one before wants the older hub.
force=
if [ -n "${2:-}" ] && dpkg --compare-versions "$(dpkg-query --show --showformat='${Version}' home-hub)" lt "$2"; then force=--force; fi
if said=$("$hub" upgrade "$hub" --home "${home:-/opt/hub}" $force 2>&1); then
  printf '%s\n' "$said"
  exit 0
fi
printf '%s\n' "$said" >&2
case $said in
  # It was upgraded without this package.
  *--force*) echo "home-hub: the newer hub that is installed stays." >&2 ;;
  *) exit 1 ;;
esac
