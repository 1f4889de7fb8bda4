#!/usr/bin/env bash
# The hub and Home Assistant's own MQTT integration at one broker, with the bytes of real models; what they say differently is a table.
# Usage: test/interop/referee.sh [HUB] [--models N] [--seed S] [--only MODEL] [--all] [--source exposes|homeassistant] [--states]
# Without --all it is a part in which every component, class and unit appears. Home Assistant is installed from PyPI into a folder of
# the user's cache, or taken from the Python that REFEREE_PYTHON names. Needs xz, Bun 1.4.5 (bun, or npx to get it), and Python 3.11 or
# 3.12 with venv: as root on Debian, what is missing is installed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
corpus=$here/../../../shared/corpus/z2m.jsonl.xz
binary=$here/../../bin/hub
case "${1:-}" in
  "" | -*) ;;
  *) binary=$1; shift ;;
esac
binary=$(realpath "$binary")
if [ ! -e "$corpus" ]; then
  echo "NOT RUN, NOTHING OF IT IS CHECKED: test/interop/referee.sh: $corpus is not there"
  exit 0
fi

# Prints the first Python that can have it: with venv, and of a version that its parts are built for.
find_python() {
  local candidate
  for candidate in python3.11 python3.12 python3 /usr/bin/python3.11 /usr/bin/python3; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

install_missing() {
  local missing=()
  command -v xz >/dev/null || missing+=(xz-utils)
  find_python >/dev/null || missing+=(python3 python3-venv)
  [ "${#missing[@]}" -gt 0 ] || return 0
  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# In a folder that is named after what is in it, and holds a file of its own once all of it is there.
install_home_assistant() {
  local sum folder python
  sum=$(sha256sum "$here/referee/requirements.txt" | cut -c1-12)
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/hub-referee/$sum
  if [ ! -e "$folder/complete" ]; then
    python=$(find_python) || { echo "no Python 3.11 or 3.12 with venv" >&2; return 1; }
    echo "installing Home Assistant into $folder" >&2
    rm -rf "$folder" && mkdir -p "$folder" && "$python" -m venv "$folder" || return 1
    "$folder/bin/pip" install --quiet --disable-pip-version-check --prefer-binary --no-deps --requirement "$here/referee/requirements.txt" >&2 || return 1
    touch "$folder/complete"
  fi
  echo "$folder/bin/python"
}

REFEREE_PYTHON=${REFEREE_PYTHON:-}
if [ -z "$REFEREE_PYTHON" ]; then
  for try in 1 2 3; do
    if install_missing && REFEREE_PYTHON=$(install_home_assistant); then break; fi
    [ "$try" -lt 3 ] || { echo "cannot install Home Assistant" >&2; exit 1; }
    sleep "$((try * 5))"
  done
fi
arguments=("$here/referee/compare.ts" "$REFEREE_PYTHON" "$corpus" "$binary" "$@")
if command -v bun >/dev/null; then exec bun "${arguments[@]}"; else exec npx --yes bun@1.4.5 "${arguments[@]}"; fi
