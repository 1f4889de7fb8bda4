#!/bin/sh
# Ends the service when the package is removed. On an upgrade it runs on, until the new version takes its place.
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ] && [ -e /etc/systemd/system/hub.service ]; then
  /usr/lib/home-hub/hub service uninstall
fi
