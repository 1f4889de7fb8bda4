#!/usr/bin/env bash
# What a worn card and a wrong clock do to the compiled hub: each fault on a home on a small file system of its own, at the start and
# while the hub runs, all side by side, for an alert ends only after a minute.
# Usage: test/interop/faults.sh [HUB], as root. Needs mosquitto-clients, sqlite3, curl, jq, python3, gcc with libc6-dev.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

work=$(mktemp -d)
all_pids=()
end_all() {
  local pid disk
  for pid in "${all_pids[@]}" $(cat "$work"/*/pid "$work"/*/sub.pid 2>/dev/null); do kill -KILL "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  for disk in "$work"/*/disk; do umount "$disk" 2>/dev/null || true; done
  rm -rf "$work"
}
trap end_all EXIT

[ "$(id -u)" -eq 0 ] || { echo "$0: run it as root" >&2; exit 1; }
mkdir "$work/try"
unless_refused "a small file system" mount -t tmpfs -o size=1m tmpfs "$work/try"
umount "$work/try"
rmdir "$work/try"
mkdir "$work/empty"
cp "$binary" "$work/empty/hub"
for library in faulty clock; do
  gcc -Wall -Wextra -Werror -O2 -shared -fPIC -o "$work/$library.so" "$here/faults/$library.c" -ldl
done

# The phone: a push service that takes everything, and writes down what for whom.
cat >"$work/phone.py" <<'PY'
import http.server, sys, urllib.parse
class Phone(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        with open(f"{sys.argv[1]}/{form['user'][0]}/phone", "a") as file:
            file.write(form["message"][0].replace("\n", " ") + "\n")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status":1,"request":"1"}')
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Phone)
with open(f"{sys.argv[1]}/phone.port", "w") as file: file.write(str(server.server_port))
server.serve_forever()
PY
python3 "$work/phone.py" "$work" &
all_pids+=($!)
soon test -s "$work/phone.port"
phone_port=$(cat "$work/phone.port")

# ---- One house. All of this runs in a subshell of its own, in $place.

# Below those that Linux gives to connections, and none of those that test/support/free-port.ts gives: a hub that is named its port
# finds it free a moment later, and after its restart. The houses look for theirs side by side, and who makes its folder has it.
mkdir "$work/ports"
free_port() {
  local port
  for _ in {1..100}; do
    port=$((12000 + RANDOM % 4000))
    if mkdir "$work/ports/$port" 2>/dev/null && ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then echo "$port"; return; fi
  done
  return 1
}

hub() {
  cd "$work/empty"
  exec env -i PATH="$PATH" HOME="$place" HUB_HOME="$home" "${with[@]}" ./hub "$@"
}

build_house() { # NAME
  place=$work/$1
  home=$place/disk/home
  with=()
  mkdir -p "$place/disk"
  mount -t tmpfs -o size=24m,mode=700 tmpfs "$place/disk"
  # The executable alone would fill the disk.
  mkdir -p "$home/bin"
  touch "$home/bin/hub"
  (hub init >/dev/null)
  rm -rf "$home"/rules/*
  local port
  port=$(free_port)
  api=http://127.0.0.1:$port/api/v1
  mqtt_port=$(free_port)
  cat >"$home/config/hub.toml" <<TOML
[server]
host = "127.0.0.1"
port = $port

[auth]
jwt_secret = "a secret of the faults that nobody else signs with"

[mqtt]
port = $mqtt_port

[storage]
flush_secs = 1

[alerts]
channel = "phone"

[[notify.channels]]
type = "push_app"
name = "phone"
api_key = "key"
user_key = "$1"
api_url = "http://127.0.0.1:$phone_port"

[[mqtt.users]]
username = "tester"
password = "secret"
publish = ["#"]
subscribe = ["#"]
TOML
  touch "$place/phone"
}

# What the rule remembers and says, and what it does besides.
make_follow_rule() {
  cat >"$home/rules/follow.toml" <<'TOML'
id = "5f0f4a2e-8d6f-4a53-9a2a-3f1d0f9f1d11"
name = "Follow"
enabled = true
trigger = { type = "device_state_changed", device_id = "door", attribute = "open" }
actions = [
  { type = "set_hub_variable", name = "doors", value = 1 },
  { type = "publish_mqtt", topic = "house/followed", payload = "yes" },
  { type = "fire_event", event_type = "followed" },
]
TOML
}

start_house() {
  rm -f "$place/code"
  (
    code=0
    (echo "$BASHPID" >"$place/pid"; hub serve) >>"$place/log" 2>&1 || code=$?
    echo "$code" >"$place/code"
  ) </dev/null >/dev/null 2>&1 &
  tried 600 0.1 healthy || { tail -n 30 "$place/log"; return 1; }
  tried 600 0.1 ready
}
healthy() { curl -sf -m 5 "$api/health" >/dev/null; }
ready() { curl -sf -m 5 "$api/health" | jq -e .ready; }

# Ends with 0 within ten seconds.
stop_house() {
  kill -TERM "$(cat "$place/pid")"
  tried 120 0.1 test -s "$place/code" || { echo "it does not end"; tail -n 20 "$place/log"; return 1; }
  same 0 cat "$place/code" || { tail -n 20 "$place/log"; return 1; }
}

log_in() {
  local token
  token=$(curl -sS -m 30 "$api/auth/login" -H 'Content-Type: application/json' -d "{\"username\":\"admin\",\"password\":\"$password\"}" | jq -re .token)
  echo "$token" >"$place/token"
}
ask() { # METHOD PATH [BODY]
  curl -sS -m 30 -X "$1" "$api$2" -H "Authorization: Bearer $(cat "$place/token")" ${3:+-H 'Content-Type: application/json' -d "$3"}
}
answer() { ask GET "$1" | jq -e "$2"; }
rename_to() { ask PATCH /devices/door "{\"name\":\"$1\"}"; }
send() { mosquitto_pub -h 127.0.0.1 -p "$mqtt_port" -u tester -P secret -q 1 -t "$1" -m "$2"; }

# A change of the door reaches the rule, and the rule's event and message leave the hub.
rule_runs() {
  local events=$place/events messages=$place/messages listener watcher result=0
  curl -sSN -m 90 "$api/events/stream?type=custom_followed" -H "Authorization: Bearer $(cat "$place/token")" -H 'Accept: text/event-stream' >"$events" 2>/dev/null &
  listener=$!
  stdbuf -oL mosquitto_sub -h 127.0.0.1 -p "$mqtt_port" -u tester -P secret -t house/followed -C 1 -W 60 -d >"$messages" 2>/dev/null &
  watcher=$!
  soon grep -q SUBACK "$messages" || { echo "no subscription"; result=1; }
  door=$(($(cat "$place/door") + 1))
  echo "$door" >"$place/door"
  send hub/devices/door/state "{\"open\":$door}" || result=1
  wait "$watcher" || { echo "no message of the rule"; result=1; }
  soon answer "/events?type=custom_followed&limit=50" ". | length > 0" || soon grep -q custom_followed "$events" || { echo "no event of the rule"; result=1; }
  kill "$listener" 2>/dev/null || true
  wait "$listener" 2>/dev/null || true
  answer /devices/door ".attributes.open == $door" >/dev/null || { echo "the door is not as it said"; result=1; }
  return "$result"
}

# FAULT: a change is answered with 507, the fault and what to do.
change_is_refused() {
  rename_to "Back door" | jq -e --arg fault "$1" '.status == 507 and .code == "storage" and .fault == $fault and (.error | test(": \\w+ .*"))' ||
    { rename_to "Back door"; return 1; }
}
alert_is_on() { answer /system/alerts "map(select(.kind == \"$1\" and .until == null and (.mend | length) > 20)) | length == 1"; }
alert_is_over() { answer /system/alerts "map(select(.kind == \"$1\" and .until == null)) | length == 0"; }
phone_said() { grep -qE -- "$1" "$place/phone" || { cat "$place/phone"; return 1; }; }
not_repeated() {
  local most
  most=$(sed -E 's/[0-9]+/N/g' "$place/log" | sort | uniq -c | sort -rn | awk '$1 > '"$1"' {print}' | head -n 3)
  [ -z "$most" ] || { echo "$most"; return 1; }
}
no_leftovers() { same '' find "$home" -name '*.tmp*'; }
whole() {
  local db
  for db in "$home"/data/state.redb "$home"/data/history.db; do
    [ ! -e "$db" ] || same ok sqlite3 "$db" 'PRAGMA integrity_check' || return 1
  done
}
# Of a stopped hub: what it had acknowledged.
kept() { same "$1" sqlite3 "$home/data/state.redb" "SELECT name FROM devices WHERE id = 'door'"; }

furnish() {
  start_house
  password=$(sed -n 's/^password: //p' "$place/log")
  log_in
  echo 0 >"$place/door"
  send hub/devices/door/state '{"open":0}'
  soon answer /devices/door '.id // .device_id'
  # Earlier, it would be the rule of a house that lost its database.
  make_follow_rule
  soon answer /rules 'map(select(.name == "Follow" and .state == "enabled")) | length == 1'
  rename_to "Front door" | jq -e '.name == "Front door"'
}

# Breaking and mending, by the name of the fault.
faulty() { printf '%s\n' "$@" >"$place/fault"; }
# Seconds ahead of the machine's; never a file that is half written.
set_clock() { echo "$1" >"$place/time.new" && mv "$place/time.new" "$place/time"; }
break_it() {
  case $1 in
    eio) faulty "write EIO" "sync EIO" ;;
    slow) faulty "sync 300" ;;
    enospc) faulty "write ENOSPC" ;;
    rename) faulty "rename EROFS" ;;
    full) local n; for n in $(seq 1 64); do head -c 1048576 /dev/zero >"$place/disk/filler-$n" 2>/dev/null || break; done ;;
    read_only) if [ "$2" = "at the start" ]; then mount -o remount,ro "$place/disk"; else faulty "write EROFS" "sync EROFS" "rename EROFS"; fi ;;
    forward) set_clock $((3650 * 86400)) ;;
    back) set_clock -3600 ;;
  esac
}
mend_it() {
  case $1 in
    full) rm -f "$place"/disk/filler-* ;;
    read_only) rm -f "$place/fault"; mount -o remount,rw "$place/disk" ;;
    forward | back) set_clock 0 ;;
    *) rm -f "$place/fault" ;;
  esac
}
# The surroundings of the hub under this fault.
surround() {
  case $1 in
    forward | back) set_clock 0; with=(LD_PRELOAD="$work/clock.so" CLOCK_FILE="$place/time") ;;
    full) with=() ;;
    *) with=(LD_PRELOAD="$work/faulty.so" FAULT_UNDER="$home/data" FAULT_FILE="$place/fault") ;;
  esac
}

house_runs() {
  check "$at: /health answers" healthy
  check "$at: a login works" log_in
  check "$at: devices are read" answer /devices/door '.name == "Front door"'
  check "$at: a rule runs" rule_runs
}

# A disk that takes nothing: NAME WHEN FAULT ALERT WORDS
disk_house() {
  local name=$1 when=$2 fault=$3 kind=$4 words=$5
  at="$name $when"
  build_house "$name-${when// /-}"
  surround "$name"
  furnish >/dev/null || return 1
  if [ "$when" = "at the start" ]; then
    stop_house
    break_it "$name" "$when"
    check "$at: it starts" start_house
  else
    # What is open for writing keeps its file system from becoming read-only by order; a worn card does not ask.
    break_it "$name" "$when"
    # The next write finds out.
    send hub/devices/door/state '{"open":-1}'
    sleep 2.5
  fi
  house_runs
  check "$at: a change is refused with $fault" change_is_refused "$fault"
  check "$at: $kind is on" patiently alert_is_on "$kind"
  check "$at: … and on the phone" tried 600 0.1 phone_said "$words"
  # Longer than readings wait to be synced: from then on each try fails.
  sleep 25
  check "$at: it does not repeat itself" not_repeated 6
  mend_it "$name"
  check "$at: changes are taken again" patiently accepted
  check "$at: $kind is over" tried 400 0.25 alert_is_over "$kind"
  check "$at: … and the phone hears of it" tried 400 0.25 phone_said "Over: .*"
  door_then=$(cat "$place/door")
  check "$at: SIGTERM ends it" stop_house
  check "$at: what was acknowledged is there" kept "Side door"
  check "$at: the databases are whole" whole
  check "$at: nothing is left over" no_leftovers
  check "$at: it starts again" start_house
  check "$at: … with what was reported meanwhile" answer /devices/door ".attributes.open == $door_then"
  break_it "$name" "while it runs"
  send hub/devices/door/state '{"open":-2}'
  sleep 0.3
  check "$at: SIGTERM while it lasts ends it" stop_house
  check "$at: … and says what could not be kept" said_or_kept
  check "$at: … without a trace of the program" refused grep -qE '^    at ' "$place/log"
  mend_it "$name"
  check "$at: … and the databases are whole" whole
  check "$at: … and nothing is left over" no_leftovers
}
# A full disk may still have room in files that are there. They are read elsewhere: sqlite3 needs room beside a write-ahead log.
said_or_kept() { grep -q "could not be kept" "$place/log" || says_minus_two || { ls -l "$home/data"; tail -n 10 "$place/log"; return 1; }; }
says_minus_two() {
  rm -rf "$place/copy" && mkdir "$place/copy" && cp "$home/data/state.redb" "$place/copy/" || return 1
  [ ! -e "$home/data/state.redb-wal" ] || cp "$home/data/state.redb-wal" "$place/copy/"
  sqlite3 "$place/copy/state.redb" .dump | grep -F '"open":-2'
}
accepted() { log_in && rename_to "Side door" | jq -e '.name == "Side door"'; }

# What costs time only: nothing is refused.
slow_house() {
  local when=$1
  at="slow fsync $when"
  build_house "slow-${when// /-}"
  surround slow
  furnish >/dev/null || return 1
  if [ "$when" = "at the start" ]; then stop_house; break_it slow; check "$at: it starts" start_house; else break_it slow; fi
  house_runs
  check "$at: a change is taken" accepted
  check "$at: SIGTERM ends it" stop_house
  check "$at: what was acknowledged is there" kept "Side door"
  check "$at: the databases are whole" whole
  check "$at: nothing is left over" no_leftovers
}

# Files cannot be put in their place; the databases can be written.
rename_house() {
  local when=$1
  at="rename $when"
  build_house "rename-${when// /-}"
  surround rename
  with=("${with[@]/FAULT_UNDER=*/FAULT_UNDER=$home}")
  furnish >/dev/null || return 1
  if [ "$when" = "at the start" ]; then stop_house; break_it rename; check "$at: it starts" start_house; else break_it rename; fi
  house_runs
  check "$at: a rule is refused" rule_is_refused
  check "$at: … and not half there" same "$home/rules/follow.toml" find "$home/rules" -maxdepth 1 -type f
  mend_it rename
  check "$at: then it is taken" rule_is_taken
  check "$at: SIGTERM ends it" stop_house
  check "$at: the databases are whole" whole
  check "$at: nothing is left over" no_leftovers
}
make_rule() { ask POST /rules '{"name":"New","enabled":true,"trigger":{"type":"device_state_changed","device_id":"x","attribute":"y"},"actions":[{"type":"fire_event","event_type":"z"}]}'; }
rule_is_refused() { make_rule | jq -e '.status == 507 and .fault == "read_only"' || { make_rule; return 1; }; }
rule_is_taken() { make_rule | jq -e '.id' || { make_rule; return 1; }; }

clock_house() { # forward|back WHEN
  local way=$1 when=$2
  at="clock $way $when"
  build_house "clock-$way-${when// /-}"
  surround "$way"
  furnish >/dev/null || return 1
  if [ "$when" = "at the start" ]; then stop_house; break_it "$way"; check "$at: it starts" start_house; else break_it "$way"; sleep 1; fi
  house_runs
  check "$at: a change is taken" accepted
  if [ "$when" = "while it runs" ]; then
    check "$at: clock_stepped is on" patiently alert_is_on clock_stepped
    check "$at: … and on the phone" tried 600 0.1 phone_said "clock was set $way"
  fi
  mend_it "$way"
  sleep 1
  check "$at: once the time is right, a login works" log_in
  check "$at: … and a rule runs" rule_runs
  check "$at: SIGTERM ends it" stop_house
  check "$at: what was acknowledged is there" kept "Side door"
  check "$at: the databases are whole" whole
  check "$at: nothing is left over" no_leftovers
}

# ---- All of them, a few at a time: each waits most of the while.
jobs=()
begin() { # COMMAND…
  local out
  out=$work/out-${#jobs[@]}
  (
    trap - EXIT
    passed=0 failed=0
    "$@" || { failed=$((failed + 1)); echo "FAIL ${at:-$*}: it ended early"; tail -n 15 "$place/log"; }
    echo "$passed $failed" >"$out.counts"
  ) >"$out" 2>&1 &
  jobs+=($!)
}

only=${FAULTS_ONLY:-.}
for when in "at the start" "while it runs"; do
  for house in "disk_house eio|failing disk_failing disk.is.failing" "disk_house enospc|full disk_full disk.*is.full" \
    "disk_house full|full disk_full disk.*is.full" "disk_house read_only|read_only disk_failing disk.is.read-only" \
    "slow_house" "rename_house" "clock_house forward" "clock_house back"; do
    [[ "$house $when" =~ $only ]] || continue
    read -ra first <<<"${house%%|*}"
    rest=()
    [[ $house != *"|"* ]] || read -ra rest <<<"${house#*|}"
    begin "${first[@]}" "$when" "${rest[@]}"
  done
done
for n in "${!jobs[@]}"; do
  wait "${jobs[$n]}" || true
  cat "$work/out-$n"
  read -r p f <"$work/out-$n.counts" || { p=0 f=1; }
  passed=$((passed + p)) failed=$((failed + f))
done
[ -z "${FAULTS_KEEP:-}" ] || { mkdir -p "$FAULTS_KEEP"; for d in "$work"/*/; do [ ! -e "$d/log" ] || cp "$d/log" "$FAULTS_KEEP/$(basename "$d").log"; done; }
tell_and_end
