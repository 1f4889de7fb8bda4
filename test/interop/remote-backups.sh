#!/usr/bin/env bash
# Copies of backups at other people's servers: rclone's WebDAV and SFTP, openssh's sftp-server, another disk; faults of each; and the
# house on a new machine from nothing but the recovery sheet.
# Usage: test/interop/remote-backups.sh [HUB]. Needs rclone, openssh-server, openssl, curl, jq and age.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

work=$(mktemp -d)
# Another file system than the home's.
disk=$(mktemp -d -p /dev/shm)
home=$work/home
passphrase='a passphrase for the house'
pids=()
hub_pid=

end_all() {
  local pid
  for pid in "${pids[@]}" $hub_pid; do
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work" "$disk"
}
trap end_all EXIT

mkdir -p "$work/dav" "$work/rclone-sftp" "$work/ssh" /run/sshd
hub() { (cd "$work" && exec env -i PATH="$PATH" HOME="$work" "$binary" "$@"); }

# Of those that nobody else takes them from, as in faults.sh: a server that comes back finds it free.
free_port() {
  local port
  for _ in {1..100}; do
    port=$((16000 + RANDOM % 1000))
    if ! listens "$port"; then echo "$port"; return; fi
  done
  return 1
}
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Its port is free when this returns.
kill_dav() {
  kill -KILL "$dav_pid"
  wait "$dav_pid" 2>/dev/null || true
}
start_dav() {
  rclone serve webdav "$work/dav" --addr "127.0.0.1:$dav_port" --user anna --pass 'dav secret' --cert "$work/ssh/c.pem" --key "$work/ssh/k.pem" >"$work/dav.log" 2>&1 &
  dav_pid=$!
  pids+=("$dav_pid")
  soon listens "$dav_port"
}
start_servers() {
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/ssh/k.pem" -out "$work/ssh/c.pem" -days 2 -subj /CN=localhost -addext 'subjectAltName=DNS:localhost' 2>/dev/null
  ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host"
  ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/user"
  dav_port=$(free_port)
  start_dav
  rclone_port=$(free_port)
  rclone serve sftp "$work/rclone-sftp" --addr "127.0.0.1:$rclone_port" --user anna --pass 'sftp secret' --key "$work/ssh/host" >"$work/rclone-sftp.log" 2>&1 &
  pids+=($!)
  ssh_port=$(free_port)
  printf '%s\n' "Port $ssh_port" 'ListenAddress 127.0.0.1' "HostKey $work/ssh/host" "AuthorizedKeysFile $work/ssh/user.pub" \
    'StrictModes no' 'UsePAM no' "PidFile $work/ssh/pid" 'Subsystem sftp internal-sftp' 'PermitRootLogin yes' >"$work/ssh/config"
  "$(command -v sshd || echo /usr/sbin/sshd)" -f "$work/ssh/config" -D -e 2>"$work/sshd.log" &
  pids+=($!)
  soon listens "$rclone_port"
  soon listens "$ssh_port"
}

configure() {
  hub init --home "$home" >/dev/null
  sed -i 's/^host = .*/host = "127.0.0.1"/; s/^port = .*/port = 0/' "$home/config/hub.toml"
  install -m 600 "$work/ssh/user" "$home/config/backup-key"
  cat >>"$home/config/hub.toml" <<TOML

[[backup.targets]]
type = "webdav"
name = "cloud"
url = "https://localhost:$dav_port/"
prefix = "Backups/My house"
username = "anna"
password = "dav secret"
tls_ca = "$work/ssh/c.pem"

[[backup.targets]]
type = "sftp"
name = "openssh"
host = "127.0.0.1"
port = $ssh_port
prefix = "$work/openssh/deep"
username = "$(id -un)"
key_file = "config/backup-key"

[[backup.targets]]
type = "sftp"
name = "rclone"
host = "127.0.0.1"
port = $rclone_port
prefix = "copies"
username = "anna"
password = "sftp secret"

[[backup.targets]]
type = "folder"
name = "stick"
directory = "$disk"
TOML
  sed -i "s/^\[backup\]/[backup]\npassphrase = \"$passphrase\"/" "$home/config/hub.toml"
}

start_hub() {
  : >"$work/hub.log"
  # Replaces its shell, so that what is killed is the hub.
  (cd "$work" && exec env -i PATH="$PATH" HOME="$work" "$binary" serve --home "$home") >>"$work/hub.log" 2>&1 &
  hub_pid=$!
  patiently grep -q 'the hub is up' "$work/hub.log"
  api=http://127.0.0.1:$(sed -n 's/.*the API answers.* port=\([0-9]*\).*/\1/p' "$work/hub.log")/api/v1
}
log_in() {
  # The password is printed once, at the first start.
  hub passwd admin --stdin --home "$home" <<<'a password for admin' >/dev/null
  token=$(curl -sS -m 30 "$api/auth/login" -H 'Content-Type: application/json' -d '{"username":"admin","password":"a password for admin"}' | jq -r .token)
}
ask() { # METHOD PATH [BODY]
  curl -sS -m 50 -X "$1" "$api$2" -H "Authorization: Bearer $token" ${3:+-H 'Content-Type: application/json' -d "$3"}
}
answer() { ask GET "$1" | jq -e "$2"; }
of_all() { answer /system/backups/remote "length == 4 and all(.[]; $1)"; }
of() { answer /system/backups/remote "map(select(.name == \"$1\"))[0] | $2"; }
# Each place has what the hub's own folder has, bit by bit.
same_everywhere() {
  local sum
  sum=$(sha256sum <"$(ls "$home"/backups/*.age | tail -1)")
  for place in "$work/dav/Backups/My house" "$work/openssh/deep" "$work/rclone-sftp/copies" "$disk"; do
    [ "$(sha256sum <"$(ls "$place"/hub-*/hub-backup-*.zip.age | tail -1)")" = "$sum" ] || { echo "another one in $place"; return 1; }
  done
}
# The name of a backup is its second.
next_second() { sleep 1; }
age_opens() { printf '%s\n' "$passphrase" | script -qec "age -d -o '$work/opened.zip' '$1'" /dev/null && unzip -tq "$work/opened.zip"; }
says() { # WORDS COMMAND…: fails with these words
  local words=$1 said
  shift
  if said=$("$@" 2>&1); then echo "it succeeded: $said"; return 1; fi
  grep -qF -- "$words" <<<"$said" || { echo "$said"; return 1; }
}
# A new machine: the executable and the sheet, and nothing else.
on_a_new_machine() { hub restore --from "$1" latest --sheet "$work/sheet.toml" --home "$work/new-$1" "${@:2}"; }

start_servers
configure
check "hub check finds the targets valid" hub check --home "$home"
start_hub
log_in
check "a backup is made" jq -e '.name' <(ask POST /system/backups)
check "… and copied to all four, each fetched back and proven" patiently of_all '.doing == "idle" and .last_success and .checked_at and .problem == null and .check_problem == null'
check "… bit by bit" same_everywhere
check "… under the house's own folder alone" same 1 sh -c "ls '$disk' | wc -l"
check "… and age opens it without a hub" age_opens "$(ls "$disk"/hub-*/*.age)"
for name in cloud openssh rclone stick; do
  check "the test button: $name" jq -e .ok <(ask POST "/system/backups/targets/$name/test" '{}')
done
check "the recovery sheet" sh -c "env -i PATH='$PATH' '$binary' backup --recovery --home '$home' >'$work/sheet.toml' && grep -q '$passphrase' '$work/sheet.toml' && grep -q 'BEGIN OPENSSH' '$work/sheet.toml'"

kill_dav
check "a server that is gone: the test says so" sh -c "[ $(ask POST /system/backups/targets/cloud/test '{}' | jq '.detail | contains("nobody answers")') = true ]"
check "… the next backup goes to the others" jq -e '.name' <(next_second; ask POST /system/backups)
check "… and it is said why it is not there" patiently of cloud '.failing_since and (.problem | contains("nobody answers"))'
check "… while the others have it" patiently of stick '(.copies | length) >= 1 and .problem == null and .doing == "idle"'
# Before every fraction of this second, and before what the server gets by itself.
since=$(date -u +%FT%T)
start_dav
check "… and when it is back, so are the copies" jq -e .ok <(ask POST /system/backups/targets/cloud/test '{}')
check "… of all" patiently of cloud ".last_success >= \"$since\" and .problem == null and (.copies | length) >= 1"

mv "$disk/.hub-backup-target" "$work/mark"
check "a disk that is not mounted is not filled" sh -c "[ $(next_second; ask POST /system/backups | jq 'has("name")') = true ]"
check "… and it is said" patiently of stick '.problem and (.problem | contains("not mounted"))'
mv "$work/mark" "$disk/.hub-backup-target"

kill_dav
mv "$work/dav" "$work/dav-full"
mkdir "$work/dav"
since=$(date -u +%FT%T)
start_dav
check "a server that comes back with an empty disk" jq -e .ok <(ask POST /system/backups/targets/cloud/test '{}')
check "… gets the copies again" patiently of cloud ".last_success >= \"$since\" and .problem == null and (.copies | length) >= 1"
check "… really" patiently sh -c "ls '$work/dav/Backups/My house'/hub-*/*.age"

kill -TERM "$hub_pid"
wait "$hub_pid" || true
hub_pid=
check "hub backup list" sh -c "env -i PATH='$PATH' '$binary' backup list --target openssh --home '$home' | grep -q 'this house'"
for name in cloud openssh rclone; do
  check "on a new machine, from $name: a dry run" on_a_new_machine "$name" --dry-run
  check "… the restore" on_a_new_machine "$name"
  check "… is the house" sh -c "env -i PATH='$PATH' '$binary' check --home '$work/new-$name'"
done
sed 's/dav secret/wrong/; s/sftp secret/wrong/' "$work/sheet.toml" >"$work/wrong.toml"
check "a wrong password is said (WebDAV)" says 'password is wrong' hub restore --from cloud latest --sheet "$work/wrong.toml" --home "$work/x"
check "a wrong password is said (SFTP)" says 'password or the key is wrong' hub restore --from rclone latest --sheet "$work/wrong.toml" --home "$work/x"
sed "s/$passphrase/another passphrase/" "$work/sheet.toml" >"$work/wrong.toml"
check "a wrong passphrase is said" says 'passphrase is wrong' hub restore --from rclone latest --sheet "$work/wrong.toml" --home "$work/x"
sed 's/^tls_ca = .*//' "$work/sheet.toml" >"$work/wrong.toml"
check "a certificate that nobody knows is said" says 'certificate' hub restore --from cloud latest --sheet "$work/wrong.toml" --home "$work/x"
check "another server's key is refused" says "server's key is" hub backup list --target rclone --sheet <(sed -E 's#host_key = ".*"#host_key = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"#' "$work/sheet.toml") --home "$work/x"
tell_and_end
