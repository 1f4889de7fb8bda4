#!/usr/bin/env bash
# Other people's clients against the compiled hub: mosquitto_pub and mosquitto_sub (MQTT 3.1.1 and 5), curl, sqlite3.
# Usage: test/interop/run.sh [HUB]. Needs mosquitto-clients, sqlite3, curl, jq, unzip, zip, p7zip-full, libarchive-tools, python3, age,
# openssl, postfix, sasl2-bin and libsasl2-modules; root, for Postfix.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

work=$(mktemp -d)
home=$work/home
hub_pid=
helper_pids=()

end_all() {
  local pid
  stop_postfix
  for pid in "${helper_pids[@]}" $hub_pid; do
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap end_all EXIT

# The binary alone in a folder, with nothing of this shell's surroundings. Replaces the (sub)shell it is called in.
mkdir -p "$work/empty"
cp "$binary" "$work/empty/hub"
hub() {
  cd "$work/empty"
  exec env -i PATH="$PATH" HOME="$work" HUB_HOME="$home" ./hub "$@"
}

configure() {
  (hub init) >/dev/null
  sed -i 's/^host = .*/host = "127.0.0.1"/; s/^port = .*/port = 0/' "$home/config/hub.toml"
  cat >>"$home/config/hub.toml" <<TOML

[[mqtt.users]] # without lists: the rights of the plugin of this name
username = "garage"
password = "garage secret"

[[mqtt.users]]
username = "watcher"
password = "watcher secret"
publish = []
subscribe = ["hub/devices/garage_5/#", "hub/devices/garage_311/#"]

[[calendars]]
id = "family"
file = "config/family.ics"
TOML
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//test BEGIN:VEVENT UID:1 DTSTAMP:20260101T000000Z \
    DTSTART:20260101T180000Z DTEND:20260101T190000Z RRULE:FREQ=WEEKLY 'SUMMARY:Choir 🎶' END:VEVENT END:VCALENDAR >"$home/config/family.ics"
}

port_of() { sed -n "s/.*$1.* port=\([0-9]*\).*/\1/p" "$work/hub.log"; }

start_hub() {
  # Emptied before: what it said at its last start must not be taken for this one.
  : >"$work/hub.log"
  hub serve >>"$work/hub.log" 2>&1 &
  hub_pid=$!
  soon grep -q 'the hub is up' "$work/hub.log" || { cat "$work/hub.log"; return 1; }
  api=http://127.0.0.1:$(port_of 'the API answers')/api/v1
  mqtt_port=$(port_of 'the MQTT broker listens')
}

# True when the hub ended by itself with code 0 in the ten seconds it has.
stop_hub() {
  local code=0 pid=$hub_pid
  kill -TERM "$pid"
  timeout 11 tail --pid="$pid" -f /dev/null || return 1
  wait "$pid" || code=$?
  hub_pid=
  return "$code"
}

ask() { # METHOD PATH [BODY]
  curl -sS -m 30 -X "$1" "$api$2" -H "Authorization: Bearer $token" ${3:+-H 'Content-Type: application/json' -d "$3"}
}
status_of() { # METHOD PATH [BODY], with the token if there is one
  curl -sS -m 30 -o /dev/null -w '%{http_code}' -X "$1" "$api$2" \
    ${token:+-H "Authorization: Bearer $token"} ${3:+-H 'Content-Type: application/json' -d "$3"}
}
# answer PATH FILTER: whether jq finds the filter true in what the API answers.
answer() { ask GET "$1" | jq -e "$2"; }

# shellcheck source=http.sh
. "$here/http.sh"
# shellcheck source=mqtt.sh
. "$here/mqtt.sh"
# shellcheck source=home.sh
. "$here/home.sh"
# shellcheck source=backup.sh
. "$here/backup.sh"
# shellcheck source=mail.sh
. "$here/mail.sh"
# shellcheck source=store.sh
. "$here/store.sh"
# shellcheck source=rules.sh
. "$here/rules.sh"

check "hub init lays out a home" configure
check "hub check finds the configuration valid" hub check
configure_mail
start_hub
http_checks
for version in 311 5; do mqtt_checks "$version"; done
home_checks
rules_checks
backup_checks
mail_checks
store_checks
tell_and_end
