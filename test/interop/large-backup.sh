#!/usr/bin/env bash
# A house whose history is larger than 4 GiB even when packed: its backup over curl while the hub runs, other people's archivers
# on it, and its restore. By hand, because it takes ten minutes and 25 GB of TMPDIR.
# Usage: test/interop/large-backup.sh [HUB]. Needs curl, jq, sqlite3, unzip, p7zip-full, libarchive-tools and python3.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

work=$(mktemp -d)
home=$work/home
zip=$work/large.zip
hub_pid=
end_all() {
  [ -z "$hub_pid" ] || kill -KILL "$hub_pid" 2>/dev/null || true
  rm -rf "$work"
}
trap end_all EXIT

hub() { env -i PATH="$PATH" HOME="$work" HUB_HOME="$home" "$binary" "$@"; }
start_hub() {
  env -i PATH="$PATH" HOME="$work" HUB_HOME="$home" "$binary" serve >"$work/hub.log" 2>&1 &
  hub_pid=$!
  patiently grep -q 'the hub is up' "$work/hub.log" || { cat "$work/hub.log"; return 1; }
  api=http://127.0.0.1:$(sed -n 's/.*the API answers.* port=\([0-9]*\).*/\1/p' "$work/hub.log")/api/v1
}
stop_hub() {
  kill -TERM "$hub_pid"
  wait "$hub_pid"
  hub_pid=
}
rss_mib() { awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$hub_pid/status"; }
sums() { (cd "$1/data" && sqlite3 -readonly history.db 'SELECT count(*), sum(length(value)), min(hex(substr(value, 1, 16))) FROM samples'); }
zipfile_reads() { python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); sys.exit(z.testzip() is not None)' "$1"; }
beyond_4_gib() { # Size, packed size and the places of what follows: none of them fits 32 bits.
  python3 -c 'import sys, zipfile
infos = {i.filename: i for i in zipfile.ZipFile(sys.argv[1]).infolist()}
large = infos["data/history.db"]
sys.exit(min(large.file_size, large.compress_size, infos["manifest.json"].header_offset) < 2**32)' "$1"
}

hub init >/dev/null
sed -i 's/^host = .*/host = "127.0.0.1"/; s/^port = .*/port = 0/; s/^# max_size_mb = .*/max_size_mb = 1000000/' "$home/config/hub.toml"
start_hub
password=$(sed -n 's/^password: //p' "$work/hub.log")
stop_hub
echo "4.5 GB that do not pack …"
sqlite3 "$home/data/history.db" "
  PRAGMA synchronous = OFF;
  INSERT INTO series (device_id, attribute) VALUES ('large', 'noise');
  INSERT INTO samples SELECT (SELECT id FROM series WHERE device_id = 'large'), unixepoch() * 1000 - value, 0, randomblob(1000000), NULL
    FROM generate_series(1, 4500);
  PRAGMA wal_checkpoint(TRUNCATE);" >/dev/null
before=$(sums "$home")

start_hub
token=$(curl -sS "$api/auth/login" -H 'Content-Type: application/json' -d "$(jq -nc --arg password "$password" '{username: "admin", password: $password}')" | jq -r .token)
check "a backup over curl" same 200 curl -sS -X POST "$api/system/backup" -H "Authorization: Bearer $token" -o "$zip" -w '%{http_code}'
echo "     $(stat -c %s "$zip") bytes; the hub took at most $(rss_mib) MiB"
check "nothing is left of it in the home" [ ! -e "$home/data/backup.tmp" ]
stop_hub
check "its sizes and places are beyond 4 GiB" beyond_4_gib "$zip"
check "unzip -t" unzip -tq "$zip"
check "7z t" 7z t "$zip"
check "bsdtar reads it" sh -c "bsdtar -xOf '$zip' >/dev/null"
check "bsdtar reads it from a pipe" sh -c "cat '$zip' | bsdtar -xOf - >/dev/null"
check "Python's zipfile" zipfile_reads "$zip"
check "hub restore" hub restore "$zip" --home "$work/moved"
check "… and the history is the same" same "$before" sums "$work/moved"
tell_and_end
