# A furnished house that moves from x64 to arm64 and back to x64: each time a backup of the running hub, a restore into a new
# home on the other machine, and the same house there.
# arm64.sh sources it: migration_checks. It is at one machine at a time, x64 or arm64, in that one's folder `place`.

x64() { cd "$place" && exec env -i PATH="$PATH" HOME="$place" "$x64_binary" "$@"; }
arm64() { pi /srv/hub "$@"; }
go_to() { # MACHINE FOLDER
  from=${place:-}
  machine=$1 place=$2 home=$2/house
  mkdir -p "$place"
}

start_house() {
  log=$place/house.log
  "$machine" serve --home house >"$log" 2>&1 &
  hub_pid=$!
  pids+=("$hub_pid")
  patiently grep -q 'the hub is up' "$log" || { cat "$log"; return 1; }
}
# The room's first process is not the hub.
process_of_house() { if [ "$machine" = arm64 ]; then pgrep -P "$hub_pid"; else echo "$hub_pid"; fi; }

publish() { # TOPIC MESSAGE [OPTIONS…], as the plugin "garage"
  mosquitto_pub -p "$(port_of 'the MQTT broker listens')" -u garage -P 'garage secret' -q 1 -t "$1" -m "$2" "${@:3}"
}
enlist() {
  publish hub/plugins/garage/register '{"device_id":"garage_door","plugin_id":"garage","name":"Garage door","device_type":"cover"}'
}
lift() { publish hub/devices/garage_door/state "{\"open\":true,\"height_cm\":$1,\"label\":\"Tür °😀\"}" -r; }
height_is() { answer /devices/garage_door ".attributes.height_cm == $1"; }
knock() { publish hub/events/knock "{\"times\":$1}" && patiently answer /variables/knocks ".value == $1"; }

lay_foundations() {
  (x64 init --home house) >/dev/null || return
  sed -i 's/^host = .*/host = "127.0.0.1"/; s/^port = .*/port = 0/' "$home/config/hub.toml"
  printf '\n[[mqtt.users]]\nusername = "garage"\npassword = "garage secret"\n' >>"$home/config/hub.toml"
  printf '[[modes]]\nid = "away"\nname = "Nobody at home"\nkind = "manual"\n' >"$home/config/modes.toml"
  sed -i 's/^interval_secs = .*/interval_secs = 3/' "$home/plugins/sysmon/config/config.toml"
  cat >"$home/rules/knock.ron" <<'RON'
// Counts who knocks.
(
    id: "",
    name: "Knock",
    trigger: CustomEvent(event_type: "knock"),
    actions: [SetHubVariable(name: "knocks", expression: "trigger.data.times")],
)
RON
}

furnish() {
  local height
  check "a house on x64" lay_foundations
  start_house
  token=
  password=$(printed_password)
  token=$(log_in admin "$password")
  check "… has a second user" api /auth/users -d '{"username":"anna","password":"the secret of anna","role":"user"}'
  check "… a plugin of its own" enlist
  for height in 10 20 30; do
    lift "$height"
    check "… whose door is at $height cm" patiently height_is "$height"
  done
  check "… an area" api /areas -d '{"name":"Yard"}'
  check "… with the door in it" api /devices/garage_door -X PATCH -d '{"area":"yard"}'
  check "… a switch" api /switches -d '{"id":"guests","name":"Guests"}'
  check "… a scene" api /scenes -d '{"id":"party","name":"Party","states":{"guests":{"on":true}}}'
  check "… played" api /scenes/party/activate -X POST
  check "… a mode that is on" api /modes/away -X PUT -d '{"on":true}'
  check "… a variable" api /variables/guest_list -X PUT -d '{"value":{"adults":["Anna","Jürgen"],"of":2.5}}'
  check "… a timer" api /timers -d '{"id":"kettle","name":"Kettle"}'
  check "… that runs" api /devices/kettle/state -X PATCH -d '{"command":"start","duration_secs":7200}'
  check "… a rule in a file that has run" knock 30
}

# A file for each part of the house, none of them empty. Not what sysmon says of the machine, nor when each device was last heard
# of: that is stored only together with a change; nor whether it can be reached, as after a start that is known only once it is heard.
take_portrait() {
  local part path filter
  mkdir -p "$place/portrait"
  while read -r part path filter; do
    api "$path" | jq -eS "$filter | select(length > 0)" >"$place/portrait/$part" || { echo "no $part"; return 1; }
  done <<'PARTS'
devices /devices map(select(.plugin_id != "sysmon") | del(.last_seen, .available))
rules /rules .
timers /timers map(del(.remaining_secs))
scenes /scenes .
modes /modes .
variables /variables .
areas /areas .
users /auth/users .
history /devices/garage_door/history?attribute=height_cm .
PARTS
}
counts() { api /system/status | jq -c '[.devices, .rules, .plugins]'; }

# By the command on x64, over the API on arm64.
back_up() {
  if [ "$machine" = x64 ]; then (x64 backup left.zip --home house); else api /system/backup -X POST -o "$place/left.zip" -m 60; fi
}
file_of() { sqlite3 "$home/data/$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check'; }

# The command takes what is on disk, and of states what the journal of readings has as well; samples go from there into history.db once
# an hour. Over the API the hub writes all of it first, so on x64 one of those comes before.
on_disk() { # NUMBER
  [ "$(in_state "SELECT attributes ->> 'height_cm' FROM device_state WHERE device_id = 'garage_door'")" = "$1" ] &&
    [ "$(in_state "SELECT value FROM variables WHERE name = 'knocks'")" = "$1" ] &&
    [ "$(in_state "SELECT fire_count FROM rule_state")" = "$(api /rules | jq '.[0].fire_count')" ] &&
    [ "$(sqlite3 -readonly "$home/data/history.db" \
      "SELECT count(*) FROM history WHERE device_id = 'garage_door' AND attribute = 'height_cm' AND value = $1")" = 1 ]
}
in_state() { sqlite3 -readonly "$home/data/state.redb" "$1"; }

leave() { # NUMBER, the last of live_on
  local code=0
  if [ "$machine" = x64 ]; then
    check "$machine: a backup over the API" api /system/backup -X POST -o /dev/null -m 60
    check "$machine: all of it is on disk" patiently on_disk "$1"
  fi
  check "$machine: the whole house is recorded" take_portrait
  counts >"$place/counts"
  check "$machine: a backup while the hub runs" back_up
  stop_hub "$(process_of_house)" || code=$?
  [ "$code" -eq 0 ] || { echo "it ended with $code (124: not in time), and said last:"; tail -n 5 "$log"; }
  check "$machine: the hub ends" test "$code" -eq 0
  check "$machine: integrity_check of the state" same ok file_of state.redb
  check "$machine: integrity_check of the history" same ok file_of history.db
}

all_counted() { [ "$(grep -c ': as in the backup$' <<<"$1")" -eq 4 ] && ! grep DIFFERENT <<<"$1"; }
stream_tells() { # HEIGHT
  lift "$1" && patiently grep -qa "\"height_cm\":$1" "$place/stream"
}

# move_to MACHINE FOLDER: in, with what the last house left behind, and everything is as it was.
move_to() {
  local said part
  go_to "$1" "$2"
  cp "$from/left.zip" "$place/house.zip"
  check "$machine: a fresh home" "$machine" init --home house
  said=$("$machine" restore house.zip --home house 2>&1) || true
  check "$machine: hub restore counts the same" all_counted "$said"
  cp "$from/house/plugins/sysmon/config/config.toml" "$home/plugins/sysmon/config/"
  start_house
  check "$machine: the old token is accepted" answer /auth/me '.username == "admin"'
  check "$machine: no new password is printed" test -z "$(printed_password)"
  check "$machine: the administrator logs in" log_in admin "$password"
  check "$machine: the other user logs in" log_in anna 'the secret of anna'
  check "$machine: all of the house is there" take_portrait
  for part in "$from"/portrait/*; do
    check "$machine: … the same ${part##*/}" diff "$part" "$place/portrait/${part##*/}"
  done
  check "$machine: as many devices, rules and plugins" patiently same "$(cat "$from/counts")" counts
  check "$machine: the timer runs" answer /timers/kettle '.state == "started" and .remaining_secs > 6000'
  check "$machine: the rule's comment is in its file" grep -q 'Counts who knocks' "$home/rules/knock.ron"
  check "$machine: sysmon works" patiently sysmon_works
}

# What is done after moving in: the door goes to that height, and somebody knocks as often.
live_on() { # NUMBER
  api "/events/stream?token=$token" -i -N --http1.1 -m 60 -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
    -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: aW50ZXJvcGVyYWJpbGl0eQ==' >"$place/stream" 2>/dev/null &
  pids+=($!)
  patiently grep -qa '101 Switching' "$place/stream" || true
  check "$machine: a state reaches the stream" stream_tells "$1"
  check "$machine: … and the history" patiently answer '/devices/garage_door/history?attribute=height_cm' ".[-1].value == $1"
  check "$machine: the rule runs" knock "$1"
  check "$machine: the plugin registers again" enlist
  check "$machine: the door gets another name" api /devices/garage_door -X PATCH -d "{\"name\":\"Door of $machine\"}"
}

migration_checks() {
  go_to x64 "$work/first"
  furnish
  leave 30
  move_to arm64 "$root"
  live_on 40
  leave 40
  move_to x64 "$work/second"
  live_on 50
  leave 50
}
