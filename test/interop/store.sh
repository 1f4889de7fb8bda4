# sqlite3 against the state database, after a clean stop and after SIGKILL.

query() { sqlite3 -readonly "$home/data/state.redb" "$1"; }
gone() { ! kill -0 "$1" 2>/dev/null; }

store_checks() {
  local sysmon code=0
  check "a rename is acknowledged" same 200 status_of PATCH /devices/garage_5 '{"name":"Big door","area":"Yard"}'
  stop_hub || code=$?
  check "SIGTERM ends the hub with code 0 in ten seconds" [ "$code" = 0 ]
  check "… and it says so" grep -q 'hub: stopped' "$work/hub.log"
  check "sqlite3: integrity_check" same ok query 'PRAGMA integrity_check'
  check "sqlite3: foreign_key_check" same '' query 'PRAGMA foreign_key_check'
  check "the log of the database was put back" [ ! -s "$home/data/state.redb-wal" ]
  check "sqlite3 reads the rename" same 'Big door|Yard' query "SELECT name, area FROM devices WHERE id = 'garage_5'"
  check "sqlite3 reads the last state" same on\ the\ stream query \
    "SELECT json_extract(attributes, '$.seen') FROM device_state WHERE device_id = 'garage_5'"

  past_checks

  start_hub
  kept_checks
  check "after a restart the token still counts" same 200 status_of GET /auth/me
  check "… and no new password is printed" refused grep -q '^password: ' "$work/hub.log"
  check "… and the devices are there" answer /devices/garage_5 '.name == "Big door" and .attributes.seen == "on the stream"'
  soon answer /plugins/sysmon '.status == "active"' >/dev/null
  sysmon=$(ask GET /plugins/sysmon | jq .pid)
  check "a rename is acknowledged again" same 200 status_of PATCH /devices/garage_5 '{"name":"Small door"}'
  kill -KILL "$hub_pid"
  wait "$hub_pid" 2>/dev/null || true
  hub_pid=
  check "SIGKILL: no plugin is left behind" soon gone "$sysmon"
  check "SIGKILL: integrity_check" same ok sqlite3 "$home/data/state.redb" 'PRAGMA integrity_check'
  check "SIGKILL: integrity_check of the history" same ok sqlite3 "$home/data/history.db" 'PRAGMA integrity_check'
  start_hub
  check "SIGKILL: it starts again with the last rename" answer /devices/garage_5 '.name == "Small door"'
  check "hub passwd on the running hub" same "the password of \"admin\" was changed" \
    sh -c "echo 'a new password' | env -i HOME='$work' HUB_HOME='$home' '$work/empty/hub' passwd --stdin"
  check "… ends the old token" same 401 status_of GET /auth/me
  check "… and the new password logs in" jq -e .token <(log_in 'a new password')
  stop_hub || code=$?
  check "SIGTERM ends it once more" [ "$code" = 0 ]
}
