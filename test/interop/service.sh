#!/usr/bin/env bash
# The hub as a service of a real systemd, in a room of its own: install, sandbox, watchdog, death, upgrade and the way back, and its
# Debian package.
# Usage: test/interop/service.sh [HUB], as root. Needs systemd, procps, curl, jq, python3 and Bun 1.4.5 (bun, or npx to get it). Only a
# machine whose kernel gives no such room is excused.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"
# shellcheck source=packages.sh
. "$here/packages.sh"

work=$(mktemp -d)
helper_pids=()
end_all() {
  local pid
  for pid in "${helper_pids[@]}"; do
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap end_all EXIT
mkdir "$work/empty"
cp "$binary" "$work/empty/hub"

# The namespaces and file systems of room.sh.
try_room() {
  unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child=KILL sh -ec '
    mount -t tmpfs tmpfs "$1"
    mkdir "$1/upper" "$1/work" "$1/root"
    mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
    mount -t proc proc "$1/root/proc"
    mount -t sysfs -o ro sysfs "$1/root/sys"
    mount -t cgroup2 cgroup2 "$1/root/sys/fs/cgroup"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/root/dev/pts"
  ' sh "$1"
}

# One room with this hub and two later ones in /srv/new.
enter_room() {
  mkdir "$work/room"
  "$here/room.sh" "$work/room" >"$work/room.log" 2>&1 &
  helper_pids+=($!)
  room_pid=$!
  patiently systemd_pid || { cat "$work/room.log"; return 1; }
  first=$(systemd_pid)
  patiently inside systemctl is-active basic.target || { inside systemctl --failed --no-pager; return 1; }
  bun_ "$here/other-hub.ts" "$work/any"
  bun_ "$here/other-hub.ts" "$work/next" 99.1.0 plain "$work/any"
  bun_ "$here/other-hub.ts" "$work/broken" 99.2.0 broken "$work/any"
  rm "$work/any"
  inside mkdir /srv/new
  # What every user may write to, were it not for the sandbox.
  inside mkdir -m 1777 /srv/open
  cp "$work/empty/hub" "$work/next" "$work/broken" "/proc/$first/root/srv/new/"
  this_version=$("$work/empty/hub" version | cut -d' ' -f2)
  installed=/opt/hub/bin/hub
}
systemd_pid() { pgrep -P "$room_pid" -x systemd; }
inside() { nsenter -t "$first" --all "$@"; }
bun_() { if command -v bun >/dev/null; then bun "$@"; else npx --yes bun@1.4.5 "$@"; fi </dev/null; }

unit() { inside systemctl show hub --property="$1" --value; }
unit_is() { same "$2" unit "$1"; }
# output_has TEXT COMMAND…: the command fails or not, but says this.
output_has() {
  local text=$1 said
  shift
  said=$("$@" 2>&1) || true
  grep -qF -- "$text" <<<"$said" || { printf '%s\n' "$said"; return 1; }
}
fails_saying() {
  local text=$1 said
  shift
  if said=$("$@" 2>&1); then echo "it succeeds: $said"; return 1; fi
  grep -qF -- "$text" <<<"$said" || { printf '%s\n' "$said"; return 1; }
}
healthy() { inside curl -sS -m 30 http://127.0.0.1:8080/api/v1/health | jq -e --arg version "$1" '.version == $version'; }

install_checks() {
  check "not for everybody" fails_saying "run it with sudo" inside setpriv --reuid=65534 --clear-groups /srv/new/hub service install
  inside /srv/new/hub service install --dry-run >"$work/hub.service" 2>/dev/null || true
  check "a dry run changes nothing" refused inside test -e /opt/hub
  check "hub service install" inside /srv/new/hub service install
  check "… writes what the dry run said" inside diff /etc/systemd/system/hub.service - <"$work/hub.service"
  check "systemd-analyze verify has nothing to say" same '' inside systemd-analyze verify hub.service
  check "systemd-analyze security: exposure of at most 2.0" exposure
  check "the service is active" unit_is ActiveState active
  check "… and starts with the machine" unit_is UnitFileState enabled
  check "… as a user of its own" same hub inside stat -c %U "/proc/$(unit MainPID)"
  check "… and answers" healthy "$this_version"
  check "the password is in the journal" patiently inside sh -c 'journalctl -u hub -o cat | grep -qE "^password: .{16}$"'
  check "systemd shows what it has" patiently output_has "1 plugin" unit StatusText
  check "sysmon works in the sandbox" patiently plugin_works
  check "hub service status" output_has "$this_version, answers" inside "$installed" service status
  local pid
  pid=$(unit MainPID)
  check "a second install finds nothing to write" output_has "daemon-reload" inside "$installed" service install
  check "… and does not restart it" same "$pid" unit MainPID
}

exposure() { inside systemd-analyze security --no-pager hub | tail -1 | grep -E 'level for hub.service: ([01]\.[0-9]|2\.0) '; }
# The administrator's, by the password in the journal.
room_token() {
  local password
  password=$(inside journalctl -u hub -o cat | sed -n 's/^password: //p')
  room_api POST /auth/login -d "{\"username\":\"admin\",\"password\":\"$password\"}" | jq -r .token
}
# What says that the administrator has just given the password again.
room_confirmation() {
  local password
  password=$(inside journalctl -u hub -o cat | sed -n 's/^password: //p')
  room_api POST /auth/confirm -H "Authorization: Bearer $(room_token)" -d "{\"password\":\"$password\"}" | jq -r .confirmation
}
room_api() { inside curl -sS -m 30 -X "$1" "http://127.0.0.1:8080/api/v1$2" -H 'Content-Type: application/json' "${@:3}"; }
plugin_works() {
  room_api GET /plugins -H "Authorization: Bearer $(room_token)" |
    jq -e 'map(select(.id == "sysmon" and .status == "active" and .devices > 0)) | length == 1'
}

# What a plugin may and may not. It says so in its log.
sandbox_checks() {
  inside sh -c 'mkdir -p /opt/hub/plugins/probe/bin && cat >/opt/hub/plugins/probe/bin/probe && chmod +x /opt/hub/plugins/probe/bin/probe' <<'SH'
#!/bin/sh
try() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name: yes"; else echo "$name: no"; fi; }
try "writes to the home" touch /opt/hub/plugins/probe/mark
try "writes to the executable" touch /opt/hub/bin/hub
try "moves the executable" mv /opt/hub/bin /opt/hub/bin2
try "writes to the system" touch /srv/open/mark
try "sees the homes of people" ls /home
try "reaches the network" curl -sf http://127.0.0.1:8080/api/v1/health
try "makes namespaces" unshare -U true
try "writes to temporary files" touch "${TMPDIR:-/tmp}/mark"
try "reads the secrets of the hub" cat /opt/hub/config/hub.toml
try "looks into the hub" cat "/proc/$PPID/environ"
echo "knows of systemd: $(env | grep -cE 'NOTIFY_SOCKET|WATCHDOG')"
echo done
sleep 1000
SH
  inside sh -c 'chown -R hub:hub /opt/hub/plugins/probe; printf "\n[[plugins]]\nid = \"probe\"\nbinary = \"plugins/probe/bin/probe\"\n[upgrade]\nwatch_secs = 5\n" >>/opt/hub/config/hub.toml'
  check "a restart takes a plugin of any kind" inside systemctl restart hub
  check "… which runs in the sandbox" patiently probe_says done
  # Where the kernel has Landlock, the hub's own confinement holds under systemd's filter of system calls, too.
  local answer guests=()
  if has_landlock; then
    check "… confined" patiently output_has true probe_confined
    guests=("reads the secrets of the hub: no" "looks into the hub: no")
  fi
  for answer in "writes to the home: yes" "reaches the network: yes" "writes to temporary files: yes" \
    "writes to the executable: no" "moves the executable: no" "writes to the system: no" "sees the homes of people: no" \
    "makes namespaces: no" "knows of systemd: 0" "${guests[@]}"; do
    check "a plugin $answer" probe_says "$answer"
  done
}
# landlock_create_ruleset answers with its version.
has_landlock() { python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, 0, 0, 1) < 1)'; }
probe_confined() {
  room_api GET /plugins/probe -H "Authorization: Bearer $(room_token)" | jq .confined
}
probe_says() { inside grep -qF -- "$1" /opt/hub/plugins/probe/logs/probe.log; }

watchdog_checks() {
  inside mkdir -p /etc/systemd/system/hub.service.d
  printf '[Service]\nWatchdogSec=5\nRestartSec=0\n' | inside sh -c 'cat >/etc/systemd/system/hub.service.d/test.conf'
  inside systemctl daemon-reload
  inside systemctl restart hub
  local pid
  pid=$(unit MainPID)
  sleep 11
  check "the watchdog is fed" same "$pid" unit MainPID
  inside kill -STOP "$pid"
  check "a hub that hangs is restarted" patiently another_than "$pid"
  check "… for that reason" patiently inside sh -c 'journalctl -u hub -o cat | grep -qF "result '"'watchdog'"'"'
  check "… and answers" patiently healthy "$this_version"
  check "… with its plugins once" patiently same 1 inside pgrep -fc plugins/probe/bin
  pid=$(unit MainPID)
  inside kill -KILL "$pid"
  check "a hub that was killed is restarted" patiently another_than "$pid"
  check "… and answers" patiently healthy "$this_version"
  check "… with its plugins once" patiently same 1 inside pgrep -fc plugins/probe/bin
  inside rm -r /etc/systemd/system/hub.service.d
  inside systemctl daemon-reload
}
# Under its start limit: three starts that fail, a safe one, and all of it again once what was wrong is mended.
safe_start_checks() {
  inside systemctl stop hub
  inside python3 -m http.server 1883 --bind 127.0.0.1 >/dev/null 2>&1 &
  helper_pids+=($!)
  patiently inside sh -c 'ss -ltn 2>/dev/null | grep -q :1883 || curl -s -o /dev/null http://127.0.0.1:1883'
  check "a start without the MQTT port fails" fails_saying "failed" inside systemctl start hub
  check "… the fourth one answers" patiently healthy "$this_version"
  check "… and reports to systemd why it is a safe one" patiently output_has "SAFE START because of mqtt" unit StatusText
  check "… as its status says" status_has '.safe_start.failed_part == "mqtt"'
  check "… after three failed ones" unit_is NRestarts 3
  inside pkill -f "http.server 1883"
  patiently refused inside pgrep -f "http.server 1883"
  check "the next start has all of it again" inside systemctl restart hub
  check "… and says so" status_has '.safe_start == null'
  check "… with its plugins" patiently plugin_works
  check "what it has made is its user's alone" same '' \
    inside find /opt/hub/data /opt/hub/logs /opt/hub/config /opt/hub/rules -newer /etc/systemd/system/hub.service -perm /077
}
status_has() { room_api GET /system/status -H "Authorization: Bearer $(room_token)" | jq -e "$1"; }
another_than() { [ "$(unit ActiveState)" = active ] && [ "$(unit MainPID)" != "$1" ]; }

upgrade_checks() {
  check "hub upgrade" output_has "$this_version → 99.1.0" inside "$installed" upgrade /srv/new/next
  check "… runs the new one" healthy 99.1.0
  check "… keeps the old one" same "$this_version" previous_version
  check "an upgrade to a hub that does not start fails" fails_saying "the previous version runs again" inside "$installed" upgrade /srv/new/broken
  check "… which says the last words of that" patiently inside sh -c 'journalctl -u hub -o cat | grep -qF "broken on purpose"'
  check "… and the one before answers" healthy 99.1.0
  check "… with the way back as it was" same "$this_version" previous_version
  check "an older one needs force" fails_saying "--force" inside "$installed" upgrade /srv/new/hub
  check "a program that is no hub is refused" fails_saying "does not print the version of a hub" inside "$installed" upgrade /bin/true
  check "a file that is not a program is refused" fails_saying "is not a program" inside "$installed" upgrade /etc/passwd
  check "… and all that changed nothing" healthy 99.1.0
  check "hub upgrade --rollback" inside "$installed" upgrade --rollback
  check "… runs the old one" healthy "$this_version"
  check "nothing but the two is left" same $'hub\nhub.previous' inside ls /opt/hub/bin
  check "the executable is root's" same root inside stat -c %U "$installed"
}

# Over the API, where root has agreed to it.
page_upgrade_checks() {
  upload() {
    inside curl -sS -m 60 -X POST "http://127.0.0.1:8080/api/v1/system/upgrade" -H "Authorization: Bearer $(room_token)" \
      -H "X-Hub-Confirmation: $(room_confirmation)" -H 'Content-Type: application/octet-stream' --data-binary "@$1"
  }
  check "a service's executable is not exchanged over the API" output_has "only root may change" upload /srv/new/next
  check "hub service install --page-upgrades" inside "$installed" service install --page-upgrades
  check "… gives it to the hub's user" same hub inside stat -c %U "$installed"
  check "systemd-analyze verify has nothing to say" same '' inside systemd-analyze verify hub.service
  local pid
  pid=$(unit MainPID)
  check "an uploaded version is accepted" output_has 99.1.0 upload /srv/new/next
  check "… and runs" patiently upgraded_to 99.1.0
  check "… in the same process" same "$pid" unit MainPID
  check "… which systemd takes for ready" patiently output_has "version 99.1.0" unit StatusText
  check "one that does not start is accepted, too" output_has 99.2.0 upload /srv/new/broken
  check "… and the one before comes back" patiently output_has '"to":"99.2.0","ok":false' upgrade_status
  check "… and answers" patiently healthy 99.1.0
  check "going back by the API" output_has "$this_version" room_api POST /system/upgrade/rollback -H "Authorization: Bearer $(room_token)" \
    -H "X-Hub-Confirmation: $(room_confirmation)"
  check "… runs the old one" patiently upgraded_to "$this_version"
  check "installing without the option gives it back to root" inside /srv/new/hub service install
  check "… wholly" same root inside stat -c %U "$installed"
}
upgrade_status() { room_api GET /system/upgrade -H "Authorization: Bearer $(room_token)"; }
upgraded_to() { upgrade_status | jq -e --arg to "$1" '.version == $to and .last.to == $to and .last.ok'; }
previous_version() { inside /opt/hub/bin/hub.previous version | cut -d' ' -f2; }

uninstall_checks() {
  check "hub service uninstall" inside "$installed" service uninstall
  check "… ends everything" refused inside pgrep -f /opt/hub
  check "… leaves no unit" refused inside test -e /etc/systemd/system/hub.service
  check "… keeps the home" inside test -s /opt/hub/data/state.redb
  check "hub service status says so" fails_saying "there is no service here" inside "$installed" service status
  check "installing again finds the home" inside "$installed" service install
  check "… with its data" refused inside sh -c 'journalctl -u hub -o cat --since=-5s | grep "password:"'
}

[ "$(id -u)" -eq 0 ] || { echo "$0: run it as root" >&2; exit 1; }
mkdir "$work/try"
unless_refused "a room for systemd" try_room "$work/try"
enter_room
install_checks
sandbox_checks
watchdog_checks
safe_start_checks
upgrade_checks
page_upgrade_checks
uninstall_checks
package_checks
tell_and_end
