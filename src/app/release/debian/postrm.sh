#!/bin/sh
# A house is not a setting of a package: purging leaves it, and says so.
set -e
if [ "$1" = purge ] && [ -d /opt/hub ]; then
  echo "home-hub: the house is still in /opt/hub, with its backups. Remove it with \`rm -r /opt/hub\`, and its user with \`userdel hub\`."
fi
